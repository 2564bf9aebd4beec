#include "gateway/fetch/image_fetching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "gateway/fetch/download.hpp"

namespace gateway::fetch {
namespace {

namespace asio = boost::asio;
namespace contract = llm_gateway::engine::v1;

contract::Chat* chat_of(backends::Job& job) {
    if (job.has_text() && job.text().has_chat()) {
        return job.mutable_text()->mutable_chat();
    }
    return job.has_tokens() && job.tokens().has_chat() ? job.mutable_tokens()->mutable_chat() : nullptr;
}

struct Named {
    contract::Media* image;
    std::string param;
};

std::vector<Named> named_images(backends::Job& job) {
    std::vector<Named> found;
    contract::Chat* chat = chat_of(job);
    for (int message = 0; chat != nullptr && message < chat->messages_size(); ++message) {
        auto& parts = *chat->mutable_messages(message)->mutable_content();
        for (int part = 0; part < parts.size(); ++part) {
            if (parts[part].has_image() && !parts[part].image().url().empty()) {
                found.push_back({.image = parts[part].mutable_image(),
                                 .param = fmt::format("chat.messages[{}].content[{}]", message, part)});
            }
        }
    }
    return found;
}

backends::Event failed(std::string message, std::string param) {
    backends::Event event;
    event.mutable_failed()->set_code(contract::INVALID);
    event.mutable_failed()->set_message(std::move(message));
    event.mutable_failed()->set_param(std::move(param));
    return event;
}

}  // namespace

class ImageFetching::Ticket final : public backends::Submission {
public:
    Ticket(ImageFetching& owner, const backends::ModelName& model, backends::Job job, backends::EventSink& sink)
        : state_(std::make_shared<State>(owner, model, std::move(job), sink)) {}

    ~Ticket() override {
        state_->wanted = false;
        state_->timer.cancel();
        state_->stop.request();
        state_->passed_on.reset();
    }

    void start() const { asio::co_spawn(state_->owner.io_, run(state_), asio::detached); }

private:
    struct State {
        State(ImageFetching& fetching, const backends::ModelName& name, backends::Job all, backends::EventSink& events)
            : owner(fetching), model(name), job(std::move(all)), sink(events), timer(fetching.io_) {}

        ImageFetching& owner;
        const backends::ModelName model;
        backends::Job job;
        backends::EventSink& sink;
        asio::steady_timer timer;
        Stop stop;
        bool wanted = true;
        bool late = false;
        std::unique_ptr<backends::Submission> passed_on;
    };

    static asio::awaitable<void> run(std::shared_ptr<State> state) {
        co_await asio::post(state->owner.io_, asio::use_awaitable);  // nothing happens before `submit` has returned
        const auto begin = base::SteadyClock().now();
        state->timer.expires_after(state->owner.rules_.timeout);
        state->timer.async_wait([state](boost::system::error_code error) {
            if (!error && state->wanted) {
                state->late = true;
                state->stop.request();
            }
        });
        if (auto event = co_await fetch_all(*state)) {
            state->timer.cancel();
            if (state->wanted) {
                state->sink.on_event(*std::move(event));
            }
            co_return;
        }
        state->timer.cancel();
        if (!state->wanted) {
            co_return;
        }
        if (state->job.has_seconds_left()) {
            const auto took = base::seconds(base::SteadyClock().now() - begin);
            state->job.set_seconds_left(std::max(state->job.seconds_left() - took, 0.0));
        }
        state->passed_on = state->owner.inner_.submit(state->model, std::move(state->job), state->sink);
    }

    /// Why the job has failed, when it has.
    static asio::awaitable<std::optional<backends::Event>> fetch_all(State& state) {
        std::map<std::string, std::string> files;
        std::size_t bytes = 0;
        for (const Named& each : named_images(state.job)) {
            const std::string url = std::exchange(*each.image->mutable_url(), {});
            auto found = files.find(url);
            if (found == files.end()) {
                if (state.stop.requested()) {
                    co_return failed("The images could not be downloaded in time.", each.param);
                }
                auto file = co_await download(url, state.owner.rules_, state.owner.tls_, state.stop);
                if (state.late) {
                    co_return failed("The image could not be downloaded in time.", each.param);
                }
                if (!file) {
                    co_return failed(file.error().message, each.param);
                }
                found = files.emplace(url, std::move(*file)).first;
            }
            bytes += found->second.size();
            if (bytes > state.owner.rules_.most_bytes) {
                co_return failed(
                    fmt::format("The images of a request may have {} bytes together.", state.owner.rules_.most_bytes),
                    each.param);
            }
            each.image->set_data(found->second);
        }
        co_return std::nullopt;
    }

    std::shared_ptr<State> state_;
};

ImageFetching::ImageFetching(asio::io_context& io, backends::Backend& inner, Rules rules)
    : io_(io), inner_(inner), rules_(std::move(rules)), tls_(verifying_context()) {}

std::unique_ptr<backends::Submission> ImageFetching::submit(const backends::ModelName& model, backends::Job job,
                                                            backends::EventSink& sink) {
    if (named_images(job).empty()) {
        return inner_.submit(model, std::move(job), sink);
    }
    auto ticket = std::make_unique<Ticket>(*this, model, std::move(job), sink);
    ticket->start();
    return ticket;
}

}  // namespace gateway::fetch
