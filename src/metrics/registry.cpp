#include "metrics/registry.hpp"

#include <prometheus/check_names.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace metrics {
namespace detail {

/// One metric with its label combinations. prometheus-cpp has families too, but theirs only grow; this one knows a
/// limit.
template <typename Metric>
class Family {
public:
    Family(std::string name, std::string help, LabelNames labels, std::function<std::unique_ptr<Metric>()> make)
        : name_(std::move(name)), help_(std::move(help)), labels_(std::move(labels)), make_(std::move(make)) {
        if (labels_.empty()) {
            series({});
        }
    }

    Metric& series(const LabelValues& values) {
        if (values.size() != labels_.size()) {
            throw std::invalid_argument("wrong number of label values for " + name_);
        }
        const std::scoped_lock lock(mutex_);
        if (const auto known = series_.find(values); known != series_.end()) {
            return *known->second;
        }
        const bool full = series_.size() + 1 >= max_series;
        auto& metric = series_[full ? LabelValues(labels_.size(), "other") : values];
        if (!metric) {
            metric = make_();
        }
        return *metric;
    }

    prometheus::MetricFamily collected() const {
        prometheus::MetricFamily family{.name = name_, .help = help_, .type = Metric::metric_type, .metric = {}};
        const std::scoped_lock lock(mutex_);
        for (const auto& [values, metric] : series_) {
            auto collected = metric->Collect();
            for (std::size_t at = 0; at < labels_.size(); ++at) {
                collected.label.push_back({.name = labels_[at], .value = values[at]});
            }
            family.metric.push_back(std::move(collected));
        }
        return family;
    }

private:
    const std::string name_;
    const std::string help_;
    const LabelNames labels_;
    const std::function<std::unique_ptr<Metric>()> make_;
    mutable std::mutex mutex_;  // between whoever counts and the scrape
    std::map<LabelValues, std::unique_ptr<Metric>> series_;
};

class CounterFamily : public Family<prometheus::Counter> {
    using Family::Family;
};
class GaugeFamily : public Family<prometheus::Gauge> {
    using Family::Family;
};
class HistogramFamily : public Family<prometheus::Histogram> {
    using Family::Family;
};

}  // namespace detail

namespace {

using Families = std::map<std::string, prometheus::MetricFamily, std::less<>>;

class CollectedSamples final : public Samples {
public:
    explicit CollectedSamples(Families& families) : families_(families) {}

    void gauge(std::string_view name, std::string_view help, const Labels& labels, double value) override {
        add(name, help, labels, prometheus::MetricType::Gauge).gauge.value = value;
    }
    void counter(std::string_view name, std::string_view help, const Labels& labels, double value) override {
        add(name, help, labels, prometheus::MetricType::Counter).counter.value = value;
    }

private:
    prometheus::ClientMetric& add(std::string_view name, std::string_view help, const Labels& labels,
                                  prometheus::MetricType type) {
        auto& family = families_[std::string(name)];
        family.name = name;
        family.help = help;
        family.type = type;
        auto& metric = family.metric.emplace_back();
        for (const auto& [label, text] : labels) {
            metric.label.push_back({.name = label, .value = text});
        }
        return metric;
    }

    Families& families_;
};

}  // namespace

struct Registry::State {
    mutable std::mutex mutex;
    std::map<std::string, std::function<prometheus::MetricFamily()>> families;
    std::vector<std::function<void(Samples&)>> collectors;

    template <typename Family, typename Metric>
    Family& add(std::string name, std::string help, LabelNames labels, std::function<std::unique_ptr<Metric>()> make) {
        if (!prometheus::CheckMetricName(name)) {
            throw std::invalid_argument("not a metric's name: " + name);
        }
        for (const std::string& label : labels) {
            if (!prometheus::CheckLabelName(label) || label == "le") {  // "le" names the buckets
                throw std::invalid_argument("not a label's name: " + label);
            }
        }
        auto family = std::make_shared<Family>(name, std::move(help), std::move(labels), std::move(make));
        const std::scoped_lock lock(mutex);
        if (!families.emplace(name, [family] { return family->collected(); }).second) {
            throw std::invalid_argument("this metric exists already: " + name);
        }
        return *family;
    }
};

void Counter::add(const LabelValues& labels, double by) {
    family_->series(labels).Increment(by);
}
void Gauge::set(const LabelValues& labels, double value) {
    family_->series(labels).Set(value);
}
void Gauge::add(const LabelValues& labels, double by) {
    family_->series(labels).Increment(by);
}
void Histogram::observe(const LabelValues& labels, double value) {
    family_->series(labels).Observe(value);
}

std::vector<double> request_seconds_buckets() {
    return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300};
}

std::vector<double> token_seconds_buckets() {
    return {0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5};
}

Registry::Registry() : state_(std::make_unique<State>()) {}
Registry::~Registry() = default;

Counter Registry::counter(std::string name, std::string help, LabelNames labels) {
    return Counter(state_->add<detail::CounterFamily, prometheus::Counter>(
        std::move(name), std::move(help), std::move(labels), [] { return std::make_unique<prometheus::Counter>(); }));
}

Gauge Registry::gauge(std::string name, std::string help, LabelNames labels) {
    return Gauge(state_->add<detail::GaugeFamily, prometheus::Gauge>(
        std::move(name), std::move(help), std::move(labels), [] { return std::make_unique<prometheus::Gauge>(); }));
}

Histogram Registry::histogram(std::string name, std::string help, std::vector<double> buckets, LabelNames labels) {
    if (!std::ranges::is_sorted(buckets)) {
        throw std::invalid_argument("buckets must ascend: " + name);
    }
    return Histogram(state_->add<detail::HistogramFamily, prometheus::Histogram>(
        std::move(name), std::move(help), std::move(labels),
        [buckets = std::move(buckets)] { return std::make_unique<prometheus::Histogram>(buckets); }));
}

void Registry::add_collector(std::function<void(Samples&)> collect) {
    const std::scoped_lock lock(state_->mutex);
    state_->collectors.push_back(std::move(collect));
}

std::string Registry::exposition() const {
    const std::scoped_lock lock(state_->mutex);
    Families families;
    for (const auto& [name, collected] : state_->families) {
        families[name] = collected();
    }
    CollectedSamples samples(families);
    for (const auto& collect : state_->collectors) {
        collect(samples);
    }
    std::vector<prometheus::MetricFamily> list;
    for (auto& [name, family] : families) {
        list.push_back(std::move(family));
    }
    std::ostringstream text;
    prometheus::TextSerializer().Serialize(text, list);
    return std::move(text).str();
}

}  // namespace metrics
