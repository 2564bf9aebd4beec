#pragma once

/// The store for coroutines.

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <type_traits>
#include <utility>

#include "gateway/store/store.hpp"
#include "http/exchange.hpp"

namespace gateway::api {

/// What work on the shelf returns, a base::Result; the store must outlive the wait.
///
///     auto found = co_await on_store(store, [key](store::Shelf& shelf) { return shelf.find(key); });
template <typename Work>
auto on_store(store::Store& store, Work work) -> http::asio::awaitable<std::invoke_result_t<Work, store::Shelf&>> {
    using Result = std::invoke_result_t<Work, store::Shelf&>;
    co_return co_await http::asio::async_initiate<const http::asio::use_awaitable_t<>&, void(Result)>(
        [&store](auto handler, Work handed_over) {
            auto guard = http::asio::make_work_guard(handler);  // the loop must not end while the store works
            store.run(std::move(handed_over), [handler = std::move(handler), guard = std::move(guard)](
                                                  Result result) mutable { std::move(handler)(std::move(result)); });
        },
        http::asio::use_awaitable, std::move(work));
}

}  // namespace gateway::api
