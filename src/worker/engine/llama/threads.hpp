#pragma once

/// The threads of the engine's kernels, shared by all contexts of a worker: one context computes at a time.

#include <ggml-cpu.h>
#include <llama.h>

#include <functional>
#include <memory>

namespace worker::engine::llama {

class Threads {
public:
    /// `batch_threads`, for steps with more than one token; 0: as `threads`.
    Threads(unsigned threads, unsigned batch_threads);

    /// Without a pool ggml starts new threads for each step. Must outlive the context, or be detached first.
    void attach(llama_context* context) const;

private:
    using Pool = std::unique_ptr<ggml_threadpool, std::function<void(ggml_threadpool*)>>;

    static Pool pool(unsigned threads, bool paused);

    unsigned count_;
    unsigned batch_count_;
    Pool threads_;
    Pool batch_threads_;
};

}  // namespace worker::engine::llama
