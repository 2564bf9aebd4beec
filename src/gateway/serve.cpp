#include "gateway/serve.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/log.hpp"
#include "gateway/api/a1111/choices.hpp"
#include "gateway/api/endpoints.hpp"
#include "gateway/api/responses/background.hpp"
#include "gateway/dispatch/dispatcher.hpp"
#include "gateway/drawing/image_jobs.hpp"
#include "gateway/fetch/image_fetching.hpp"
#include "gateway/fleet/fleet.hpp"
#include "gateway/io_executor.hpp"
#include "gateway/observe/fleet_metrics.hpp"
#include "gateway/observe/http_metrics.hpp"
#include "gateway/observe/job_metrics.hpp"
#include "gateway/observe/store_metrics.hpp"
#include "gateway/store/owner.hpp"
#include "gateway/store/store.hpp"
#include "gateway/welcome.hpp"
#include "gateway/worker_specs.hpp"
#include "http/server.hpp"

namespace gateway {
namespace {

namespace asio = boost::asio;

constexpr base::Duration tick_interval = std::chrono::milliseconds(100);
/// For the last handlers to end once nothing new can begin.
constexpr base::Duration last_words = std::chrono::seconds(2);

/// Keys and prompts are in this process's memory: no core dump, also not through a core_pattern program (which
/// RLIMIT_CORE does not stop), and no debugger of the same user. The kernel then gives our /proc/self files to root;
/// those we read ourselves (status, stat) stay readable. A build with sanitizers stays dumpable, because the leak check
/// traces itself.
void keep_memory_private() {
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_CORE, &none);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    ::prctl(PR_SET_DUMPABLE, 0);
#endif
}

/// One descriptor for each client: the usual soft limit of 1024 is less than one busy minute.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

std::filesystem::path own_folder() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

dispatch::Settings dispatch_settings(const config::Settings& settings) {
    dispatch::Settings result;
    for (const config::Model& model : settings.models) {
        const auto& basics = config::basics(model);
        result.max_waiting_for.emplace(basics.name, basics.max_waiting);
    }
    for (const config::Client& client : settings.server.clients) {
        result.tenants.emplace(
            client.name, dispatch::Tenant{.weight = client.weight,
                                          .priority = client.priority,
                                          .max_running = client.max_concurrent.value_or(dispatch::Tenant::no_limit)});
    }
    return result;
}

/// What the log calls a key of `api_keys`: a name that no client can have.
std::string name_of_key(std::size_t position) {
    return fmt::format("#{}", position + 1);
}

http::ServerOptions server_options(const config::Server& server) {
    http::ServerOptions options;
    for (std::size_t i = 0; i < server.api_keys.size(); ++i) {
        options.middleware.api_keys.emplace_back(server.api_keys[i].reveal(), name_of_key(i));
    }
    for (const config::Client& client : server.clients) {
        options.middleware.api_keys.emplace_back(client.key.reveal(), client.name);
    }
    options.middleware.cors.origins = server.cors_origins;
    options.middleware.body_limit_bytes = server.max_body_bytes.count;
    options.middleware.deadline = server.request_timeout;
    for (const std::string& network : server.trusted_proxies) {
        options.middleware.trusted_proxies.add(network);
    }
    options.max_connections = server.max_connections;
    options.idle_timeout = server.idle_timeout;
    return options;
}

fetch::Rules fetch_rules(const config::ImageUrls& settings) {
    return {.hosts = settings.hosts,
            .private_addresses = settings.private_addresses,
            .most_bytes = settings.max_bytes.count,
            .timeout = settings.timeout};
}

/// Null when nothing is to be kept.
base::Result<std::unique_ptr<store::Store>> open_store(const config::Store& settings, backends::Executor& executor) {
    if (!settings.enabled) {
        return nullptr;
    }
    return store::Store::open({.folder = settings.folder,
                               .bounds = {.age = std::chrono::duration_cast<std::chrono::seconds>(settings.max_age),
                                          .bytes = settings.max_bytes.count}},
                              executor);
}

/// Null when no picture has an address.
base::Result<std::unique_ptr<store::Store>> open_picture_files(const config::ImageFiles& settings,
                                                               backends::Executor& executor) {
    if (!settings.enabled) {
        return nullptr;
    }
    return store::Store::open({.folder = settings.folder,
                               .bounds = {.age = std::chrono::duration_cast<std::chrono::seconds>(settings.lifetime),
                                          .bytes = settings.max_bytes.count}},
                              executor);
}

api::Keeping keeping(const config::Server& server, store::Store* store) {
    api::Keeping result{.store = store};
    // A key may move in the list, and what it has kept must not become another's.
    for (std::size_t i = 0; i < server.api_keys.size(); ++i) {
        result.owners.emplace(name_of_key(i), store::owner_of_key(server.api_keys[i].reveal()));
    }
    for (const config::Client& client : server.clients) {
        result.owners.emplace(client.name, store::owner_of_client(client.name));
    }
    return result;
}

std::vector<http::Route> routes(const config::Settings& settings, const api::Services& services) {
    auto all = api::routes(services);
    std::erase_if(all, [&](const http::Route& route) {
        const bool is_docs =
            route.pattern == "/" || route.pattern == "/openapi.json" || route.pattern.starts_with("/docs");
        return (!settings.metrics.enabled && route.pattern == "/metrics") || (!settings.docs.enabled && is_docs);
    });
    return all;
}

/// Gives the dispatcher the workers that the fleet has.
class Placement final : public fleet::Observer {
public:
    explicit Placement(dispatch::Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

    void on_worker_ready(const backends::ModelName& model, backends::Backend& backend,
                         const llm_gateway::engine::v1::ModelFacts& facts) override {
        // No more than it can begin at once: a job that waits here can still be reordered, dropped, or run on a
        // successor. What that costs is the way of one message, well under a step of the engine, for each job.
        dispatcher_.on_ready(model, backend, facts.has_text() ? facts.text().slots() : 1);
    }
    void on_worker_unready(const backends::ModelName& model) override { dispatcher_.on_not_ready(model); }

private:
    dispatch::Dispatcher& dispatcher_;
};

/// The parts that live as long as the process listens, and their end in the right order.
class Running {
public:
    Running(asio::io_context& io, http::Server& server, dispatch::Dispatcher& dispatcher, fleet::Fleet& fleet,
            observe::FleetMetrics& fleet_metrics, api::responses::Background& background, base::Duration drain_timeout)
        : server_(server),
          dispatcher_(dispatcher),
          fleet_(fleet),
          fleet_metrics_(fleet_metrics),
          background_(background),
          drain_timeout_(drain_timeout),
          signals_(io, SIGTERM, SIGINT),
          timer_(io) {
        asio::co_spawn(io, tick(), asio::detached);
        asio::co_spawn(io, end_on_signal(), asio::detached);
    }

    bool ended() const { return ended_; }

private:
    asio::awaitable<void> tick() {
        while (!stopping_ || !fleet_.stopped()) {
            fleet_.tick();
            dispatcher_.tick();
            fleet_metrics_.tick();
            timer_.expires_after(tick_interval);
            co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
        }
        ended_ = true;
        signals_.cancel();
    }

    asio::awaitable<void> end_on_signal() {
        auto [error, number] = co_await signals_.async_wait(asio::as_tuple(asio::use_awaitable));
        base::log::info("ending: accepted requests are finished first", {{"signal", ::strsignal(number)}});
        end_at_once_on_signal();
        dispatcher_.drain();
        const bool all_finished = co_await server_.drain(drain_timeout_);
        if (!all_finished) {
            base::log::warning("requests were cut: they took longer than the drain timeout");
        }
        background_.stop();
        fleet_.stop();
        stopping_ = true;
    }

    void end_at_once_on_signal() {
        signals_.async_wait([this](const boost::system::error_code& error, int) {
            if (!error) {
                std::error_code ignored;
                std::filesystem::remove_all(fleet_.folder(), ignored);
                std::_Exit(EXIT_FAILURE);  // the kernel ends the workers with this process
            }
        });
    }

    http::Server& server_;
    dispatch::Dispatcher& dispatcher_;
    fleet::Fleet& fleet_;
    observe::FleetMetrics& fleet_metrics_;
    api::responses::Background& background_;
    const base::Duration drain_timeout_;
    asio::signal_set signals_;
    asio::steady_timer timer_;
    bool stopping_ = false;
    bool ended_ = false;
};

}  // namespace

int serve(const config::Settings& settings) {
    keep_memory_private();
    raise_descriptor_limit();
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGCHLD, SIG_DFL);  // ignored, as some parents leave it, the kernel would reap the workers before we can
    base::log::setup("gateway", settings.log.level, settings.log.format);
    auto folder = fleet::RuntimeFolder::make();
    if (!folder) {
        base::log::error(folder.error().message);
        return EXIT_FAILURE;
    }

    const base::SteadyClock clock;
    asio::io_context io(1);
    IoExecutor executor(io);
    metrics::Registry registry;

    // Who runs jobs: the fleet has the workers, the dispatcher chooses among them.
    fleet::Fleet fleet(io, executor, clock, std::move(*folder), worker_specs(settings, own_folder()));
    dispatch::Dispatcher dispatcher(dispatch_settings(settings), fleet, executor, clock);
    Placement placement(dispatcher);
    fetch::ImageFetching fetching(io, dispatcher, fetch_rules(settings.image_urls));
    drawing::ImageJobs image_jobs(fetching, fleet, clock,
                                  [&](const backends::ModelName& model) { return dispatcher.line(model); });

    // What is kept. The gateway does not start without it: who asks later must find what was promised.
    auto opened = open_store(settings.store, executor);
    if (!opened) {
        base::log::error(opened.error().message);
        return EXIT_FAILURE;
    }
    const std::unique_ptr<store::Store> store = *std::move(opened);
    auto opened_files = open_picture_files(settings.image_files, executor);
    if (!opened_files) {
        base::log::error(opened_files.error().message);
        return EXIT_FAILURE;
    }
    const std::unique_ptr<store::Store> picture_files = *std::move(opened_files);

    // Who watches.
    observe::JobMetrics job_metrics(registry, fleet);
    observe::HttpMetrics http_metrics(registry);
    observe::FleetMetrics fleet_metrics(
        registry, clock,
        {.workers = [&] { return fleet.workers(); }, .load = [&] { return dispatcher.load(); }, .system = {}});

    if (store) {
        observe::add_store_metrics(registry, [&] { return store->size(); }, store->bounds());
    }

    // Who speaks HTTP.
    api::responses::Background background;
    api::a1111::Choices a1111_choices;
    const api::Services services{
        .backend = image_jobs,
        .catalogue = fleet,
        .observer = job_metrics,
        .clock = clock,
        .metrics = [&] { return registry.exposition(); },
        .engine_versions = {{"llama.cpp", LLAMA_VERSION}, {"stable-diffusion.cpp", DIFFUSION_VERSION}},
        .background = background,
        .keeping = keeping(settings.server, store.get()),
        .image_jobs = image_jobs,
        .a1111_choices = a1111_choices,
        .picture_files = {.store = picture_files.get(),
                          .lifetime = std::chrono::duration_cast<std::chrono::seconds>(settings.image_files.lifetime)}};
    http::Server server(io, routes(settings, services), server_options(settings.server), &http_metrics);

    // The front door opens first; models load behind readiness.
    const auto port = server.listen(settings.server.host, static_cast<std::uint16_t>(settings.server.port));
    if (!port) {
        base::log::error(port.error().message);
        return EXIT_FAILURE;
    }
    fmt::print("{}", welcome(settings, *port));
    std::fflush(stdout);
    if (is_open_to_everybody(settings.server)) {
        base::log::warning("open to everybody: no API key is asked for", {{"host", settings.server.host}});
    }
    fleet.start({&placement});

    Running running(io, server, dispatcher, fleet, fleet_metrics, background, settings.server.drain_timeout);
    while (!running.ended() && io.run_one() > 0) {
    }
    io.run_for(last_words);
    return EXIT_SUCCESS;
}

}  // namespace gateway
