#include "machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace bench::kernels {

Machine::Machine(int threads) {
    ggml_backend_load_all_from_path(ENGINE_LIBRARIES);
    ggml_backend_dev_t device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    GGML_ASSERT(device != nullptr && "no CPU kernels beside the engine libraries");
    cpu_ = ggml_backend_dev_init(device, nullptr);
    auto* set_threads = reinterpret_cast<ggml_backend_set_n_threads_t>(
        ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(device), "ggml_backend_set_n_threads"));
    set_threads(cpu_, threads);
}

Machine::~Machine() {
    ggml_backend_free(cpu_);
}

Run Machine::run(const Operation& operation) const {
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t caches = std::size_t{96} << 20;
    constexpr std::size_t most_results = std::size_t{256} << 20;
    constexpr auto enough = std::chrono::milliseconds(400);
    const std::size_t count = std::clamp<std::size_t>(most_results / operation.result_bytes, 1, 128);
    const std::size_t sets = std::clamp<std::size_t>(caches / operation.input_bytes + 1, 1, count);

    Run run;
    const std::size_t bytes = sets * operation.input_bytes + count * operation.result_bytes;
    run.context.reset(ggml_init({.mem_size = bytes + (count + sets) * std::size_t{64 << 10} + (std::size_t{8} << 20),
                                 .mem_buffer = nullptr,
                                 .no_alloc = false}));
    std::vector<std::vector<ggml_tensor*>> inputs(sets);
    for (auto& each : inputs) {
        each = operation.inputs(run.context.get());
    }
    ggml_cgraph* graph = ggml_new_graph_custom(run.context.get(), 16 * count + 64, false);
    for (std::size_t i = 0; i < count; ++i) {
        ggml_tensor* result = operation.apply(run.context.get(), inputs[i % sets]);
        ggml_build_forward_expand(graph, result);
        run.result = i == 0 ? result : run.result;
    }
    run.inputs = inputs.front();

    ggml_backend_graph_compute(cpu_, graph);  // touches the memory
    std::vector<double> seconds;
    const auto began = Clock::now();
    while (seconds.size() < 3 || (Clock::now() - began < enough && seconds.size() < 200)) {
        const auto before = Clock::now();
        ggml_backend_graph_compute(cpu_, graph);
        seconds.push_back(std::chrono::duration<double>(Clock::now() - before).count() / static_cast<double>(count));
    }
    std::ranges::nth_element(seconds, seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2));
    run.seconds = seconds[seconds.size() / 2];
    return run;
}

void print(const Line& line) {
    fmt::print(R"({{"kernel": "{}", "shape": "{}", "seconds": {:.9f}, "operations": {:.0f}, "arithmetic": "{}", )"
               R"("bytes": {:.0f}, "error": {:.3g}}})"
               "\n",
               line.kernel, line.shape, line.seconds, line.operations, line.arithmetic, line.bytes, line.error);
    std::fflush(stdout);
}

void Errors::add(double actual, double expected) {
    const double difference = std::abs(actual - expected);
    largest_ = std::isfinite(difference) ? std::max(largest_, difference) : std::numeric_limits<double>::max();
    squares_ += expected * expected;
    ++count_;
}

double Errors::relative() const {
    return largest_ / std::sqrt(squares_ / static_cast<double>(count_));
}

void fill(ggml_tensor* tensor, std::mt19937& random, float scale) {
    // Drawing each number anew would take longer than everything that is measured.
    constexpr std::size_t period = 8191;
    std::normal_distribution<float> normal(0, scale);
    std::vector<float> numbers(period);
    for (float& number : numbers) {
        number = normal(random);
    }
    const auto count = static_cast<std::size_t>(ggml_nelements(tensor));
    for (std::size_t i = 0; i < count; ++i) {
        // Different from period to period, so that no row equals another.
        const float number = numbers[(i + i / period * 37) % period];
        if (tensor->type == GGML_TYPE_F16) {
            static_cast<ggml_fp16_t*>(tensor->data)[i] = ggml_fp32_to_fp16(number);
        } else {
            static_cast<float*>(tensor->data)[i] = number;
        }
    }
}

double number_at(const ggml_tensor* tensor, std::int64_t index) {
    return tensor->type == GGML_TYPE_F16 ? ggml_fp16_to_fp32(static_cast<const ggml_fp16_t*>(tensor->data)[index])
                                         : static_cast<const float*>(tensor->data)[index];
}

}  // namespace bench::kernels
