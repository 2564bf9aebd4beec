#include "metrics/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace metrics {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Registry, ShowsACounterWithHelpTypeAndLabels) {
    Registry registry;
    auto requests = registry.counter("gateway_requests_total", "Requests answered.", {"endpoint", "status"});
    requests.add({"/v1/models", "200"});
    requests.add({"/v1/models", "200"}, 2);
    requests.add({"/v1/models", "404"});
    EXPECT_EQ(registry.exposition(),
              "# HELP gateway_requests_total Requests answered.\n"
              "# TYPE gateway_requests_total counter\n"
              "gateway_requests_total{endpoint=\"/v1/models\",status=\"200\"} 3\n"
              "gateway_requests_total{endpoint=\"/v1/models\",status=\"404\"} 1\n");
}

TEST(Registry, ShowsAMetricWithoutLabelsFromTheStart) {
    Registry registry;
    registry.counter("a_total", "A.");
    auto waiting = registry.gauge("b_waiting", "B.");
    EXPECT_THAT(registry.exposition(), HasSubstr("a_total 0\n"));
    waiting.add(3);
    waiting.add(-1);
    EXPECT_THAT(registry.exposition(), HasSubstr("b_waiting 2\n"));
}

TEST(Registry, CountsAHistogramByBucketSumAndCount) {
    Registry registry;
    auto wait = registry.histogram("wait_seconds", "Wait.", {0.1, 1}, {"model"});
    wait.observe({"m"}, 0.05);
    wait.observe({"m"}, 0.5);
    wait.observe({"m"}, 5);
    const auto text = registry.exposition();
    EXPECT_THAT(text, HasSubstr("wait_seconds_bucket{model=\"m\",le=\"0.1\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("wait_seconds_bucket{model=\"m\",le=\"1\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("wait_seconds_bucket{model=\"m\",le=\"+Inf\"} 3\n"));
    EXPECT_THAT(text, HasSubstr("wait_seconds_count{model=\"m\"} 3\n"));
    EXPECT_THAT(text, HasSubstr("wait_seconds_sum{model=\"m\"} 5.55\n"));
}

TEST(Registry, BoundsTheNumberOfLabelValues) {
    Registry registry;
    auto requests = registry.counter("requests_total", "R.", {"model"});
    for (std::size_t at = 0; at < 10 * max_series; ++at) {
        requests.add({"model-" + std::to_string(at)});
    }
    const auto text = registry.exposition();
    EXPECT_THAT(text, HasSubstr("model-0"));
    EXPECT_THAT(text, Not(HasSubstr("model-" + std::to_string(max_series))));
    const auto kept = max_series - 1;
    EXPECT_THAT(text, HasSubstr("{model=\"other\"} " + std::to_string(10 * max_series - kept) + "\n"));
    requests.add({"model-0"});
    EXPECT_THAT(registry.exposition(), HasSubstr("{model=\"model-0\"} 2\n"));
}

TEST(Registry, EscapesWhatALabelMayContain) {
    Registry registry;
    registry.gauge("g", "G.", {"name"}).set({"a\"b\\c\nd"}, 1);
    EXPECT_THAT(registry.exposition(), HasSubstr(R"(g{name="a\"b\\c\nd"} 1)"));
}

TEST(Registry, AsksCollectorsAtEveryScrape) {
    Registry registry;
    int scrapes = 0;
    registry.add_collector([&](Samples& samples) {
        ++scrapes;
        samples.gauge("worker_bytes", "Memory.", {{"worker", "a"}}, scrapes);
        samples.counter("worker_faults_total", "Faults.", {{"worker", "a"}}, 7);
    });
    registry.add_collector([](Samples& samples) { samples.gauge("worker_bytes", "Memory.", {{"worker", "b"}}, 9); });
    registry.exposition();
    const auto text = registry.exposition();
    EXPECT_THAT(text,
                HasSubstr("# TYPE worker_bytes gauge\nworker_bytes{worker=\"a\"} 2\nworker_bytes{worker=\"b\"} 9\n"));
    EXPECT_THAT(text, HasSubstr("# TYPE worker_faults_total counter\nworker_faults_total{worker=\"a\"} 7\n"));
}

TEST(Registry, RefusesWhatIsABug) {
    Registry registry;
    auto counter = registry.counter("a_total", "A.", {"label"});
    EXPECT_THROW(registry.gauge("a_total", "Again."), std::invalid_argument);
    EXPECT_THROW(registry.counter("no spaces", "B."), std::invalid_argument);
    EXPECT_THROW(registry.counter("c_total", "C.", {"bad-label"}), std::invalid_argument);
    EXPECT_THROW(registry.histogram("d", "D.", {2, 1}), std::invalid_argument);
    EXPECT_THROW(registry.histogram("e", "E.", {1}, {"le"}), std::invalid_argument);
    EXPECT_THROW(counter.add({"one", "two"}), std::invalid_argument);
}

}  // namespace
}  // namespace metrics
