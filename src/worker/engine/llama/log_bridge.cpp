#include "worker/engine/llama/log_bridge.hpp"

#include <llama.h>
#include <log.h>
#include <mtmd-helper.h>

#include <mutex>
#include <utility>

#include "base/log.hpp"

namespace worker::engine::llama {
namespace {

// llama.cpp's loader and the thread that asks meet here.
std::mutex mutex;
std::string first_error;

void on_line(ggml_log_level level, const char* text, void* /*unused*/) {
    std::string line(text);
    while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) {
        line.pop_back();
    }
    if (line.empty() || line.find_first_not_of('.') == std::string::npos) {
        return;
    }
    base::log::debug(line);
    if (level == GGML_LOG_LEVEL_ERROR) {
        const std::lock_guard lock(mutex);
        if (first_error.empty()) {
            first_error = std::move(line);
        }
    }
}

// At this level mtmd tells what people say.
void on_media_line(ggml_log_level level, const char* text, void* unused) {
    if (level != GGML_LOG_LEVEL_DEBUG) {
        on_line(level, text, unused);
    }
}

}  // namespace

void bridge_log() {
    llama_log_set(on_line, nullptr);
    mtmd_helper_log_set(on_media_line, nullptr);
    common_log_set_verbosity_thold(LOG_LEVEL_ERROR);
}

std::string take_first_error() {
    const std::lock_guard lock(mutex);
    return std::exchange(first_error, {});
}

}  // namespace worker::engine::llama
