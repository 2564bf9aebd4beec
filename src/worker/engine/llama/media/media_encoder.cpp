#include "worker/engine/llama/media/media_encoder.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <utility>

namespace worker::engine::llama {

MediaEncoder::MediaEncoder(mtmd_context* mtmd, Turns& turns, std::size_t width, std::size_t kept_bytes)
    : mtmd_(mtmd), turns_(turns), width_(width), kept_limit_(kept_bytes), thread_([this] { run(); }) {}

MediaEncoder::~MediaEncoder() {
    if (media_ != nullptr) {
        turns_.withdraw();
    }
    turns_.end();
    thread_.join();
}

Encoded MediaEncoder::encode(const std::shared_ptr<const LlamaMedia>& media, std::string_view salt, base::Duration time,
                             const std::atomic<bool>& abort) {
    const Key key{.salt = std::string(salt), .digest = media->digest};
    const auto found = std::ranges::find(kept_, key, [](const auto& each) { return each.first; });
    if (found != kept_.end()) {
        kept_.splice(kept_.begin(), kept_, found);
        last_ = kept_.front().second;
        return Encoded::done;
    }
    last_ = nullptr;
    if (media_ != nullptr && key_ != key) {
        turns_.withdraw();
        media_ = nullptr;
    }
    if (media_ == nullptr) {
        media_ = media;
        key_ = key;
        over_ = false;
    }
    turns_.give(time, abort);
    if (!over_) {
        return Encoded::under_way;
    }
    const auto tokens = mtmd_input_chunk_get_n_tokens(media_->chunk);
    media_ = nullptr;
    if (abort) {
        return Encoded::aborted;
    }
    if (!ok_) {
        return Encoded::failed;
    }
    const float* made = mtmd_get_output_embd(mtmd_);
    last_ = std::make_shared<const std::vector<float>>(made, made + tokens * width_);
    keep(key, last_);
    return Encoded::done;
}

void MediaEncoder::keep(const Key& key, const Embeddings& embeddings) {
    kept_.emplace_front(key, embeddings);
    kept_bytes_ += embeddings->size() * sizeof(float);
    while (kept_bytes_ > kept_limit_ && kept_.size() > 1) {
        kept_bytes_ -= kept_.back().second->size() * sizeof(float);
        kept_.pop_back();
    }
}

void MediaEncoder::run() {
    prctl(PR_SET_NAME, "encode");
    while (turns_.wait()) {
        if (!over_) {
            ok_ = mtmd_encode_chunk(mtmd_, media_->chunk) == 0;
            over_ = true;
        }
        turns_.hand_back();
    }
}

// Products and attention are what takes time; between two of them there is a moment to ask.
bool MediaEncoder::on_node(ggml_tensor* node, bool ask, void* turns) {
    if (ask) {
        return node->op == GGML_OP_MUL_MAT || node->op == GGML_OP_FLASH_ATTN_EXT || node->op == GGML_OP_IM2COL ||
               node->op == GGML_OP_CONV_2D;
    }
    return static_cast<Turns*>(turns)->may_go_on();
}

}  // namespace worker::engine::llama
