// Products of weights with columns: quantised weights, and weights of 16 bits, which convolutions have too.

#include "machine.hpp"

namespace bench::kernels {
namespace {

struct Shape {
    const char* kernel;
    const char* name;
    ggml_type left;   // its rows become rows of the result
    ggml_type right;  // its rows become columns of the result
    int row_size, rows, columns;
};

constexpr auto F16 = GGML_TYPE_F16;
constexpr auto F32 = GGML_TYPE_F32;

constexpr Shape shapes[] = {
    {"panel", "Qwen2.5 1.5B up Q4_K, 1 column", GGML_TYPE_Q4_K, F32, 1536, 8960, 1},
    {"panel", "Qwen2.5 1.5B up Q4_K, 8", GGML_TYPE_Q4_K, F32, 1536, 8960, 8},
    {"panel", "Qwen2.5 1.5B up Q4_K, 512", GGML_TYPE_Q4_K, F32, 1536, 8960, 512},
    {"panel", "Qwen2.5 1.5B down Q6_K, 1", GGML_TYPE_Q6_K, F32, 8960, 1536, 1},
    {"panel", "Qwen2.5 1.5B down Q6_K, 512", GGML_TYPE_Q6_K, F32, 8960, 1536, 512},
    {"panel", "SmolLM2 up Q4_1, 1", GGML_TYPE_Q4_1, F32, 576, 1536, 1},
    {"panel", "SmolLM2 up Q4_1, 8", GGML_TYPE_Q4_1, F32, 576, 1536, 8},
    {"panel", "SmolLM2 up Q4_1, 512", GGML_TYPE_Q4_1, F32, 576, 1536, 512},
    {"panel", "T5-XXL Q8_0, 256", GGML_TYPE_Q8_0, F32, 4096, 10240, 256},
    {"panel", "FLUX Q4_0, 1280", GGML_TYPE_Q4_0, F32, 3072, 12288, 1280},
    // Convolutions: the unfolded picture times the weights.
    {"float", "SD 1.5 conv 320, 64x64", F16, F16, 2880, 4096, 320},
    {"float", "SD 1.5 conv 640, 32x32", F16, F16, 5760, 1024, 640},
    {"float", "SD 1.5 conv 1280, 16x16", F16, F16, 11520, 256, 1280},
    {"float", "SD 1.5 conv 1280, 8x8", F16, F16, 11520, 64, 1280},
    {"float", "autoencoder conv 512, 64x64", F16, F16, 4608, 4096, 512},
    {"float", "autoencoder conv 128, 256x256", F16, F16, 1152, 65536, 128},
    {"float", "SD 1.5 linear 320 to 2560, 64x64", F16, F32, 320, 2560, 4096},
    {"float", "SD 1.5 linear 1280 to 10240, 16x16", F16, F32, 1280, 10240, 256},
    {"float", "CLIP-L linear 768 to 3072", F16, F32, 768, 3072, 77},
    {"float", "DiT linear 1536 to 6144", F16, F32, 1536, 6144, 1280},
};

std::vector<ggml_tensor*> inputs(const Shape& s, ggml_context* context) {
    std::mt19937 random(2);
    auto* left = ggml_new_tensor_2d(context, s.left, s.row_size, s.rows);
    auto* right = ggml_new_tensor_2d(context, s.right, s.row_size, s.columns);
    fill(right, random);
    if (!ggml_is_quantized(s.left)) {
        fill(left, random, 0.05F);
        return {left, right};
    }
    const auto exact = Context(ggml_init({.mem_size = ggml_row_size(F32, ggml_nelements(left)) + (std::size_t{1} << 20),
                                          .mem_buffer = nullptr,
                                          .no_alloc = false}));
    auto* numbers = ggml_new_tensor_2d(exact.get(), F32, s.row_size, s.rows);
    fill(numbers, random, 0.05F);
    ggml_quantize_chunk(s.left, static_cast<const float*>(numbers->data), left->data, 0, s.rows, s.row_size, nullptr);
    return {left, right};
}

// Some numbers of the result beside sums in double precision. The rounding of columns to 8 bits, which products of
// quantised weights have in every implementation, is part of the error.
double error(const Shape& s, const Run& run) {
    Errors errors;
    std::mt19937 random(6);
    const std::size_t row_bytes = ggml_row_size(s.left, s.row_size);
    std::vector<float> unpacked(static_cast<std::size_t>(s.row_size));
    for (int sample = 0; sample < 400; ++sample) {
        const std::int64_t row = random() % static_cast<unsigned>(s.rows);
        const std::int64_t column = random() % static_cast<unsigned>(s.columns);
        const auto* packed =
            static_cast<const std::byte*>(run.inputs[0]->data) + static_cast<std::size_t>(row) * row_bytes;
        ggml_get_type_traits(s.left)->to_float(packed, unpacked.data(), s.row_size);
        double expected = 0;
        for (int i = 0; i < s.row_size; ++i) {
            expected += unpacked[static_cast<std::size_t>(i)] * number_at(run.inputs[1], column * s.row_size + i);
        }
        errors.add(number_at(run.result, column * s.rows + row), expected);
    }
    return errors.relative();
}

}  // namespace

void measure_products(const Machine& machine) {
    for (const Shape& s : shapes) {
        const std::size_t left = ggml_row_size(s.left, s.row_size) * static_cast<std::size_t>(s.rows);
        const std::size_t right = ggml_row_size(s.right, s.row_size) * static_cast<std::size_t>(s.columns);
        const std::size_t result =
            sizeof(float) * static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.columns);
        const Run run = machine.run({
            .inputs = [&](ggml_context* context) { return inputs(s, context); },
            .apply = [](ggml_context* context, auto in) { return ggml_mul_mat(context, in[0], in[1]); },
            .input_bytes = left + right,
            .result_bytes = result,
        });
        print({.kernel = s.kernel,
               .shape = s.name,
               .seconds = run.seconds,
               .operations = 2.0 * s.row_size * s.rows * s.columns,
               .arithmetic = ggml_is_quantized(s.left) ? "int8" : "float",
               .bytes = static_cast<double>(left + right + result),
               .error = error(s, run)});
    }
}

}  // namespace bench::kernels
