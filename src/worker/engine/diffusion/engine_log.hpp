#pragma once

/// Receives what stable-diffusion.cpp writes to its log. Everything goes to our own log at level debug; and because the
/// engine's interface does not tell them otherwise, some facts are taken from the lines: the family of the model and what
/// it lacks, where a drawing is, the last problem, and whether an adapter could not be read. Tests with the real engine
/// hold those lines.

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace worker::engine::diffusion {

enum class Phase { encoding, sampling, decoding };

class EngineLog {
public:
    /// Becomes the receiver of the engine's log. One at a time in a process, as the engine has one log.
    EngineLog();
    ~EngineLog();
    EngineLog(const EngineLog&) = delete;
    EngineLog& operator=(const EngineLog&) = delete;

    /// Forgets everything but what the model is: call before each piece of work.
    void begin();

    const std::string& family() const { return family_; }
    Phase phase() const { return phase_; }
    bool lora_failed() const { return lora_failed_; }
    /// How many tensors of an adapter's file the drawing made use of.
    std::uint64_t lora_tensors_used(const std::string& path) const;
    /// The first error, else the last warning; empty when there was none. Read after the work has ended.
    std::string problem() const { return !error_.empty() ? error_ : warning_; }
    /// A tensor of the autoencoder's encoder was missing.
    bool encoder_missing() const { return encoder_missing_; }
    /// The files have nothing that reads prompts. The engine loads such a model and crashes when it is to draw.
    bool text_encoders_missing() const { return text_encoders_missing_; }
    /// The network reads distilled guidance.
    bool guidance_input() const { return guidance_input_; }

    /// Called by the engine, while loading from several threads at once.
    void line(int level, std::string_view text);

private:
    std::mutex mutex_;
    std::string family_;
    std::string error_;
    std::string warning_;
    Phase phase_ = Phase::encoding;
    bool lora_failed_ = false;
    std::map<std::string, std::uint64_t, std::less<>> lora_tensors_used_;
    bool encoder_missing_ = false;
    bool text_encoders_missing_ = false;
    bool guidance_input_ = false;
};

}  // namespace worker::engine::diffusion
