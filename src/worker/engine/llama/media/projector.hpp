#pragma once

/// What a model sees and hears with: a second file beside the model's ("mmproj"), and llama.cpp's mtmd.

#include <llama.h>
#include <mtmd.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/engine/llama/load.hpp"
#include "worker/engine/llama/media/media_encoder.hpp"

namespace worker::engine::llama {

/// A picture or sound of a job, and where it stands there.
struct MediaFile {
    const contract::Media* file = nullptr;
    bool is_image = true;
    std::string param;
};

/// The pictures and sounds of a chat, in their order.
std::vector<MediaFile> media_of(const contract::Chat& chat);

struct MediaPrompt {
    std::vector<Token> tokens;
    std::vector<MediaPiece> pieces;
};

class Projector {
public:
    /// `model` must outlive it. `most_at_once`: tokens that can be evaluated in one go. Takes seconds.
    static base::Result<std::unique_ptr<Projector>> load(const llama_model* model, const Options& options,
                                                         std::size_t most_at_once);

    bool sees() const { return mtmd_support_vision(mtmd_.get()); }
    bool hears() const { return mtmd_support_audio(mtmd_.get()); }
    /// Positions have several dimensions, and a picture takes fewer of them than tokens.
    bool has_flat_positions() const { return mtmd_decode_use_mrope(mtmd_.get()); }
    /// Its tokens see each other, whatever their order.
    bool is_seen_at_once(const LlamaMedia& media) const { return mtmd_decode_use_non_causal(mtmd_.get(), media.chunk); }
    /// Stands in a rendered chat where a picture or a sound is; no text has it.
    const std::string& marker() const { return marker_; }

    /// The tokens of a rendered chat whose markers stand for `files`, each checked and read. Longer than `most_tokens`:
    /// `context_length`, before much is done. Safe from any thread. Errors name the file's place.
    base::Result<MediaPrompt> read(const std::string& prompt, std::span<const MediaFile> files,
                                   std::size_t most_tokens) const;

    /// Of the loop's thread.
    MediaEncoder& encoder() { return *encoder_; }

private:
    struct FreeContext {
        void operator()(mtmd_context* context) const { mtmd_free(context); }
    };

    Projector() = default;
    base::Result<MediaPrompt> pieces_of(const std::shared_ptr<const mtmd_input_chunks>& chunks,
                                        std::span<const MediaFile> files, std::span<const MediaDigest> digests) const;

    std::string marker_;
    std::size_t most_at_once_ = 0;
    std::size_t most_pixels_ = 0;
    std::size_t most_sound_seconds_ = 0;
    Turns turns_;
    std::unique_ptr<mtmd_context, FreeContext> mtmd_;
    std::unique_ptr<MediaEncoder> encoder_;
};

}  // namespace worker::engine::llama
