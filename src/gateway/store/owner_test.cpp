#include "gateway/store/owner.hpp"

#include <gmock/gmock.h>

namespace gateway::store {
namespace {

TEST(Owner, IsTheSameForTheSameKeyAndTellsNobodyWhichItIs) {
    const std::string owner = owner_of_key("a secret key");
    EXPECT_EQ(owner, owner_of_key("a secret key"));
    EXPECT_NE(owner, owner_of_key("another key"));
    EXPECT_EQ(owner.find("secret"), std::string::npos);
    // SHA-256 of "abc", from FIPS 180-2.
    EXPECT_EQ(owner_of_key("abc"), "key:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Owner, OfAClientCannotBeThatOfAKey) {
    EXPECT_NE(owner_of_client(owner_of_key("k")), owner_of_key("k"));
}

}  // namespace
}  // namespace gateway::store
