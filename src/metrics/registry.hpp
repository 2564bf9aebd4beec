#pragma once

/// Counters, gauges and histograms, and the text a Prometheus server scrapes. Knows no module: whoever has something to
/// count makes its metrics from the one Registry and keeps them.
///
///     metrics::Counter requests = registry.counter("gateway_requests_total", "Requests answered.", {"endpoint",
///     "status"}); requests.add({"/v1/models", "200"});
///
/// Label values are bounded: a metric keeps at most `max_series` combinations, later ones are counted under "other", so
/// nothing a client sends can grow memory or the scrape. Safe from any thread. Metrics must not outlive their Registry.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace metrics {

using LabelNames = std::vector<std::string>;
/// In the order of the metric's label names, and as many; another number of them is a bug and throws.
using LabelValues = std::vector<std::string>;
using Labels = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";
inline constexpr std::size_t max_series = 256;

/// Upper bounds in seconds for waits of a request: 1 ms to 5 minutes.
std::vector<double> request_seconds_buckets();
/// Upper bounds in seconds for one token: 1 ms to 5 s.
std::vector<double> token_seconds_buckets();

namespace detail {
class CounterFamily;
class GaugeFamily;
class HistogramFamily;
}  // namespace detail

/// Only grows.
class Counter {
public:
    explicit Counter(detail::CounterFamily& family) : family_(&family) {}
    void add(const LabelValues& labels, double by = 1);
    void add(double by = 1) { add({}, by); }

private:
    detail::CounterFamily* family_;
};

/// Goes up and down.
class Gauge {
public:
    explicit Gauge(detail::GaugeFamily& family) : family_(&family) {}
    void set(const LabelValues& labels, double value);
    void set(double value) { set({}, value); }
    void add(const LabelValues& labels, double by);
    void add(double by) { add({}, by); }

private:
    detail::GaugeFamily* family_;
};

class Histogram {
public:
    explicit Histogram(detail::HistogramFamily& family) : family_(&family) {}
    void observe(const LabelValues& labels, double value);
    void observe(double value) { observe({}, value); }

private:
    detail::HistogramFamily* family_;
};

/// What a collector found, written at the time of a scrape. One name may come many times with different labels.
class Samples {
public:
    virtual void gauge(std::string_view name, std::string_view help, const Labels& labels, double value) = 0;
    virtual void counter(std::string_view name, std::string_view help, const Labels& labels, double value) = 0;

protected:
    ~Samples() = default;
};

class Registry {
public:
    Registry();
    ~Registry();
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    // A name given twice, or not a metric's name, is a bug and throws std::invalid_argument. A metric without labels
    // shows from the start with 0, one with labels once a value is known.

    Counter counter(std::string name, std::string help, LabelNames labels = {});
    Gauge gauge(std::string name, std::string help, LabelNames labels = {});
    /// `buckets`: ascending upper bounds, without infinity.
    Histogram histogram(std::string name, std::string help, std::vector<double> buckets, LabelNames labels = {});

    /// `collect` runs in every `exposition`, on its thread: for numbers that live elsewhere, as in /proc.
    void add_collector(std::function<void(Samples&)> collect);

    /// Everything, in Prometheus' text format, sorted by name.
    std::string exposition() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace metrics
