#include "worker/engine/thread_stacks.hpp"

#include <pthread.h>

namespace worker::engine {

void give_threads_a_large_stack(std::size_t bytes) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

}  // namespace worker::engine
