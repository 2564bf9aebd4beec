// What the operations of image and text models cost on the kernels that this processor would get in the product: a line
// of JSON for each shape.
//
//   kernel-cost THREADS [KERNEL...]       kernels: attention, convolutions, products, unfolding

#include <cstdlib>
#include <string_view>

#include "machine.hpp"

int main(int argument_count, char** arguments) {
    using namespace bench::kernels;
    const int threads = argument_count > 1 ? std::atoi(arguments[1]) : 1;
    const auto wanted = [&](std::string_view name) {
        bool found = argument_count <= 2;
        for (int i = 2; i < argument_count; ++i) {
            found = found || name == arguments[i];
        }
        return found;
    };
    const Machine machine(threads);
    if (wanted("attention")) {
        measure_attention(machine);
    }
    if (wanted("convolutions")) {
        measure_convolutions(machine);
    }
    if (wanted("products")) {
        measure_products(machine);
    }
    if (wanted("unfolding")) {
        measure_unfolding(machine);
    }
    return 0;
}
