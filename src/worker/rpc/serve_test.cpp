#include "worker/rpc/serve.hpp"

#include <gtest/gtest.h>
TEST(Serve, Placeholder) {
    SUCCEED();
}
