// Matrix products in panels (patches/ggml-cpu-panel.patch) against double precision. The columns are such that their
// rounding to 8 bits loses nothing, so what is left is the rounding of float sums.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <ostream>
#include <random>
#include <vector>

#include "ggml_graph.hpp"

namespace {

struct Case {
    ggml_type type = GGML_TYPE_Q4_1;
    int row_size = 96;
    int rows = 48;
    int columns = 5;
    int matrices = 1;  // of the columns
    int weights = 1;   // matrices of weights: a divisor
    int threads = 1;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << ggml_type_name(c.type) << " rows " << c.rows << " x " << c.row_size << " columns " << c.columns
               << " matrices " << c.matrices << '/' << c.weights << " threads " << c.threads;
}

// Whole numbers with a 127 among each 32: the scale of such a block is exactly 1.
void fill_exactly(float* values, std::int64_t count, std::mt19937& random) {
    for (std::int64_t i = 0; i < count; ++i) {
        values[i] = i % 32 == 7 ? 127 : static_cast<float>(static_cast<int>(random() % 61) - 30);
    }
}

// The error's root mean square, relative to the result's.
double error(const Case& c, const char* kernels) {
    const auto context = engine_test::make_context(std::size_t{64} << 20);
    std::mt19937 random(3);
    std::normal_distribution<float> normal(0.01F, 0.05F);
    auto* weights = ggml_new_tensor_3d(context.get(), c.type, c.row_size, c.rows, c.weights);
    auto* columns = ggml_new_tensor_3d(context.get(), GGML_TYPE_F32, c.row_size, c.columns, c.matrices);
    std::vector<float> numbers(static_cast<std::size_t>(ggml_nelements(weights)));
    for (float& number : numbers) {
        number = normal(random);
    }
    ggml_quantize_chunk(c.type, numbers.data(), weights->data, 0, static_cast<std::int64_t>(c.rows) * c.weights,
                        c.row_size, nullptr);
    ggml_get_type_traits(c.type)->to_float(weights->data, numbers.data(), ggml_nelements(weights));
    auto* values = static_cast<float*>(columns->data);
    fill_exactly(values, ggml_nelements(columns), random);
    auto* product = ggml_mul_mat(context.get(), weights, columns);
    engine_test::compute(context.get(), product, c.threads, kernels);

    const auto* actual = static_cast<const float*>(product->data);
    double wrong = 0;
    double whole = 0;
    for (int matrix = 0; matrix < c.matrices; ++matrix) {
        const float* matrix_weights = numbers.data() + static_cast<std::size_t>(matrix / (c.matrices / c.weights)) *
                                                           static_cast<std::size_t>(c.rows * c.row_size);
        for (int column = 0; column < c.columns; ++column) {
            const float* x = values + static_cast<std::ptrdiff_t>(matrix * c.columns + column) * c.row_size;
            for (int row = 0; row < c.rows; ++row) {
                double expected = 0;
                for (int i = 0; i < c.row_size; ++i) {
                    expected += static_cast<double>(matrix_weights[row * c.row_size + i]) * x[i];
                }
                wrong += std::pow(*actual++ - expected, 2);
                whole += expected * expected;
            }
        }
    }
    return std::sqrt(wrong / whole);
}

constexpr double float_noise = 2e-6;

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const ggml_type type : {GGML_TYPE_Q4_1, GGML_TYPE_Q5_0, GGML_TYPE_Q5_1, GGML_TYPE_Q8_0}) {
        for (const int columns : {1, 2, 3, 4, 5, 6, 7, 13, 70}) {
            all.push_back({.type = type, .rows = 48, .columns = columns});
        }
        for (const int rows : {8, 15, 16, 17, 31, 100}) {
            all.push_back({.type = type, .rows = rows, .threads = 2});
        }
        all.push_back({.type = type, .row_size = 32, .rows = 33, .columns = 3});
        all.push_back({.type = type, .row_size = 1536, .rows = 576, .columns = 9, .threads = 3});
        all.push_back({.type = type, .rows = 40, .columns = 6, .matrices = 6, .weights = 2, .threads = 2});
    }
    return all;
}

TEST(Panel, ProductsAreThoseOfDoublePrecision) {
    for (const Case& c : cases()) {
        EXPECT_LE(error(c, nullptr), float_noise) << c;
    }
}

// The kernels without AVX-512 must be right on processors that have it too: nobody else would notice here.
TEST(Panel, ProductsOfTheAvx2KernelsToo) {
    const char* kernels = ENGINE_LIBRARIES "/libggml-cpu-haswell.so";
    if (!std::filesystem::exists(kernels)) {
        return;  // not an x86 build
    }
    for (const Case& c : cases()) {
        EXPECT_LE(error(c, kernels), float_noise) << c;
    }
}

}  // namespace
