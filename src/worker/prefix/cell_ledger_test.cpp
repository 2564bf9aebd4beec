#include "worker/prefix/cell_ledger.hpp"

#include <gtest/gtest.h>

namespace worker::prefix {
namespace {

TEST(CellLedger, ACopyCostsNothingUntilItGrows) {
    CellLedger ledger(3, 10);
    ledger.append(0, 4);
    ledger.copy(0, 1, 3);
    EXPECT_EQ(ledger.free(), 6U);
    ledger.append(1, 2);
    EXPECT_EQ(ledger.free(), 4U);
    EXPECT_EQ(ledger.length(1), 5U);
}

TEST(CellLedger, ACopySharesWholeBlocks) {
    CellLedger ledger(3, 20, 4);
    ledger.append(0, 10);
    EXPECT_EQ(ledger.shared_by_copy(7), 4U);
    ledger.copy(0, 1, 7);
    EXPECT_EQ(ledger.free(), 7U);
    EXPECT_EQ(ledger.unshared_from(1), 4U);
    ledger.copy(1, 2, 4);
    EXPECT_EQ(ledger.free(), 7U);
}

TEST(CellLedger, ASharedCellIsFreeWhenItsLastHolderLetsGo) {
    CellLedger ledger(3, 10);
    ledger.append(0, 4);
    ledger.copy(0, 1, 3);
    ledger.trim(0, 0);
    EXPECT_EQ(ledger.free(), 7U);
    ledger.trim(1, 0);
    EXPECT_EQ(ledger.free(), 10U);
}

TEST(CellLedger, KnowsFromWhereOnASequenceIsAlone) {
    CellLedger ledger(3, 10);
    ledger.append(0, 4);
    EXPECT_EQ(ledger.unshared_from(0), 0U);
    ledger.copy(0, 1, 3);
    EXPECT_EQ(ledger.unshared_from(0), 3U);
    EXPECT_EQ(ledger.unshared_from(1), 3U);
    ledger.trim(0, 0);
    EXPECT_EQ(ledger.unshared_from(1), 0U);
}

TEST(CellLedger, CountsSharedCellsOnce) {
    CellLedger ledger(3, 10);
    ledger.append(0, 4);
    ledger.copy(0, 1, 3);
    ledger.append(1, 1);
    EXPECT_EQ(ledger.held_by({true, true, false}), 5U);
    EXPECT_EQ(ledger.held_by({true, false, false}), 4U);
    EXPECT_EQ(ledger.shared_with(1, 4, {true, false, false}), 3U);
    EXPECT_EQ(ledger.shared_with(1, 2, {true, false, false}), 2U);
}

}  // namespace
}  // namespace worker::prefix
