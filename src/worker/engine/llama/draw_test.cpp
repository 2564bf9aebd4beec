#include "worker/engine/llama/draw.hpp"

#include <gtest/gtest.h>
#include <llama-cpp.h>

#include <algorithm>
#include <limits>

namespace worker::engine::llama {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();

// llama.cpp's samplers for temperature and drawing.
class Reference {
public:
    Reference(std::uint32_t seed, float temperature)
        : temperature_(llama_sampler_init_temp(temperature)), draw_(llama_sampler_init_dist(seed)) {}

    Token from(const std::vector<float>& logits, const grammar::TokenMask* allowed) {
        std::vector<llama_token_data> all;
        for (Token token = 0; token < static_cast<Token>(logits.size()); ++token) {
            if (allowed == nullptr || allowed->contains(token)) {
                all.push_back({.id = token, .logit = logits[static_cast<std::size_t>(token)]});
            }
        }
        llama_token_data_array array{.data = all.data(), .size = all.size(), .selected = -1, .sorted = false};
        llama_sampler_apply(temperature_.get(), &array);
        llama_sampler_apply(draw_.get(), &array);
        return array.data[array.selected].id;
    }

private:
    llama_sampler_ptr temperature_;
    llama_sampler_ptr draw_;
};

TEST(Draw, DrawsWhatTheSamplersDraw) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 60; ++round) {
        const std::size_t vocabulary = 1 + random() % (round % 10 == 0 ? 160'000 : 3'000);
        const float temperature = round % 3 == 0 ? 1.0F : std::uniform_real_distribution<float>(0.05F, 3)(random);
        // From nearly even, where every border is close, to nearly sure.
        std::normal_distribution<float> logit(5, std::uniform_real_distribution<float>(0.01F, 12)(random));
        Draw draw(seed, temperature);
        Reference reference(seed, temperature);
        for (int step = 0; step < 20; ++step) {
            std::vector<float> logits(vocabulary);
            std::ranges::generate(logits, [&] { return random() % 50 == 0 ? impossible : logit(random); });
            logits[random() % vocabulary] = 7;
            grammar::TokenMask allowed(vocabulary);
            for (std::size_t token = 0; token < vocabulary; token += 1 + random() % 3) {
                allowed.add(static_cast<Token>(token));
            }
            const bool masked = step % 4 == 0 && logits[0] > impossible;
            const auto* mask = masked ? &allowed : nullptr;
            float maximum = impossible;
            for (std::size_t token = 0; token < vocabulary; ++token) {
                if (!masked || allowed.contains(static_cast<Token>(token))) {
                    maximum = std::max(maximum, logits[token]);
                }
            }
            ASSERT_EQ(draw.from(logits, mask, maximum), reference.from(logits, mask))
                << "round " << round << " step " << step << " temperature " << temperature << " masked " << masked;
        }
    }
}

}  // namespace
}  // namespace worker::engine::llama
