#include "gateway/store/signature.hpp"

#include <gtest/gtest.h>

namespace gateway::store {
namespace {

TEST(Signature, IsHmacWithSha256) {
    // RFC 4231, test case 2.
    EXPECT_EQ(signature("Jefe", "what do ya want for nothing?"),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Signature, IsRightForOneSecretAndTextAlone) {
    const std::string right = signature("secret", "text");
    EXPECT_TRUE(is_signature("secret", "text", right));
    EXPECT_FALSE(is_signature("secret", "texts", right));
    EXPECT_FALSE(is_signature("Secret", "text", right));
    EXPECT_FALSE(is_signature("secret", "text", right.substr(1)));
    EXPECT_FALSE(is_signature("secret", "text", ""));
}

TEST(Signature, SecretsAreNeverTheSame) {
    EXPECT_EQ(new_secret().size(), 32U);
    EXPECT_NE(new_secret(), new_secret());
}

}  // namespace
}  // namespace gateway::store
