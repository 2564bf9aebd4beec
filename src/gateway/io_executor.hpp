#pragma once

/// The gateway's thread as others see it: work posted to it runs in the io_context.

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "gateway/backends/executor.hpp"

namespace gateway {

class IoExecutor final : public backends::Executor {
public:
    explicit IoExecutor(boost::asio::io_context& io) : io_(io) {}
    void post(std::move_only_function<void()> work) override { boost::asio::post(io_, std::move(work)); }

private:
    boost::asio::io_context& io_;
};

}  // namespace gateway
