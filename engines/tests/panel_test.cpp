// Matrix products in panels (patches/ggml-cpu-panel.patch) against double precision and against upstream's products.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "ggml_graph.hpp"

namespace {

using engine_test::Implementation;

struct Case {
    ggml_type type = GGML_TYPE_Q4_1;
    int row_size = 256;
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

constexpr ggml_type all_types[] = {
    GGML_TYPE_Q4_0, GGML_TYPE_Q4_1, GGML_TYPE_Q5_0, GGML_TYPE_Q5_1, GGML_TYPE_Q8_0, GGML_TYPE_IQ4_NL,
    GGML_TYPE_Q2_K, GGML_TYPE_Q3_K, GGML_TYPE_Q4_K, GGML_TYPE_Q5_K, GGML_TYPE_Q6_K,
};

// The kernels without AVX-512 must be right on processors that have it too: nobody else would notice here.
std::vector<std::string> all_kernels() {
    std::vector<std::string> found = {""};  // what the product chooses
    const auto add = [&](const char* name) {
        const std::string path = std::string(ENGINE_LIBRARIES "/libggml-cpu-") + name + ".so";
        if (std::filesystem::exists(path)) {
            found.push_back(path);
        }
    };
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") != 0) {
        add("haswell");
    }
    if (__builtin_cpu_supports("avxvnni") != 0) {
        add("alderlake");
    }
#endif
    return found;
}

const char* path_of(const std::string& kernels) {
    return kernels.empty() ? nullptr : kernels.c_str();
}

// Columns whose rounding to 8 bits loses nothing: whole numbers with a 127 among each 32, so that every scale is 1.
void fill_exactly(float* values, std::int64_t count, std::mt19937& random) {
    for (std::int64_t i = 0; i < count; ++i) {
        values[i] = i % 32 == 7 ? 127 : static_cast<float>(static_cast<int>(random() % 61) - 30);
    }
}

void fill_normally(float* values, std::int64_t count, std::mt19937& random) {
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < count; ++i) {
        values[i] = normal(random);
    }
}

// One product: what was multiplied, and what came out.
struct Product {
    std::vector<float> weights;
    std::vector<float> columns;
    std::vector<float> result;
};

Product compute(const Case& c, void (*fill)(float*, std::int64_t, std::mt19937&), const std::string& kernels,
                Implementation implementation = Implementation::product) {
    const auto context = engine_test::make_context(std::size_t{64} << 20);
    std::mt19937 random(3);
    std::normal_distribution<float> normal(0.01F, 0.05F);
    auto* weights = ggml_new_tensor_3d(context.get(), c.type, c.row_size, c.rows, c.weights);
    auto* columns = ggml_new_tensor_3d(context.get(), GGML_TYPE_F32, c.row_size, c.columns, c.matrices);
    Product p;
    p.weights.resize(static_cast<std::size_t>(ggml_nelements(weights)));
    for (float& number : p.weights) {
        number = normal(random);
    }
    ggml_quantize_chunk(c.type, p.weights.data(), weights->data, 0, static_cast<std::int64_t>(c.rows) * c.weights,
                        c.row_size, nullptr);
    ggml_get_type_traits(c.type)->to_float(weights->data, p.weights.data(), ggml_nelements(weights));
    auto* values = static_cast<float*>(columns->data);
    fill(values, ggml_nelements(columns), random);
    p.columns.assign(values, values + ggml_nelements(columns));
    auto* product = ggml_mul_mat(context.get(), weights, columns);
    engine_test::compute(context.get(), product, c.threads, path_of(kernels), implementation);
    const auto* result = static_cast<const float*>(product->data);
    p.result.assign(result, result + ggml_nelements(product));
    return p;
}

// The error's root mean square, relative to the result's.
double error(const Case& c, const Product& product) {
    const float* actual = product.result.data();
    double wrong = 0;
    double whole = 0;
    for (int matrix = 0; matrix < c.matrices; ++matrix) {
        const float* weights = product.weights.data() +
                               static_cast<std::ptrdiff_t>(matrix / (c.matrices / c.weights)) * c.rows * c.row_size;
        for (int column = 0; column < c.columns; ++column) {
            const float* x =
                product.columns.data() + static_cast<std::ptrdiff_t>(matrix * c.columns + column) * c.row_size;
            for (int row = 0; row < c.rows; ++row) {
                double expected = 0;
                for (int i = 0; i < c.row_size; ++i) {
                    expected += static_cast<double>(weights[row * c.row_size + i]) * x[i];
                }
                wrong += std::pow(*actual++ - expected, 2);
                whole += expected * expected;
            }
        }
    }
    return std::sqrt(wrong / whole);
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const ggml_type type : all_types) {
        for (const int columns : {1, 2, 3, 4, 5, 6, 9, 13, 70, 300}) {
            all.push_back({.type = type, .rows = 48, .columns = columns});
        }
        for (const int rows : {8, 15, 16, 17, 31, 100}) {
            all.push_back({.type = type, .rows = rows, .columns = 1, .threads = 2});
            all.push_back({.type = type, .rows = rows, .threads = 2});
        }
        if (ggml_blck_size(type) == 32) {
            all.push_back({.type = type, .row_size = 32, .rows = 33, .columns = 3});
            all.push_back({.type = type, .row_size = 672, .rows = 33, .columns = 8});
        }
        all.push_back({.type = type, .row_size = 1536, .rows = 576, .columns = 9, .threads = 3});
        all.push_back({.type = type, .row_size = 1280, .rows = 100, .columns = 66});
        all.push_back({.type = type, .rows = 40, .columns = 2, .matrices = 6, .weights = 2, .threads = 2});
        all.push_back({.type = type, .rows = 40, .columns = 6, .matrices = 6, .weights = 2, .threads = 2});
    }
    return all;
}

TEST(Panel, ProductsAreThoseOfDoublePrecision) {
    constexpr double float_noise = 2e-6;
    for (const std::string& kernels : all_kernels()) {
        for (const Case& c : cases()) {
            EXPECT_LE(error(c, compute(c, fill_exactly, kernels)), float_noise) << c << ' ' << kernels;
        }
    }
}

TEST(Panel, RoundingOfColumnsLosesNoMoreThanUpstreams) {
    for (const std::string& kernels : all_kernels()) {
        for (const ggml_type type : all_types) {
            const Case c = {.type = type, .row_size = 1536, .rows = 128, .columns = 16};
            const double ours = error(c, compute(c, fill_normally, kernels));
            const double upstreams = error(c, compute(c, fill_normally, kernels, Implementation::reference));
            EXPECT_LE(ours, 1.001 * upstreams) << c << ' ' << kernels;
        }
    }
}

// What is computed for one sequence must not depend on how many others are in the batch.
TEST(Panel, ColumnsHaveTheSameBitsBesideAnyOthers) {
    for (const std::string& kernels : all_kernels()) {
        for (const ggml_type type : all_types) {
            if (!kernels.empty() && (type == GGML_TYPE_Q8_0 || type == GGML_TYPE_IQ4_NL) &&
                kernels.find("haswell") != std::string::npos) {
                continue;  // upstream's, where bits may differ
            }
            const Case whole = {.type = type, .row_size = 1280, .rows = 70, .columns = 300, .threads = 2};
            const std::vector<float> all = compute(whole, fill_normally, kernels).result;
            for (const int columns : {1, 2, 3, 4, 5, 7, 64, 65, 241}) {
                Case some = whole;
                some.columns = columns;
                const std::vector<float> result = compute(some, fill_normally, kernels).result;
                EXPECT_EQ(std::memcmp(result.data(), all.data(), result.size() * sizeof(float)), 0)
                    << some << ' ' << kernels;
            }
        }
    }
}

}  // namespace
