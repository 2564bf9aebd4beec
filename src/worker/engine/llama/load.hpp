#pragma once

/// Loads a GGUF file into llama.cpp and gives it back as a TextEngine. Nothing of llama.cpp is visible from here.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/kernels.hpp"

namespace worker::engine::llama {

enum class CacheType { f16, q8_0, q4_0 };
enum class FlashAttention { automatic, on, off };
/// How the vectors of an input's tokens become one. `automatic`: as the file says; `none`: no embeddings.
enum class Pooling { automatic, none, mean, cls, last, rank };

/// A LoRA adapter to be loaded with the model.
struct AdapterFile {
    std::string name;
    std::string file;
    /// For the facts only.
    float scale = 1;
    /// Of the file, in hexadecimal: tells what was evaluated with it from what was evaluated with another of its name.
    std::string sha256;
    /// Why it is not to be loaded; empty: it is.
    std::string problem;
};

struct Options {
    std::string model;
    /// Tokens one answer can use, prompt included; 0: what the model was trained for, at most 8192.
    std::size_t context = 0;
    std::size_t slots = 8;
    /// For steps with one token; 0 is not allowed.
    unsigned threads = 1;
    /// For steps with more; 0: as `threads`.
    unsigned batch_threads = 0;
    CacheType cache_type = CacheType::f16;
    FlashAttention flash_attention = FlashAttention::automatic;
    Pooling pooling = Pooling::automatic;
    /// GGUF file of a smaller model that guesses for this one; empty: none.
    std::string draft_model;
    /// What the model sees and hears with; empty: it does not.
    std::string projector;
    /// Of one picture and one sound; of all pictures of a job together four times as many pixels.
    std::size_t most_image_pixels = std::size_t{4096} * 4096;
    std::size_t most_sound_seconds = 600;
    std::vector<AdapterFile> adapters;
};

/// How many tokens of a step can have an output: one for each slot, and some for drafts. Each costs a row of the
/// vocabulary's size.
std::size_t outputs_for(std::size_t slots);

/// Takes seconds. `kernels` are loaded already. The error's message is one line for the operator.
base::Result<std::unique_ptr<TextEngine>> load(const Options& options, const Kernels& kernels,
                                               const std::function<void(double fraction)>& progress);

}  // namespace worker::engine::llama
