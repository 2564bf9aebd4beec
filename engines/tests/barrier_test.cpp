// Threads that meet at ggml's barrier while others want the cores (patches/ggml-cpu-barrier.patch).

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "ggml_graph.hpp"

namespace {

// A graph of many small steps, as a token or an image step is: after each the threads meet.
double seconds_for_many_small_steps() {
    const auto context = engine_test::make_context(std::size_t{16} << 20);
    constexpr int size = 64;
    auto* identity = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, size, size);
    auto* value = ggml_new_tensor_1d(context.get(), GGML_TYPE_F32, size);
    for (int i = 0; i < size * size; ++i) {
        static_cast<float*>(identity->data)[i] = i % (size + 1) == 0 ? 1 : 0;
        static_cast<float*>(value->data)[i % size] = 1;
    }
    for (int i = 0; i < 500; ++i) {
        value = ggml_mul_mat(context.get(), identity, value);
    }
    const auto began = std::chrono::steady_clock::now();
    engine_test::compute(context.get(), value, 2);
    EXPECT_EQ(static_cast<const float*>(value->data)[size - 1], 1.0F);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// On one core, two threads that spin for each other get on only when the kernel takes the core from one of them, once
// in a time slice of milliseconds for each of the 500 steps.
TEST(Barrier, AThreadThatWaitsForOneThatIsNotRunningGivesUpTheCore) {
    seconds_for_many_small_steps();  // loads the kernels
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &before)) {
            CPU_SET(core, &one);
            break;
        }
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    timespec cpu_before{};
    timespec cpu_after{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_before);
    seconds_for_many_small_steps();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_after);
    sched_setaffinity(0, sizeof before, &before);
    const double cpu = static_cast<double>(cpu_after.tv_sec - cpu_before.tv_sec) +
                       static_cast<double>(cpu_after.tv_nsec - cpu_before.tv_nsec) * 1e-9;
    // Processor time, so that a busy machine does not matter: a few hundredths with the patch, seconds of spinning
    // without.
    EXPECT_LT(cpu, 0.5);
}

}  // namespace
