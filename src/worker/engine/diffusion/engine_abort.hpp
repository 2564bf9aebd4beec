#pragma once

/// ggml ends the process when an assertion of its own fails, which some broken model files achieve. This is the last
/// moment to say what happened.

#include <functional>
#include <string>

namespace worker::engine::diffusion {

/// While it lives, `handler` is called with ggml's message before the process aborts; it may end the process itself.
/// One at a time.
class OnEngineAbort {
public:
    explicit OnEngineAbort(std::function<void(const std::string& message)> handler);
    ~OnEngineAbort();
    OnEngineAbort(const OnEngineAbort&) = delete;
    OnEngineAbort& operator=(const OnEngineAbort&) = delete;
};

}  // namespace worker::engine::diffusion
