#pragma once

/// Makes embeddings of media on a thread of its own, in turns with the thread that asks; keeps those made lately.

#include <mtmd.h>

#include <list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "worker/engine/llama/media/llama_media.hpp"
#include "worker/engine/llama/media/turns.hpp"

namespace worker::engine::llama {

class MediaEncoder {
public:
    /// `mtmd` calls `on_node` with `turns` while it computes (see `mtmd_context_params.cb_eval`), and outlives this as
    /// `turns` does. `width` numbers are the embedding of one token. At most `kept_bytes` are kept, but always the last.
    MediaEncoder(mtmd_context* mtmd, Turns& turns, std::size_t width, std::size_t kept_bytes);
    ~MediaEncoder();

    /// See TextEngine.
    Encoded encode(const std::shared_ptr<const LlamaMedia>& media, std::string_view salt, base::Duration time,
                   const std::atomic<bool>& abort);

    /// What the last `encode` was done with: [tokens, width], row-major; until the next one.
    std::span<const float> embeddings() const { return last_ == nullptr ? std::span<const float>{} : *last_; }

    /// The encoder's progress: pauses it, or stops it.
    static bool on_node(ggml_tensor* node, bool ask, void* turns);

private:
    struct Key {
        std::string salt;
        MediaDigest digest;
        auto operator<=>(const Key&) const = default;
    };
    using Embeddings = std::shared_ptr<const std::vector<float>>;

    void run();
    void keep(const Key& key, const Embeddings& embeddings);

    mtmd_context* mtmd_;
    Turns& turns_;
    std::size_t width_;
    std::size_t kept_limit_;

    /// By last use, the latest first.
    std::list<std::pair<Key, Embeddings>> kept_;
    std::size_t kept_bytes_ = 0;
    Embeddings last_;

    // Of whoever has the turn. What is under way, and what became of it.
    std::shared_ptr<const LlamaMedia> media_;
    Key key_;
    bool over_ = false;
    bool ok_ = false;

    std::thread thread_;
};

}  // namespace worker::engine::llama
