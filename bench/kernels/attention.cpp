// Attention of image and text models.

#include <cmath>
#include <limits>

#include "machine.hpp"

namespace bench::kernels {
namespace {

struct Shape {
    const char* name;
    int size, heads, kv_heads, tokens, cells;
    bool causal;
};

constexpr Shape shapes[] = {
    {"SD 1.5 self, 64x64", 40, 8, 8, 4096, 4096, false},
    {"SD 1.5 self, 32x32", 80, 8, 8, 1024, 1024, false},
    {"SD 1.5 cross, 64x64", 40, 8, 8, 4096, 256, false},
    {"FLUX, 32x32 and text", 128, 24, 24, 1280, 1280, false},
    {"Qwen2.5 1.5B, 1 token of 2048", 128, 12, 2, 1, 2048, true},
    {"Qwen2.5 1.5B, 8 tokens of 2048", 128, 12, 2, 8, 2048, true},
    {"Qwen2.5 1.5B, 512 tokens of 2048", 128, 12, 2, 512, 2048, true},
    {"SmolLM2 135M, 1 token of 512", 64, 9, 3, 1, 512, true},
};

constexpr float hidden = -std::numeric_limits<float>::infinity();

bool sees(const Shape& shape, int token, int cell) {
    return !shape.causal || cell <= shape.cells - shape.tokens + token;
}

std::vector<ggml_tensor*> inputs(const Shape& s, ggml_context* context) {
    std::mt19937 random(1);
    auto* queries = ggml_new_tensor_3d(context, GGML_TYPE_F32, s.size, s.heads, s.tokens);
    auto* keys = ggml_new_tensor_3d(context, GGML_TYPE_F16, s.size, s.kv_heads, s.cells);
    auto* values = ggml_new_tensor_3d(context, GGML_TYPE_F16, s.size, s.kv_heads, s.cells);
    for (auto* tensor : {queries, keys, values}) {
        fill(tensor, random);
    }
    ggml_tensor* mask = nullptr;
    if (s.causal) {
        mask = ggml_new_tensor_2d(context, GGML_TYPE_F16, s.cells, s.tokens);
        for (int token = 0; token < s.tokens; ++token) {
            for (int cell = 0; cell < s.cells; ++cell) {
                static_cast<ggml_fp16_t*>(mask->data)[token * s.cells + cell] =
                    ggml_fp32_to_fp16(sees(s, token, cell) ? 0 : hidden);
            }
        }
    }
    return {queries, keys, values, mask};
}

ggml_tensor* apply(const Shape& s, ggml_context* context, std::span<ggml_tensor* const> in) {
    auto* result = ggml_flash_attn_ext(
        context, ggml_permute(context, in[0], 0, 2, 1, 3), ggml_permute(context, in[1], 0, 2, 1, 3),
        ggml_permute(context, in[2], 0, 2, 1, 3), in[3], 1 / std::sqrt(static_cast<float>(s.size)), 0, 0);
    ggml_prec_set_acc(result, GGML_PREC_F32);
    return result;
}

// Some rows of the result beside plain attention in double precision.
double error(const Shape& s, const Run& run) {
    Errors errors;
    std::mt19937 random(5);
    std::vector<double> scores(static_cast<std::size_t>(s.cells));
    for (int sample = 0; sample < 24; ++sample) {
        const int token = static_cast<int>(random() % static_cast<unsigned>(s.tokens));
        const int head = static_cast<int>(random() % static_cast<unsigned>(s.heads));
        const int kv_head = head / (s.heads / s.kv_heads);
        const auto cell_row = [&](int cell) { return (std::int64_t{cell} * s.kv_heads + kv_head) * s.size; };
        const std::int64_t row = (std::int64_t{token} * s.heads + head) * s.size;
        double largest = -std::numeric_limits<double>::infinity();
        for (int cell = 0; cell < s.cells; ++cell) {
            double score = 0;
            for (int i = 0; i < s.size; ++i) {
                score += number_at(run.inputs[0], row + i) * number_at(run.inputs[1], cell_row(cell) + i);
            }
            score = sees(s, token, cell) ? score / std::sqrt(static_cast<double>(s.size)) : hidden;
            scores[static_cast<std::size_t>(cell)] = score;
            largest = std::max(largest, score);
        }
        double total = 0;
        std::vector<double> expected(static_cast<std::size_t>(s.size));
        for (int cell = 0; cell < s.cells; ++cell) {
            const double weight = std::exp(scores[static_cast<std::size_t>(cell)] - largest);
            total += weight;
            for (int i = 0; weight > 0 && i < s.size; ++i) {
                expected[static_cast<std::size_t>(i)] += weight * number_at(run.inputs[2], cell_row(cell) + i);
            }
        }
        for (int i = 0; i < s.size; ++i) {
            errors.add(number_at(run.result, row + i), expected[static_cast<std::size_t>(i)] / total);
        }
    }
    return errors.relative();
}

}  // namespace

void measure_attention(const Machine& machine) {
    for (const Shape& s : shapes) {
        const double queries = 1.0 * s.size * s.heads * s.tokens;
        const double cells = 2.0 * s.size * s.kv_heads * s.cells;
        const double pairs =
            s.causal ? s.tokens * (s.cells - (s.tokens - 1) / 2.0) : static_cast<double>(s.tokens) * s.cells;
        const Run run = machine.run({
            .inputs = [&](ggml_context* context) { return inputs(s, context); },
            .apply = [&](ggml_context* context, auto in) { return apply(s, context, in); },
            .input_bytes = static_cast<std::size_t>(4 * queries + 2 * cells + 2.0 * s.tokens * s.cells * s.causal),
            .result_bytes = static_cast<std::size_t>(4 * queries),
        });
        print({.kernel = "attention",
               .shape = s.name,
               .seconds = run.seconds,
               .operations = 4 * pairs * s.size * s.heads,
               .bytes = 8 * queries + 2 * cells,
               .error = error(s, run)});
    }
}

}  // namespace bench::kernels
