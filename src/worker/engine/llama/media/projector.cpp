#include "worker/engine/llama/media/projector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

#include "worker/engine/llama/log_bridge.hpp"
#include "worker/engine/llama/media/media_file.hpp"

namespace worker::engine::llama {
namespace {

using base::ErrorCode;
using base::fail;

// What encoders make of a picture are some hundred kilobytes to some megabytes.
constexpr std::size_t kept_embeddings = std::size_t{128} << 20;

// Decoded pictures of one job that are in memory together, in terms of the largest there may be.
constexpr std::size_t pictures_at_once = 4;

// Nobody can write it into a text: it is another one in each process.
std::string unguessable_marker() {
    std::random_device random;
    return fmt::format("<__media_{:08x}{:08x}{:08x}{:08x}__>", random(), random(), random(), random());
}

using Chunks = std::shared_ptr<mtmd_input_chunks>;

Chunks new_chunks() {
    return {mtmd_input_chunks_init(), [](mtmd_input_chunks* chunks) { mtmd_input_chunks_free(chunks); }};
}

// Bitmaps are named by their place in the job.
void set_place(const Bitmap& bitmap, std::size_t place) {
    mtmd_bitmap_set_id(bitmap.get(), std::to_string(place).c_str());
}

std::size_t place_of(const mtmd_input_chunk* chunk) {
    const char* id = mtmd_input_chunk_get_id(chunk);
    std::size_t place = 0;
    std::from_chars(id, id + std::strlen(id), place);
    return place;
}

base::Result<Chunks> tokenised(const mtmd_context* mtmd, const std::string& prompt, std::span<const Bitmap> bitmaps,
                               std::span<const MediaFile> files) {
    std::vector<const mtmd_bitmap*> pointers(bitmaps.size());
    std::ranges::transform(bitmaps, pointers.begin(), [](const Bitmap& each) { return each.get(); });
    const mtmd_input_text text{
        .text = prompt.data(), .text_len = prompt.size(), .add_special = true, .parse_special = true};
    Chunks chunks = new_chunks();
    const auto status = mtmd_tokenize(mtmd, chunks.get(), &text, pointers.data(), pointers.size());
    if (status == 1) {
        return fail(ErrorCode::invalid, "The model's chat template has no place for what these messages show.",
                    "chat.messages");
    }
    if (status != 0) {
        return fail(ErrorCode::invalid, "The model cannot read what these messages show.",
                    files.size() == 1 ? files.front().param : "chat.messages");
    }
    return chunks;
}

std::size_t tokens_of(const mtmd_input_chunks* chunks) {
    std::size_t tokens = 0;
    for (std::size_t index = 0; index < mtmd_input_chunks_size(chunks); ++index) {
        tokens += mtmd_input_chunk_get_n_tokens(mtmd_input_chunks_get(chunks, index));
    }
    return tokens;
}

// Of the same size, without the picture: tokens can be counted with it, and it takes no memory.
Bitmap without_content(const Bitmap& bitmap) {
    return Bitmap(mtmd_bitmap_is_audio(bitmap.get())
                      ? mtmd_bitmap_init_from_audio(mtmd_bitmap_get_nx(bitmap.get()), nullptr)
                      : mtmd_bitmap_init(mtmd_bitmap_get_nx(bitmap.get()), mtmd_bitmap_get_ny(bitmap.get()), nullptr));
}

}  // namespace

std::vector<MediaFile> media_of(const contract::Chat& chat) {
    std::vector<MediaFile> files;
    for (int index = 0; index < chat.messages_size(); ++index) {
        for (int part = 0; part < chat.messages(index).content_size(); ++part) {
            const auto& content = chat.messages(index).content(part);
            if (content.has_image() || content.has_audio()) {
                files.push_back({.file = content.has_image() ? &content.image() : &content.audio(),
                                 .is_image = content.has_image(),
                                 .param = fmt::format("chat.messages[{}].content[{}]", index, part)});
            }
        }
    }
    return files;
}

base::Result<std::unique_ptr<Projector>> Projector::load(const llama_model* model, const Options& options,
                                                         std::size_t most_at_once) {
    if (!std::filesystem::exists(options.projector)) {
        return fail(ErrorCode::not_found, fmt::format("{} does not exist", options.projector));
    }
    std::unique_ptr<Projector> made(new Projector);
    made->marker_ = unguessable_marker();
    made->most_at_once_ = most_at_once;
    made->most_pixels_ = options.most_image_pixels;
    made->most_sound_seconds_ = options.most_sound_seconds;
    auto params = mtmd_context_params_default();
    params.use_gpu = false;
    params.print_timings = false;
    params.n_threads = static_cast<int>(options.batch_threads != 0 ? options.batch_threads : options.threads);
    params.media_marker = made->marker_.c_str();
    params.cb_eval = &MediaEncoder::on_node;
    params.cb_eval_user_data = &made->turns_;
    made->mtmd_.reset(mtmd_init_from_file(options.projector.c_str(), model, params));
    if (made->mtmd_ == nullptr) {
        return fail(ErrorCode::invalid, fmt::format("{}: {}", options.projector, take_first_error()));
    }
    const auto width = static_cast<std::size_t>(llama_model_n_embd_inp(model));
    made->encoder_ = std::make_unique<MediaEncoder>(made->mtmd_.get(), made->turns_, width, kept_embeddings);
    return made;
}

base::Result<MediaPrompt> Projector::read(const std::string& prompt, std::span<const MediaFile> files,
                                          std::size_t most_tokens) const {
    // Each takes a token at least.
    if (files.size() > most_tokens) {
        return fail(
            ErrorCode::context_length,
            fmt::format("This model's maximum context length is {} tokens. However, your messages have {} images "
                        "or sounds. Please reduce the length of the messages.",
                        most_tokens, files.size()));
    }
    std::vector<Bitmap> bitmaps;
    std::vector<Bitmap> shapes;
    std::vector<MediaDigest> digests;
    std::size_t pixels = 0;
    for (const MediaFile& each : files) {
        auto decoded = each.is_image ? decode_image(each.file->data(), most_pixels_)
                                     : decode_sound(mtmd_.get(), each.file->data(), most_sound_seconds_);
        if (!decoded) {
            return fail(decoded.error().code, decoded.error().message, each.param);
        }
        pixels += mtmd_bitmap_get_n_bytes(decoded->bitmap.get()) / 3;
        if (pixels > pictures_at_once * most_pixels_) {
            return fail(
                ErrorCode::invalid,
                fmt::format("The images of one request may have {} pixels together.", pictures_at_once * most_pixels_),
                each.param);
        }
        set_place(decoded->bitmap, bitmaps.size());
        shapes.push_back(without_content(decoded->bitmap));
        set_place(shapes.back(), bitmaps.size());
        bitmaps.push_back(std::move(decoded->bitmap));
        digests.push_back(decoded->digest);
    }
    // What encoders want of each picture can be much larger than the picture.
    const auto counted = tokenised(mtmd_.get(), prompt, shapes, files);
    if (!counted) {
        return std::unexpected(counted.error());
    }
    if (const auto tokens = tokens_of(counted->get()); tokens >= most_tokens) {
        return fail(
            ErrorCode::context_length,
            fmt::format("This model's maximum context length is {} tokens. However, your messages resulted in {} "
                        "tokens. Please reduce the length of the messages.",
                        most_tokens, tokens));
    }
    const auto chunks = tokenised(mtmd_.get(), prompt, bitmaps, files);
    if (!chunks) {
        return std::unexpected(chunks.error());
    }
    return pieces_of(*chunks, files, digests);
}

base::Result<MediaPrompt> Projector::pieces_of(const std::shared_ptr<const mtmd_input_chunks>& chunks,
                                               std::span<const MediaFile> files,
                                               std::span<const MediaDigest> digests) const {
    MediaPrompt prompt;
    std::vector<std::size_t> parts(files.size());
    for (std::size_t index = 0; index < mtmd_input_chunks_size(chunks.get()); ++index) {
        const auto* chunk = mtmd_input_chunks_get(chunks.get(), index);
        if (mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_TEXT) {
            std::size_t count = 0;
            const auto* tokens = mtmd_input_chunk_get_tokens_text(chunk, &count);
            if (std::ranges::any_of(std::span(tokens, count), [](Token token) { return token < 0; })) {
                return fail(ErrorCode::unsupported,
                            "The model's vocabulary has no tokens for what its projector makes.", "chat.messages");
            }
            prompt.tokens.insert(prompt.tokens.end(), tokens, tokens + count);
            continue;
        }
        const auto place = place_of(chunk);
        const auto count = mtmd_input_chunk_get_n_tokens(chunk);
        auto media = std::make_shared<LlamaMedia>();
        media->chunks = chunks;
        media->chunk = chunk;
        media->digest = digest_of_piece(digests[place], parts[place]++, count);
        if (is_seen_at_once(*media) && count > most_at_once_) {
            return fail(ErrorCode::unsupported,
                        fmt::format("The image becomes {} tokens, and at most {} can be evaluated in one go.", count,
                                    most_at_once_),
                        files[place].param);
        }
        const auto tokens = media_tokens(media->digest, count);
        prompt.pieces.push_back({.begin = prompt.tokens.size(), .tokens = count, .media = std::move(media)});
        prompt.tokens.insert(prompt.tokens.end(), tokens.begin(), tokens.end());
    }
    return prompt;
}

}  // namespace worker::engine::llama
