#include "worker/engine/diffusion/engine_abort.hpp"

#include <ggml.h>

#include <utility>

namespace worker::engine::diffusion {
namespace {

// ggml's callback carries no pointer of ours, so the handler has to be where the callback finds it.
std::function<void(const std::string&)> current;

void on_abort(const char* message) {
    if (current) {
        current(message);
    }
}

}  // namespace

OnEngineAbort::OnEngineAbort(std::function<void(const std::string&)> handler) {
    current = std::move(handler);
    ggml_set_abort_callback(on_abort);
}

OnEngineAbort::~OnEngineAbort() {
    ggml_set_abort_callback(nullptr);
    current = nullptr;
}

}  // namespace worker::engine::diffusion
