// How fast this machine multiplies and adds: prints operations per second of single precision, and of 8-bit integers
// added up in 32 bits, of the best of some passes over registers by as many threads as are asked for. The widest
// vectors count.
//
//   compute-rate THREADS

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace {

// Each does `rounds` rounds and gives a number that depends on all of them; `operations` are those of one round.
struct Kernel {
    double (*run)(std::uint64_t rounds);
    double operations;
};

constexpr int chains = 24;  // sums that do not wait for one another

double plain_float(std::uint64_t rounds) {
    float sums[chains * 4] = {};
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (float& sum : sums) {
            sum = sum * 0.999F + 0.001F;
        }
    }
    double total = 0;
    for (const float sum : sums) {
        total += static_cast<double>(sum);
    }
    return total;
}

double plain_int8(std::uint64_t rounds) {
    std::int32_t sums[chains] = {};
    volatile std::int8_t factor = 3;
    const std::int8_t a = factor;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (std::int32_t& sum : sums) {
            sum += a * static_cast<std::int8_t>(sum);
        }
    }
    double total = 0;
    for (const std::int32_t sum : sums) {
        total += sum;
    }
    return total;
}

#ifdef __x86_64__
__attribute__((target("avx512f"))) double wide_float(std::uint64_t rounds) {
    __m512 sums[chains];
    for (int i = 0; i < chains; ++i) {
        sums[i] = _mm512_set1_ps(static_cast<float>(i));
    }
    const __m512 factor = _mm512_set1_ps(0.999F);
    const __m512 summand = _mm512_set1_ps(0.001F);
    for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma clang loop unroll(full)
        for (int i = 0; i < chains; ++i) {
            sums[i] = _mm512_fmadd_ps(sums[i], factor, summand);
        }
    }
    double total = 0;
    for (int i = 0; i < chains; ++i) {
        total += static_cast<double>(_mm512_reduce_add_ps(sums[i]));
    }
    return total;
}

__attribute__((target("avx512f,avx512vnni"))) double wide_int8(std::uint64_t rounds) {
    __m512i sums[chains];
    for (int i = 0; i < chains; ++i) {
        sums[i] = _mm512_set1_epi32(i);
    }
    const __m512i left = _mm512_set1_epi8(1);
    const __m512i right = _mm512_set1_epi8(-1);
    for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma clang loop unroll(full)
        for (int i = 0; i < chains; ++i) {
            sums[i] = _mm512_dpbusd_epi32(sums[i], left, right);
        }
    }
    double total = 0;
    for (int i = 0; i < chains; ++i) {
        total += _mm512_reduce_add_epi32(sums[i]);
    }
    return total;
}

constexpr int narrow_chains = 12;  // there are 16 registers

__attribute__((target("avx2,fma"))) double narrow_float(std::uint64_t rounds) {
    __m256 sums[narrow_chains];
    for (int i = 0; i < narrow_chains; ++i) {
        sums[i] = _mm256_set1_ps(static_cast<float>(i));
    }
    const __m256 factor = _mm256_set1_ps(0.999F);
    const __m256 summand = _mm256_set1_ps(0.001F);
    for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma clang loop unroll(full)
        for (int i = 0; i < narrow_chains; ++i) {
            sums[i] = _mm256_fmadd_ps(sums[i], factor, summand);
        }
    }
    double total = 0;
    for (int i = 0; i < narrow_chains; ++i) {
        total += static_cast<double>(_mm256_cvtss_f32(sums[i]));
    }
    return total;
}

__attribute__((target("avx2"))) double narrow_int8(std::uint64_t rounds) {
    __m256i sums[narrow_chains];
    for (int i = 0; i < narrow_chains; ++i) {
        sums[i] = _mm256_set1_epi32(i);
    }
    const __m256i ones = _mm256_set1_epi16(1);
    for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma clang loop unroll(full)
        for (int i = 0; i < narrow_chains; ++i) {
            // Of what it adds to, so that nothing can be computed once for all rounds.
            const __m256i pairs = _mm256_maddubs_epi16(sums[i], ones);
            sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(pairs, ones));
        }
    }
    double total = 0;
    for (int i = 0; i < narrow_chains; ++i) {
        total += _mm256_extract_epi32(sums[i], 0);
    }
    return total;
}
#endif

Kernel float_kernel() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) {
        return {wide_float, 2.0 * 16 * chains};
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return {narrow_float, 2.0 * 8 * narrow_chains};
    }
#endif
    return {plain_float, 2.0 * 4 * chains};
}

Kernel int8_kernel() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512vnni")) {
        return {wide_int8, 2.0 * 64 * chains};
    }
    if (__builtin_cpu_supports("avx2")) {
        return {narrow_int8, 2.0 * 32 * narrow_chains};
    }
#endif
    return {plain_int8, 2.0 * chains};
}

double rate(const Kernel& kernel, std::size_t threads) {
    using Clock = std::chrono::steady_clock;
    constexpr int passes = 5;
    constexpr std::uint64_t rounds = 4'000'000;
    double best = 0;
    Clock::time_point began;
    std::barrier begin(static_cast<std::ptrdiff_t>(threads), [&]() noexcept { began = Clock::now(); });
    std::barrier end(static_cast<std::ptrdiff_t>(threads), [&]() noexcept {
        const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
        best = std::max(best, kernel.operations * static_cast<double>(rounds * threads) / seconds);
    });
    std::atomic<double> all = 0;  // the sums are used, so they are not optimised away
    {
        std::vector<std::jthread> workers;
        for (std::size_t i = 0; i < threads; ++i) {
            workers.emplace_back([&] {
                for (int pass = 0; pass < passes; ++pass) {
                    begin.arrive_and_wait();
                    all += kernel.run(rounds);
                    end.arrive_and_wait();
                }
            });
        }
    }
    return best;
}

}  // namespace

int main(int argument_count, char** arguments) {
    const auto threads = static_cast<std::size_t>(argument_count > 1 ? std::atoi(arguments[1]) : 1);
    std::printf(R"({"float": %.0f, "int8": %.0f})"
                "\n",
                rate(float_kernel(), threads), rate(int8_kernel(), threads));
    return 0;
}
