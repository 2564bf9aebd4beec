// Flash attention on the CPU (patches/ggml-cpu-attention.patch) against plain attention in double precision, over the
// shapes, masks and options that models use.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>
#include <random>
#include <vector>

#include "ggml_graph.hpp"

namespace {

enum class Mask { none, causal, blocks, interleaved, random_bias };

struct Case {
    int key_size = 64;
    int value_size = 64;
    int heads = 14;
    int kv_heads = 2;
    int tokens = 1;
    int streams = 1;
    int cells = 300;
    Mask mask = Mask::causal;
    float alibi = 0;
    float softcap = 0;
    bool sinks = false;
    int threads = 1;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << "sizes " << c.key_size << '/' << c.value_size << " heads " << c.heads << '/' << c.kv_heads
               << " tokens " << c.tokens << " streams " << c.streams << " cells " << c.cells << " mask "
               << static_cast<int>(c.mask) << " alibi " << c.alibi << " softcap " << c.softcap << " sinks " << c.sinks
               << " threads " << c.threads;
}

float mask_value(const Case& c, int token, int cell, std::mt19937& random) {
    constexpr float hidden = -std::numeric_limits<float>::infinity();
    switch (c.mask) {
        case Mask::none: return 0;
        case Mask::causal: return cell <= c.cells - c.tokens + token ? 0 : hidden;
        case Mask::blocks: return cell / ((c.cells + c.tokens - 1) / c.tokens) == token ? 0 : hidden;
        case Mask::interleaved: return cell % c.tokens == token ? 0 : hidden;
        case Mask::random_bias: return random() % 3 == 0 ? hidden : -static_cast<float>((c.cells - cell) % 100) / 10;
    }
    return 0;
}

// The inputs of one case in the layout llama.cpp uses, and the operation's result.
class Attention {
public:
    explicit Attention(const Case& c) : c_(c), context_(engine_test::make_context(std::size_t{256} << 20)) {
        std::mt19937 random(1);
        std::normal_distribution<float> normal;
        auto* context = context_.get();
        queries_ = ggml_new_tensor_4d(context, GGML_TYPE_F32, c.key_size, c.heads, c.tokens, c.streams);
        keys_ = ggml_new_tensor_4d(context, GGML_TYPE_F16, c.key_size, c.kv_heads, c.cells, c.streams);
        values_ = ggml_new_tensor_4d(context, GGML_TYPE_F16, c.value_size, c.kv_heads, c.cells, c.streams);
        for (std::int64_t i = 0; i < ggml_nelements(queries_); ++i) {
            floats(queries_)[i] = 3 * normal(random);
        }
        for (auto* tensor : {keys_, values_}) {
            for (std::int64_t i = 0; i < ggml_nelements(tensor); ++i) {
                halves(tensor)[i] = ggml_fp32_to_fp16(normal(random));
            }
        }
        if (c.mask != Mask::none) {
            mask_ = ggml_new_tensor_4d(context, GGML_TYPE_F16, c.cells, c.tokens, 1, c.streams);
            for (std::int64_t i = 0; i < ggml_nelements(mask_); ++i) {
                const auto row = static_cast<int>(i / c.cells);
                halves(mask_)[i] =
                    ggml_fp32_to_fp16(mask_value(c, row % c.tokens, static_cast<int>(i % c.cells), random));
            }
        }
        if (c.sinks) {
            sinks_ = ggml_new_tensor_1d(context, GGML_TYPE_F32, c.heads);
            for (int i = 0; i < c.heads; ++i) {
                floats(sinks_)[i] = 4 * normal(random);
            }
        }
        result_ = ggml_flash_attn_ext(context, ggml_permute(context, queries_, 0, 2, 1, 3),
                                      ggml_permute(context, keys_, 0, 2, 1, 3),
                                      ggml_permute(context, values_, 0, 2, 1, 3), mask_, scale(), c.alibi, c.softcap);
        if (sinks_ != nullptr) {
            ggml_flash_attn_ext_add_sinks(result_, sinks_);
        }
        engine_test::compute(context, result_, c.threads);
    }

    /// Root of the mean squared error relative to the root mean square of the true result; infinite when a number is
    /// not finite.
    double error() const {
        double squared_error = 0;
        double squares = 0;
        for (int stream = 0; stream < c_.streams; ++stream) {
            for (int token = 0; token < c_.tokens; ++token) {
                for (int head = 0; head < c_.heads; ++head) {
                    const auto expected = reference(stream, token, head);
                    const auto* actual = floats(result_) + row(stream, token, head, c_.value_size);
                    for (int i = 0; i < c_.value_size; ++i) {
                        squared_error += std::isfinite(actual[i]) ? std::pow(actual[i] - expected[i], 2)
                                                                  : std::numeric_limits<double>::infinity();
                        squares += expected[i] * expected[i];
                    }
                }
            }
        }
        return std::sqrt(squared_error / squares);
    }

private:
    static float* floats(ggml_tensor* tensor) { return static_cast<float*>(tensor->data); }
    static ggml_fp16_t* halves(ggml_tensor* tensor) { return static_cast<ggml_fp16_t*>(tensor->data); }

    float scale() const { return 1 / std::sqrt(static_cast<float>(c_.key_size)); }

    std::size_t row(int stream, int token, int head, int width) const {
        return ((static_cast<std::size_t>(stream) * c_.tokens + token) * c_.heads + head) * width;
    }

    std::size_t cell_row(int stream, int cell, int kv_head, int width) const {
        return ((static_cast<std::size_t>(stream) * c_.cells + cell) * c_.kv_heads + kv_head) * width;
    }

    // ALiBi: the slope of each head, for a number of heads that need not be a power of two.
    double slope(int head) const {
        if (c_.alibi <= 0) {
            return 1;
        }
        const int power = 1 << static_cast<int>(std::floor(std::log2(c_.heads)));
        return head < power ? std::pow(2.0, -c_.alibi / double(power) * (head + 1))
                            : std::pow(2.0, -c_.alibi / 2 / double(power) * (2 * (head - power) + 1));
    }

    double score(int stream, int token, int head, int cell) const {
        double bias = 0;
        if (mask_ != nullptr) {
            bias = ggml_fp16_to_fp32(
                halves(mask_)[(static_cast<std::size_t>(stream) * c_.tokens + token) * c_.cells + cell]);
            if (std::isinf(bias)) {
                return bias;
            }
        }
        const auto* query = floats(queries_) + row(stream, token, head, c_.key_size);
        const auto* key = halves(keys_) + cell_row(stream, cell, head / (c_.heads / c_.kv_heads), c_.key_size);
        double product = 0;
        for (int i = 0; i < c_.key_size; ++i) {
            product += static_cast<double>(query[i]) * ggml_fp16_to_fp32(key[i]);
        }
        product *= scale();
        if (c_.softcap != 0) {
            product = c_.softcap * std::tanh(product / c_.softcap);
        }
        return product + slope(head) * bias;
    }

    std::vector<double> reference(int stream, int token, int head) const {
        std::vector<double> scores(c_.cells);
        double largest = sinks_ != nullptr ? floats(sinks_)[head] : -std::numeric_limits<double>::infinity();
        for (int cell = 0; cell < c_.cells; ++cell) {
            scores[cell] = score(stream, token, head, cell);
            largest = std::max(largest, scores[cell]);
        }
        double total = sinks_ != nullptr ? std::exp(floats(sinks_)[head] - largest) : 0;
        std::vector<double> sum(c_.value_size, 0.0);
        for (int cell = 0; cell < c_.cells; ++cell) {
            if (std::isinf(scores[cell])) {
                continue;
            }
            const double weight = std::exp(scores[cell] - largest);
            total += weight;
            const auto* value =
                halves(values_) + cell_row(stream, cell, head / (c_.heads / c_.kv_heads), c_.value_size);
            for (int i = 0; i < c_.value_size; ++i) {
                sum[i] += weight * ggml_fp16_to_fp32(value[i]);
            }
        }
        for (auto& each : sum) {
            each = total > 0 ? each / total : 0;
        }
        return sum;
    }

    Case c_;
    engine_test::Context context_;
    ggml_tensor* queries_ = nullptr;
    ggml_tensor* keys_ = nullptr;
    ggml_tensor* values_ = nullptr;
    ggml_tensor* mask_ = nullptr;
    ggml_tensor* sinks_ = nullptr;
    ggml_tensor* result_ = nullptr;
};

// What bfloat16 tiles (AMX) and upstream's half-precision sums reach; a wrong kernel is off by far more.
constexpr double half_precision = 4e-3;

TEST(Attention, EqualsTheReferenceForTheShapesOfModels) {
    for (const auto [key_size, value_size] :
         {std::pair{40, 40}, {64, 64}, {80, 80}, {128, 128}, {192, 128}, {576, 512}}) {
        for (const auto [heads, kv_heads] : {std::pair{14, 2}, {9, 3}, {4, 4}, {8, 1}}) {
            for (const int tokens : {1, 3, 8, 40}) {
                const Case c{.key_size = key_size,
                             .value_size = value_size,
                             .heads = heads,
                             .kv_heads = kv_heads,
                             .tokens = tokens,
                             .threads = 1 + tokens % 2};
                EXPECT_LT(Attention(c).error(), half_precision) << c;
            }
        }
    }
}

TEST(Attention, EqualsTheReferenceForEveryMaskAndOption) {
    for (const auto mask : {Mask::none, Mask::causal, Mask::blocks, Mask::interleaved, Mask::random_bias}) {
        for (const int streams : {1, 2}) {
            for (const int cells : {256, 300, 1024}) {
                for (const bool sinks : {false, true}) {
                    const Case c{
                        .tokens = 8, .streams = streams, .cells = cells, .mask = mask, .sinks = sinks, .threads = 2};
                    EXPECT_LT(Attention(c).error(), half_precision) << c;
                }
            }
        }
        const Case capped{.tokens = 3, .mask = mask, .softcap = 20};
        EXPECT_LT(Attention(capped).error(), half_precision) << capped;
    }
    const Case sloped{.tokens = 8, .mask = Mask::random_bias, .alibi = 8};
    EXPECT_LT(Attention(sloped).error(), half_precision) << sloped;
}

// One new token takes no AMX tiles, and only the patched kernel sums in single precision: so this tells that it is the
// one that runs.
TEST(Attention, SumsInSinglePrecisionWhenItDecodes) {
    for (const int cells : {256, 1000}) {
        const Case c{.tokens = 1, .cells = cells, .threads = 2};
        EXPECT_LT(Attention(c).error(), 1e-4) << c;
    }
}

TEST(Attention, GivesTheSameBitsForEveryRun) {
    const Case c{.tokens = 8, .cells = 1024, .threads = 2};
    const double first = Attention(c).error();
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(Attention(c).error(), first);
    }
}

}  // namespace
