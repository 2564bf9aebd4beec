#include "worker/prefix/cell_ledger.hpp"

#include <algorithm>
#include <numeric>

namespace worker::prefix {

CellLedger::CellLedger(std::size_t sequences, std::size_t cells, std::size_t block)
    : held_(sequences), holders_(cells), free_list_(cells), free_(cells), block_(block) {
    std::iota(free_list_.rbegin(), free_list_.rend(), 0U);
}

void CellLedger::append(std::size_t sequence, std::size_t count) {
    for (std::size_t each = 0; each < count; ++each) {
        const auto cell = free_list_[--free_];
        holders_[cell] = 1;
        held_[sequence].push_back(cell);
    }
}

void CellLedger::copy(std::size_t from, std::size_t to, std::size_t tokens) {
    const std::size_t shared = shared_by_copy(tokens);
    held_[to].assign(held_[from].begin(), held_[from].begin() + static_cast<std::ptrdiff_t>(shared));
    for (const auto cell : held_[to]) {
        ++holders_[cell];
    }
    append(to, tokens - shared);
}

void CellLedger::trim(std::size_t sequence, std::size_t tokens) {
    auto& held = held_[sequence];
    while (held.size() > tokens) {
        const auto cell = held.back();
        held.pop_back();
        if (--holders_[cell] == 0) {
            free_list_[free_++] = cell;
        }
    }
}

std::size_t CellLedger::unshared_from(std::size_t sequence) const {
    const auto& held = held_[sequence];
    const auto shared = [this](std::uint32_t cell) { return holders_[cell] > 1; };
    return static_cast<std::size_t>(std::ranges::partition_point(held, shared) - held.begin());
}

std::vector<bool> CellLedger::marked(const std::vector<bool>& chosen) const {
    std::vector<bool> marks(holders_.size());
    for (std::size_t sequence = 0; sequence < held_.size(); ++sequence) {
        if (chosen[sequence]) {
            for (const auto cell : held_[sequence]) {
                marks[cell] = true;
            }
        }
    }
    return marks;
}

std::size_t CellLedger::held_by(const std::vector<bool>& chosen) const {
    const auto marks = marked(chosen);
    return static_cast<std::size_t>(std::ranges::count(marks, true));
}

std::size_t CellLedger::shared_with(std::size_t sequence, std::size_t tokens, const std::vector<bool>& chosen) const {
    const auto marks = marked(chosen);
    const auto end = held_[sequence].begin() + static_cast<std::ptrdiff_t>(tokens);
    return static_cast<std::size_t>(
        std::count_if(held_[sequence].begin(), end, [&](std::uint32_t cell) { return marks[cell]; }));
}

}  // namespace worker::prefix
