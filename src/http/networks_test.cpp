#include "http/networks.hpp"

#include <gtest/gtest.h>

namespace http {
namespace {

Networks networks(std::initializer_list<const char*> texts) {
    Networks result;
    for (const char* text : texts)
        EXPECT_TRUE(result.add(text)) << text;
    return result;
}

TEST(Networks, ContainTheirAddresses) {
    const auto some = networks({"192.0.2.7", "10.1.0.0/16", "fd00::/8", "::1"});
    for (const char* inside : {"192.0.2.7", "10.1.255.3", "fd12::9", "::1", "::ffff:192.0.2.7"})
        EXPECT_TRUE(some.contain(inside)) << inside;
    for (const char* outside : {"192.0.2.8", "10.2.0.1", "fe80::1", "::2", "", "nobody", "192.0.2.7:80", "10.1.0.0/16"})
        EXPECT_FALSE(some.contain(outside)) << outside;
    EXPECT_FALSE(Networks().contain("127.0.0.1"));
    EXPECT_TRUE(networks({"0.0.0.0/0"}).contain("8.8.8.8"));
    EXPECT_TRUE(networks({"10.1.2.3/16"}).contain("10.1.9.9")) << "an address inside of a network names the network";
}

TEST(Networks, AreNothingElse) {
    for (const char* wrong : {"", "localhost", "10.0.0.0/33", "10.0.0", "::/129", "10.0.0.0/-1", "1.2.3.4/"}) {
        Networks some;
        EXPECT_FALSE(some.add(wrong)) << wrong;
        EXPECT_TRUE(some.empty());
    }
}

}  // namespace
}  // namespace http
