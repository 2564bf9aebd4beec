// Unfolding pictures for convolutions (patches/ggml-cpu-im2col.patch): it only moves and rounds numbers, so every bit
// is known.

#include <gtest/gtest.h>

#include <random>

#include "ggml_graph.hpp"

namespace {

struct Case {
    int kernel_width, kernel_height, channels, width, height, pictures, stride, padding, dilation;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << "kernel " << c.kernel_width << 'x' << c.kernel_height << " channels " << c.channels << " size "
               << c.width << 'x' << c.height << " pictures " << c.pictures << " stride " << c.stride << " padding "
               << c.padding << " dilation " << c.dilation;
}

// The number of places where the unfolded picture is not what it must be.
int faults(const Case& c, int threads) {
    const auto context = engine_test::make_context(std::size_t{64} << 20);
    auto* kernel = ggml_new_tensor_4d(context.get(), GGML_TYPE_F16, c.kernel_width, c.kernel_height, c.channels, 1);
    auto* picture = ggml_new_tensor_4d(context.get(), GGML_TYPE_F32, c.width, c.height, c.channels, c.pictures);
    auto* pixels = static_cast<float*>(picture->data);
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < ggml_nelements(picture); ++i) {
        pixels[i] = normal(random);
    }
    auto* unfolded = ggml_im2col(context.get(), kernel, picture, c.stride, c.stride, c.padding, c.padding, c.dilation,
                                 c.dilation, true, GGML_TYPE_F16);
    engine_test::compute(context.get(), unfolded, threads);

    const auto* actual = static_cast<const ggml_fp16_t*>(unfolded->data);
    const auto columns = unfolded->ne[1];
    const auto rows = unfolded->ne[2];
    int wrong = 0;
    for (int n = 0; n < c.pictures; ++n) {
        for (int oy = 0; oy < rows; ++oy) {
            for (int ox = 0; ox < columns; ++ox) {
                for (int channel = 0; channel < c.channels; ++channel) {
                    for (int ky = 0; ky < c.kernel_height; ++ky) {
                        for (int kx = 0; kx < c.kernel_width; ++kx) {
                            const int x = ox * c.stride + kx * c.dilation - c.padding;
                            const int y = oy * c.stride + ky * c.dilation - c.padding;
                            const bool inside = x >= 0 && x < c.width && y >= 0 && y < c.height;
                            const auto expected = ggml_fp32_to_fp16(
                                inside ? pixels[((static_cast<std::size_t>(n) * c.channels + channel) * c.height + y) *
                                                    c.width +
                                                x]
                                       : 0.0F);
                            wrong += *actual++ == expected ? 0 : 1;
                        }
                    }
                }
            }
        }
    }
    return wrong;
}

TEST(Im2col, MovesEveryNumberToItsPlace) {
    for (const int kernel : {1, 2, 3, 5, 7}) {
        for (const int stride : {1, 2}) {
            for (const int padding : {0, 1, kernel / 2}) {
                for (const int width : {8, 15, 16, 17, 33, 64}) {
                    const Case c{kernel, kernel, 5, width, 9, 1, stride, padding, 1};
                    EXPECT_EQ(faults(c, 2), 0) << c;
                }
            }
        }
    }
}

TEST(Im2col, HandlesUnusualKernelsDilationAndSeveralPictures) {
    for (const Case& c :
         {Case{3, 1, 4, 40, 12, 2, 1, 1, 1}, Case{1, 3, 4, 40, 12, 3, 1, 1, 1}, Case{3, 3, 1, 20, 20, 2, 1, 2, 2},
          Case{3, 3, 7, 50, 10, 1, 3, 2, 3}, Case{9, 9, 2, 32, 32, 1, 1, 4, 1}, Case{3, 3, 64, 8, 8, 2, 1, 1, 1}}) {
        EXPECT_EQ(faults(c, 1), 0) << c;
        EXPECT_EQ(faults(c, 2), 0) << c;
    }
}

}  // namespace
