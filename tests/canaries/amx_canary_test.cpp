/// The other reason why the project is built with clang: g++ 12 believes that loading an AMX tile configuration reads
/// eight bytes of it and drops the stores to the rest, so ggml's AMX kernels fault. Where AMX works this multiplies a
/// tile. Where it does not, the instruction that loads the configuration traps, and what it would have read is looked
/// at in the trap.

#include <cpuid.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstring>

#include "amx_tile.hpp"

namespace {

using canary::tile_row_bytes;
using canary::tile_rows;
using canary::TileConfiguration;

bool processor_has_amx() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d >> 24 & 1) != 0 && (d >> 25 & 1) != 0;
}

// Linux gives the tile registers to a process that asks for them.
bool kernel_allows_amx() {
    constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
    constexpr long tile_data = 18;               // XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

sigjmp_buf after_trap;
TileConfiguration trapped;
bool decoded = false;

std::uintptr_t register_value(const mcontext_t& machine, int number) {
    // The order of the processor's encoding, in the kernel's names.
    constexpr int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                             REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return static_cast<std::uintptr_t>(machine.gregs[order[number]]);
}

// ldtilecfg is VEX.128.NP.0F38.W0 49 !(11):000:bbb; gives the address of its operand, or 0 for any other instruction
// and for addresses with an index.
std::uintptr_t operand_of_ldtilecfg(const mcontext_t& machine) {
    const auto* code = reinterpret_cast<const std::uint8_t*>(machine.gregs[REG_RIP]);
    if (code[0] != 0xc4 || (code[1] & 0x1f) != 2 || code[2] != 0x78 || code[3] != 0x49 || (code[4] & 0x38) != 0) {
        return 0;
    }
    const int mode = code[4] >> 6;
    int base = code[4] & 7;
    const auto* displacement = code + 5;
    if (base == 4) {
        if ((*displacement & 0x38) != 0x20) {
            return 0;
        }
        base = *displacement & 7;
        ++displacement;
    }
    if (mode == 3 || (mode == 0 && base == 5)) {
        return 0;
    }
    std::int32_t offset = 0;
    if (mode == 1) {
        offset = static_cast<std::int8_t>(*displacement);
    } else if (mode == 2) {
        std::memcpy(&offset, displacement, sizeof offset);
    }
    return register_value(machine, base | ((code[1] & 0x20) != 0 ? 0 : 8)) + offset;
}

void on_trap(int, siginfo_t*, void* frame) {
    const auto address = operand_of_ldtilecfg(static_cast<ucontext_t*>(frame)->uc_mcontext);
    if (address != 0) {
        decoded = true;
        // Byte by byte: the stack below the trapped function's frame is none of a sanitizer's business.
        const auto* from = reinterpret_cast<const volatile std::uint8_t*>(address);
        for (std::size_t i = 0; i < sizeof trapped; ++i) {
            reinterpret_cast<std::uint8_t*>(&trapped)[i] = from[i];
        }
    }
    siglongjmp(after_trap, 1);
}

TEST(AmxCanary, TheTileConfigurationIsStoredBeforeItIsLoaded) {
    if (processor_has_amx() && kernel_allows_amx()) {
        std::int8_t left[tile_rows][tile_row_bytes];
        std::int8_t right[tile_rows][tile_row_bytes];
        for (int row = 0; row < tile_rows; ++row) {
            for (int i = 0; i < tile_row_bytes; ++i) {
                left[row][i] = static_cast<std::int8_t>(row * 7 + i * 3 - 60);
                right[row][i] = static_cast<std::int8_t>(row * 5 - i * 2 + 11);
            }
        }
        std::int32_t sums[tile_rows][16];
        canary::multiply_tile(&left[0][0], &right[0][0], &sums[0][0]);
        for (int row = 0; row < tile_rows; ++row) {
            for (int column = 0; column < 16; ++column) {
                std::int32_t expected = 0;
                for (int k = 0; k < tile_row_bytes; ++k) {
                    expected += left[row][k] * right[k / 4][4 * column + k % 4];
                }
                EXPECT_EQ(sums[row][column], expected);
            }
        }
        return;
    }
    struct sigaction action{};
    struct sigaction before{};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGILL, &action, &before);
    if (sigsetjmp(after_trap, 1) == 0) {
        canary::configure_tiles();
    }
    sigaction(SIGILL, &before, nullptr);
    ASSERT_TRUE(decoded) << "the trap was not at ldtilecfg with a plain address";
    EXPECT_EQ(trapped.palette, 1);
    for (int tile = 0; tile < 8; ++tile) {
        EXPECT_EQ(trapped.rows[tile], tile_rows);
        EXPECT_EQ(trapped.row_bytes[tile], tile_row_bytes);
    }
}

}  // namespace
