/// The names, types and labels of all metrics are an interface that dashboards and alerts are built on: a change shows
/// in tests/golden/metrics.txt and so in review. To accept one: UPDATE_GOLDEN=1 gateway_observe_test.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "base/temporary_folder.hpp"
#include "gateway/observe/fleet_metrics.hpp"
#include "gateway/observe/http_metrics.hpp"
#include "gateway/observe/job_metrics.hpp"
#include "gateway/observe/store_metrics.hpp"

namespace gateway::observe {
namespace {

using namespace std::chrono_literals;
using backends::ModelKind;
using backends::ModelName;
using backends::ModelState;

class OneModel final : public backends::Catalogue {
public:
    std::vector<backends::ModelStatus> models() const override { return {{.name = ModelName("tiny")}}; }
    std::optional<backends::ModelStatus> find(const ModelName& name) const override {
        return name.value() == "tiny" ? std::optional(backends::ModelStatus{.name = name}) : std::nullopt;
    }
    std::optional<ModelName> default_model(ModelKind) const override { return ModelName("tiny"); }
};

/// Every metric, with a value each.
class MetricNames : public testing::Test {
protected:
    MetricNames() {
        folder_.write("cpu.stat", "nr_periods 3\nnr_throttled 2\nthrottled_usec 500000\n");
        for (const auto kind : {ModelKind::text, ModelKind::image}) {
            workers_.push_back({.name = ModelName(kind == ModelKind::text ? "tiny" : "pictures"),
                                .kind = kind,
                                .state = ModelState::ready,
                                .pid = ::getpid(),
                                .restarts = 1,
                                .statistics = llm_gateway::engine::v1::StatisticsReply()});
        }
        workers_[0].statistics->set_prompt_tokens_cached(42);
        workers_[0].statistics->set_prompt_tokens_from_memory(2);
        workers_[0].statistics->add_drafts()->set_source("lookup");
        auto& cache = *workers_[0].statistics->add_caches();
        cache.set_name("grammar");
        cache.set_hits(3);
    }

    void finish_images() {
        llm_gateway::engine::v1::Timings timings;
        timings.set_sampling_seconds(1);
        jobs_.on_job_finished({.model = "tiny",
                               .endpoint = "/v1/images/generations",
                               .outcome = api::Outcome::answered,
                               .total_seconds = 1,
                               .usage = {},
                               .timings = timings});
    }

    void finish_job(const std::string& model, std::uint32_t completion_tokens) {
        llm_gateway::engine::v1::Usage usage;
        usage.set_completion_tokens(completion_tokens);
        jobs_.on_job_finished({.model = model,
                               .endpoint = "/v1/chat/completions",
                               .outcome = api::Outcome::answered,
                               .total_seconds = 1,
                               .usage = usage,
                               .timings = {}});
    }

    bool shows(const std::string& line) { return registry_.exposition().find(line + "\n") != std::string::npos; }

    base::ManualClock clock_;
    OneModel catalogue_;
    metrics::Registry registry_;
    std::vector<fleet::WorkerSnapshot> workers_;
    base::TemporaryFolder folder_;
    metrics::SystemFolders system_{.cgroup = folder_.path()};
    JobMetrics jobs_{registry_, catalogue_};
    HttpMetrics http_{registry_};
};

/// "family type label,label" for every metric of an exposition, sorted; a counter's family is its name without
/// "_total", as Prometheus' parsers call it.
std::string families(const std::string& exposition) {
    std::map<std::string, std::string> types;
    std::map<std::string, std::set<std::string>> labels;
    std::istringstream lines(exposition);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# TYPE ")) {
            std::istringstream words(line.substr(7));
            std::string name;
            words >> name;
            words >> types[name];
        } else if (!line.empty() && line[0] != '#') {
            std::string name = line.substr(0, line.find_first_of("{ "));
            for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
                if (name.ends_with(suffix) && types.contains(name.substr(0, name.size() - suffix.size()))) {
                    name.resize(name.size() - suffix.size());
                }
            }
            for (auto equals = line.find("=\""); equals != std::string::npos; equals = line.find("=\"", equals + 1)) {
                const auto begin = line.find_last_of("{,", equals) + 1;
                labels[name].insert(line.substr(begin, equals - begin));
            }
        }
    }
    std::set<std::string> result;
    for (const auto& [name, type] : types) {
        std::string family = type == "counter" ? name.substr(0, name.rfind("_total")) : name;
        family += " " + type;
        char separator = ' ';
        for (const auto& label : labels[name]) {
            if (label != "le") {
                family += std::exchange(separator, ',') + label;
            }
        }
        result.insert(std::move(family));
    }
    std::string text;
    for (const auto& family : result) {
        text += family + "\n";
    }
    return text;
}

TEST_F(MetricNames, AreTheGoldenOnes) {
    FleetMetrics fleet(registry_, clock_,
                       {.workers = [this] { return workers_; },
                        .load = [] { return std::vector<dispatch::Load>{{.model = ModelName("tiny")}}; },
                        .system = system_});
    jobs_.on_started("tiny", 1);
    jobs_.on_first_token("tiny", 1);
    jobs_.on_time_per_token("tiny", 1);
    jobs_.on_image_step("tiny", 1);
    jobs_.on_image_done("tiny");
    finish_job("tiny", 1);
    finish_images();
    const http::Request request;
    http_.on_request_started();
    http_.on_request_finished({.request = request, .endpoint = "/v1/models", .status = 200});

    add_store_metrics(registry_, [] { return store::Size{.entries = 1, .bytes = 2}; }, {});
    const std::string found = families(registry_.exposition());
    const std::string golden_file = SOURCE_FOLDER "/tests/golden/metrics.txt";
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
        std::ofstream(golden_file) << found;
    }
    std::ifstream golden(golden_file);
    EXPECT_EQ(found, std::string(std::istreambuf_iterator<char>(golden), {}));
}

TEST_F(MetricNames, AModelThatIsNotConfiguredIsUnknown) {
    finish_job("tiny", 5);
    finish_job("no-such-model-1", 0);
    finish_job("no-such-model-2", 0);
    EXPECT_TRUE(shows(R"(gateway_tokens_total{model="tiny",direction="out"} 5)")) << registry_.exposition();
    EXPECT_TRUE(shows(R"(gateway_request_duration_seconds_count{endpoint="/v1/chat/completions",model="unknown"} 2)"));
    EXPECT_EQ(registry_.exposition().find("no-such-model"), std::string::npos);
}

TEST_F(MetricNames, WorkersAreReadWhenAsked) {
    FleetMetrics fleet(
        registry_, clock_,
        {.workers = [this] { return workers_; }, .load = [] { return std::vector<dispatch::Load>{}; }, .system = {}});
    EXPECT_TRUE(shows(R"(worker_up{model="tiny"} 1)")) << registry_.exposition();
    EXPECT_TRUE(shows(R"(worker_prefix_hit_tokens_total{model="tiny",tier="cells"} 40)"));
    EXPECT_TRUE(shows(R"(worker_cache_lookups_total{model="tiny",cache="grammar",outcome="hit"} 3)"));
    EXPECT_NE(registry_.exposition().find(R"(worker_resident_memory_bytes{model="tiny",kind="anonymous"})"),
              std::string::npos);
    workers_[0].state = ModelState::restarting;
    workers_[0].pid = 0;
    workers_[0].statistics.reset();
    EXPECT_TRUE(shows(R"(worker_up{model="tiny"} 0)"));
    EXPECT_EQ(registry_.exposition().find(R"(worker_resident_memory_bytes{model="tiny")"), std::string::npos);
}

TEST_F(MetricNames, CoresUsedAreMeasuredBetweenTwoLooks) {
    FleetMetrics fleet(
        registry_, clock_,
        {.workers = [this] { return workers_; }, .load = [] { return std::vector<dispatch::Load>{}; }, .system = {}});
    fleet.tick();
    EXPECT_TRUE(shows(R"(worker_cpu_cores_used{model="tiny"} 0)"));
    const auto before = metrics::process_usage(::getpid());
    while (metrics::process_usage(::getpid())->cpu_seconds < before->cpu_seconds + 0.05) {
        // The kernel counts in ticks of ten milliseconds or so; this is work for it to count.
    }
    clock_.advance(5s);
    fleet.tick();
    EXPECT_FALSE(shows(R"(worker_cpu_cores_used{model="tiny"} 0)"));
}

}  // namespace
}  // namespace gateway::observe
