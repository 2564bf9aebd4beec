#pragma once

/// Stacks of threads that give text to the engines. Both split it with std::regex where they have no scanner of their
/// own, which takes a stack frame for each character of a match: a long run of letters needs more than the usual 8 MB,
/// and smaller limits are common in containers.

#include <cstddef>

namespace worker::engine {

/// For threads created from now on, by any library. Costs address space; memory only as far as a stack is used.
void give_threads_a_large_stack(std::size_t bytes);

}  // namespace worker::engine
