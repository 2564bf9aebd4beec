#include "worker/engine/thread_stacks.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <thread>

namespace worker::engine {
namespace {

std::size_t stack_of_a_new_thread() {
    std::size_t bytes = 0;
    std::jthread([&bytes] {
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstacksize(&attributes, &bytes);
        pthread_attr_destroy(&attributes);
    }).join();
    return bytes;
}

TEST(ThreadStacks, NewThreadsHaveTheStackThatWasAskedFor) {
    const auto usual = stack_of_a_new_thread();
    give_threads_a_large_stack(std::size_t{64} << 20);
    EXPECT_GE(stack_of_a_new_thread(), std::size_t{64} << 20);
    give_threads_a_large_stack(usual);
}

}  // namespace
}  // namespace worker::engine
