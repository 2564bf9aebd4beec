#pragma once

/// The least that a test of single tensor operations needs: the kernels the product would choose, and one graph run on
/// them.

#include <ggml-backend.h>
#include <ggml.h>

#include <memory>

namespace engine_test {

struct FreeContext {
    void operator()(ggml_context* context) const { ggml_free(context); }
};
using Context = std::unique_ptr<ggml_context, FreeContext>;

inline Context make_context(std::size_t bytes) {
    return Context(ggml_init({.mem_size = bytes, .mem_buffer = nullptr, .no_alloc = false}));
}

enum class Implementation { product, reference };  // what would run, or upstream's plain one where there is one

/// Computes `result` with so many threads, on the best CPU kernels in ENGINE_LIBRARIES, or on those of the named file.
inline void compute(ggml_context* context, ggml_tensor* result, int threads, const char* kernels = nullptr,
                    Implementation implementation = Implementation::product) {
    static const bool loaded = (ggml_backend_load_all_from_path(ENGINE_LIBRARIES), true);
    GGML_ASSERT(loaded);
    ggml_cgraph* graph = ggml_new_graph(context);
    ggml_build_forward_expand(graph, result);
    ggml_backend_dev_t device = kernels != nullptr ? ggml_backend_reg_dev_get(ggml_backend_load(kernels), 0)
                                                   : ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    ggml_backend_t cpu = ggml_backend_dev_init(device, nullptr);
    GGML_ASSERT(cpu != nullptr && "no CPU kernels beside the engine libraries");
    auto* registry = ggml_backend_dev_backend_reg(device);
    auto* set_threads = reinterpret_cast<ggml_backend_set_n_threads_t>(
        ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_n_threads"));
    set_threads(cpu, threads);
    auto* set_reference = reinterpret_cast<void (*)(ggml_backend_t, bool)>(
        ggml_backend_reg_get_proc_address(registry, "ggml_backend_cpu_set_use_ref"));
    set_reference(cpu, implementation == Implementation::reference);
    ggml_backend_graph_compute(cpu, graph);
    ggml_backend_free(cpu);
}

}  // namespace engine_test
