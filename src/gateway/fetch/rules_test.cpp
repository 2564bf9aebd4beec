#include "gateway/fetch/rules.hpp"

#include <gtest/gtest.h>

namespace gateway::fetch {
namespace {

bool is_public(const char* address) {
    return fetch::is_public(boost::asio::ip::make_address(address));
}

TEST(PublicAddresses, AreThoseOfTheInternet) {
    for (const char* each :
         {"1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.128.0.1", "223.255.255.255",
          "2606:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888", "::ffff:8.8.8.8"}) {
        EXPECT_TRUE(is_public(each)) << each;
    }
}

TEST(PublicAddresses, AreNoneOfThisMachineOrItsNetworks) {
    for (const char* each :
         {"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1",
          "172.31.255.255", "192.168.0.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "255.255.255.255"}) {
        EXPECT_FALSE(is_public(each)) << each;
    }
}

TEST(PublicAddresses, AreNoneOfTheseInOtherClothes) {
    for (const char* each :
         {"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "fe80::1", "fc00::1", "fd12:3456::1",
          "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::1", "2001:db8::1", "100::1"}) {
        EXPECT_FALSE(is_public(each)) << each;
    }
}

Rules rules(std::vector<std::string> hosts) {
    return {.hosts = std::move(hosts)};
}

TEST(Targets, AreOnHostsThatAreListed) {
    const auto target = target_of("https://Images.Example.org/a%20b.png?size=2#top", rules({"images.example.org"}));
    ASSERT_TRUE(target);
    EXPECT_TRUE(target->tls);
    EXPECT_EQ(target->host, "images.example.org");
    EXPECT_EQ(target->port, "443");
    EXPECT_EQ(target->path, "/a%20b.png?size=2");
}

TEST(Targets, HaveAPath) {
    EXPECT_EQ(target_of("http://example.org", rules({"example.org"}))->path, "/");
    EXPECT_EQ(target_of("http://example.org?x=1", rules({"example.org"}))->path, "/?x=1");
}

TEST(Targets, OnNoListedHostAreRefused) {
    EXPECT_FALSE(target_of("https://example.org/a.png", rules({})));
    EXPECT_FALSE(target_of("https://example.org.evil.net/a.png", rules({"example.org"})));
    EXPECT_FALSE(target_of("https://evil-example.org/a.png", rules({"example.org", "*.example.org"})));
    EXPECT_FALSE(target_of("https://sub.example.org/a.png", rules({"example.org"})));
    EXPECT_TRUE(target_of("https://sub.example.org/a.png", rules({"*.example.org"})));
}

TEST(Targets, OnOtherPortsAreRefusedUnlessListed) {
    EXPECT_FALSE(target_of("https://example.org:22/", rules({"example.org", "*.org"})));
    EXPECT_FALSE(target_of("http://example.org:443/", rules({"example.org"})));
    EXPECT_TRUE(target_of("https://example.org:8443/", rules({"example.org:8443"})));
    EXPECT_TRUE(target_of("https://example.org:443/", rules({"example.org"})));
}

TEST(Targets, AreReachedByTheWebOnly) {
    for (const char* url : {"file:///etc/passwd", "ftp://example.org/a.png", "gopher://example.org/", "//example.org/",
                            "example.org/a.png", "", "https://", "https:///a.png", "http://user:key@example.org/",
                            "https://example.org\r\n/a.png", "http://example.org/a b"}) {
        EXPECT_FALSE(target_of(url, rules({"example.org"}))) << url;
    }
}

}  // namespace
}  // namespace gateway::fetch
