#include "http/event_channel.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace http {

struct Wakeup::Timer {
    asio::steady_timer timer;
};

Wakeup::Wakeup(const asio::any_io_executor& executor)
    : timer_(std::make_unique<Timer>(Timer{asio::steady_timer(executor)})) {}

Wakeup::~Wakeup() = default;

void Wakeup::wake() {
    timer_->timer.cancel();
}

asio::awaitable<void> Wakeup::sleep_until(base::TimePoint until) {
    timer_->timer.expires_at(until);
    co_await timer_->timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace http
