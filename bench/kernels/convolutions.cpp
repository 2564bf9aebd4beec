// Whole convolutions of image models: unfolding and the product together, and the copy of the result behind them.

#include "machine.hpp"

namespace bench::kernels {
namespace {

struct Shape {
    const char* name;
    int from, to, side, kernel;
};

constexpr Shape shapes[] = {
    {"SD 1.5 320 to 320, 64x64", 320, 320, 64, 3},      {"SD 1.5 640 to 640, 32x32", 640, 640, 32, 3},
    {"SD 1.5 1280 to 1280, 16x16", 1280, 1280, 16, 3},  {"SD 1.5 320 to 320, 64x64, 1x1", 320, 320, 64, 1},
    {"autoencoder 512 to 512, 64x64", 512, 512, 64, 3}, {"autoencoder 128 to 128, 256x256", 128, 128, 256, 3},
    {"autoencoder 128 to 3, 256x256", 128, 3, 256, 3},
};

double error(const Shape& s, const Run& run) {
    Errors errors;
    std::mt19937 random(8);
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    for (int sample = 0; sample < 200; ++sample) {
        const int x = below(s.side), y = below(s.side), out = below(s.to);
        double expected = 0;
        for (int in = 0; in < s.from; ++in) {
            for (int ky = 0; ky < s.kernel; ++ky) {
                for (int kx = 0; kx < s.kernel; ++kx) {
                    const int from_x = x + kx - s.kernel / 2, from_y = y + ky - s.kernel / 2;
                    if (from_x >= 0 && from_x < s.side && from_y >= 0 && from_y < s.side) {
                        const std::int64_t weight = ((std::int64_t{out} * s.from + in) * s.kernel + ky) * s.kernel + kx;
                        const std::int64_t pixel = (std::int64_t{in} * s.side + from_y) * s.side + from_x;
                        expected += number_at(run.inputs[0], weight) * number_at(run.inputs[1], pixel);
                    }
                }
            }
        }
        errors.add(number_at(run.result, (std::int64_t{out} * s.side + y) * s.side + x), expected);
    }
    return errors.relative();
}

}  // namespace

void measure_convolutions(const Machine& machine) {
    for (const Shape& s : shapes) {
        const auto pixels = static_cast<std::size_t>(s.side * s.side);
        const auto weights = static_cast<std::size_t>(s.from * s.to * s.kernel * s.kernel);
        const std::size_t picture = pixels * static_cast<std::size_t>(s.from) * sizeof(float);
        const std::size_t result = pixels * static_cast<std::size_t>(s.to) * sizeof(float);
        const std::size_t unfolded =
            pixels * static_cast<std::size_t>(s.from * s.kernel * s.kernel) * sizeof(ggml_fp16_t);
        const int edge = s.kernel / 2;
        const Run run = machine.run({
            .inputs =
                [&](ggml_context* context) {
                    std::mt19937 random(4);
                    auto* kernel = ggml_new_tensor_4d(context, GGML_TYPE_F16, s.kernel, s.kernel, s.from, s.to);
                    auto* pixel = ggml_new_tensor_4d(context, GGML_TYPE_F32, s.side, s.side, s.from, 1);
                    fill(kernel, random, 0.05F);
                    fill(pixel, random);
                    return std::vector{kernel, pixel};
                },
            .apply = [&](ggml_context* context,
                         auto in) { return ggml_conv_2d(context, in[0], in[1], 1, 1, edge, edge, 1, 1); },
            .input_bytes = picture + weights * sizeof(ggml_fp16_t),
            .result_bytes = 2 * result + unfolded,
        });
        print({.kernel = "convolution",
               .shape = s.name,
               .seconds = run.seconds,
               .operations = 2.0 * static_cast<double>(pixels * weights),
               .bytes = static_cast<double>(picture + result + weights * sizeof(ggml_fp16_t)),
               .error = error(s, run)});
    }
}

}  // namespace bench::kernels
