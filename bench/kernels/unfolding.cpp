// Unfolding pictures for convolutions: numbers move and are rounded to 16 bits, so the error is that of rounding or the
// kernel is wrong.

#include "machine.hpp"

namespace bench::kernels {
namespace {

struct Shape {
    const char* name;
    int channels, side;
};

constexpr Shape shapes[] = {
    {"SD 1.5 conv 320, 64x64", 320, 64},         {"SD 1.5 conv 640, 32x32", 640, 32},
    {"SD 1.5 conv 1280, 16x16", 1280, 16},       {"autoencoder conv 512, 64x64", 512, 64},
    {"autoencoder conv 128, 256x256", 128, 256},
};

double error(const Shape& s, const Run& run) {
    Errors errors;
    std::mt19937 random(7);
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    for (int sample = 0; sample < 4000; ++sample) {
        const int x = below(s.side), y = below(s.side), channel = below(s.channels), kx = below(3), ky = below(3);
        const int from_x = x + kx - 1, from_y = y + ky - 1;
        const bool inside = from_x >= 0 && from_x < s.side && from_y >= 0 && from_y < s.side;
        const double expected =
            inside ? number_at(run.inputs[1], (std::int64_t{channel} * s.side + from_y) * s.side + from_x) : 0;
        const std::int64_t row = std::int64_t{y} * s.side + x;
        errors.add(number_at(run.result, (row * s.channels + channel) * 9 + ky * 3 + kx), expected);
    }
    return errors.relative();
}

}  // namespace

void measure_unfolding(const Machine& machine) {
    for (const Shape& s : shapes) {
        const std::size_t numbers = static_cast<std::size_t>(s.channels) * static_cast<std::size_t>(s.side * s.side);
        const Run run = machine.run({
            .inputs =
                [&](ggml_context* context) {
                    std::mt19937 random(3);
                    auto* weights = ggml_new_tensor_4d(context, GGML_TYPE_F16, 3, 3, s.channels, 1);
                    auto* picture = ggml_new_tensor_4d(context, GGML_TYPE_F32, s.side, s.side, s.channels, 1);
                    fill(weights, random);
                    fill(picture, random);
                    return std::vector{weights, picture};
                },
            .apply = [](ggml_context* context,
                        auto in) { return ggml_im2col(context, in[0], in[1], 1, 1, 1, 1, 1, 1, true, GGML_TYPE_F16); },
            .input_bytes = numbers * sizeof(float) + static_cast<std::size_t>(s.channels) * 18,
            .result_bytes = numbers * 9 * sizeof(ggml_fp16_t),
        });
        print({.kernel = "unfolding",
               .shape = s.name,
               .seconds = run.seconds,
               .arithmetic = "none",
               .bytes = static_cast<double>(numbers) * (4 + 18),
               .error = error(s, run)});
    }
}

}  // namespace bench::kernels
