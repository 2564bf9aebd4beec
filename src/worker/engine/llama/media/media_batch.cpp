#include "worker/engine/llama/media/media_batch.hpp"

namespace worker::engine::llama {

MediaBatch::MediaBatch(Projector& projector, const LlamaMedia& media, llama_pos position, Sequence sequence)
    : embeddings_(projector.encoder().embeddings()),
      sequence_(sequence),
      end_(position + mtmd_input_chunk_get_n_pos(media.chunk)) {
    const auto tokens = mtmd_input_chunk_get_n_tokens(media.chunk);
    width_ = embeddings_.size() / tokens;
    positions_.resize(projector.has_flat_positions() ? 4 : 1, std::vector<llama_pos>(tokens));
    const auto* image = mtmd_input_chunk_get_tokens_image(media.chunk);
    for (std::size_t token = 0; token < tokens; ++token) {
        if (positions_.size() == 1 || image == nullptr) {
            for (auto& dimension : positions_) {
                dimension[token] = position + static_cast<llama_pos>(token);
            }
        } else {
            const auto place = mtmd_image_tokens_get_decoder_pos(image, position, token);
            positions_[0][token] = static_cast<llama_pos>(place.t);
            positions_[1][token] = static_cast<llama_pos>(place.y);
            positions_[2][token] = static_cast<llama_pos>(place.x);
            positions_[3][token] = static_cast<llama_pos>(place.z);
        }
    }
}

llama_batch MediaBatch::part(std::size_t begin, std::size_t count, bool output, const llama_batch& arrays) const {
    shown_.clear();
    for (const auto& dimension : positions_) {
        const auto first = dimension.begin() + static_cast<std::ptrdiff_t>(begin);
        shown_.insert(shown_.end(), first, first + static_cast<std::ptrdiff_t>(count));
    }
    for (std::size_t index = 0; index < count; ++index) {
        arrays.n_seq_id[index] = 1;
        arrays.seq_id[index][0] = sequence_;
        arrays.logits[index] = output && index + 1 == count ? 1 : 0;
    }
    // llama.cpp takes what it does not change through pointers to what it could.
    return {.n_tokens = static_cast<std::int32_t>(count),
            .token = nullptr,
            .embd = const_cast<float*>(embeddings_.data()) + begin * width_,
            .pos = shown_.data(),
            .n_seq_id = arrays.n_seq_id,
            .seq_id = arrays.seq_id,
            .logits = arrays.logits};
}

}  // namespace worker::engine::llama
