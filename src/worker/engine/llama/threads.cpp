#include "worker/engine/llama/threads.hpp"

#include <ggml-backend.h>

namespace worker::engine::llama {
namespace {

// The part of the ggml CPU module that creates threads is found by name: the module is loaded at run time.
template <typename Function>
Function* cpu_function(const char* name) {
    auto* device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    auto* registry = ggml_backend_dev_backend_reg(device);
    return reinterpret_cast<Function*>(ggml_backend_reg_get_proc_address(registry, name));
}

}  // namespace

Threads::Threads(unsigned threads, unsigned batch_threads)
    : count_(threads), batch_count_(batch_threads == 0 ? threads : batch_threads) {
    if (batch_count_ != count_) {
        batch_threads_ = pool(batch_count_, false);
    }
    threads_ = pool(count_, batch_threads_ != nullptr);
}

void Threads::attach(llama_context* context) const {
    llama_set_n_threads(context, static_cast<std::int32_t>(count_), static_cast<std::int32_t>(batch_count_));
    llama_attach_threadpool(context, threads_.get(), batch_threads_.get());
}

Threads::Pool Threads::pool(unsigned threads, bool paused) {
    auto params = ggml_threadpool_params_default(static_cast<int>(threads));
    params.paused = paused;
    // Threads sleep between steps. The default lets them spin: all cores but one were busy for 0.4 s after the last step
    // of every job, and those that choose tokens and carry answers had to share theirs.
    params.poll = 0;
    return {cpu_function<decltype(ggml_threadpool_new)>("ggml_threadpool_new")(&params),
            cpu_function<decltype(ggml_threadpool_free)>("ggml_threadpool_free")};
}

}  // namespace worker::engine::llama
