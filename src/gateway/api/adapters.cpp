#include "gateway/api/adapters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>

namespace gateway::api {
namespace {

using schema::FaultKind;
using schema::Reading;

std::optional<std::size_t> find(const backends::ModelStatus& model, const AdapterUse& use) {
    if (const auto* number = std::get_if<std::int32_t>(&use.id)) {
        const auto index = static_cast<std::size_t>(*number);
        return index < model.adapters.size() ? std::optional(index) : std::nullopt;
    }
    const auto found =
        std::ranges::find(model.adapters, std::get<std::string>(use.id), &backends::ModelStatus::Adapter::name);
    return found == model.adapters.end() ? std::nullopt
                                         : std::optional(static_cast<std::size_t>(found - model.adapters.begin()));
}

std::string unknown(const backends::ModelStatus& model) {
    if (model.adapters.empty())
        return fmt::format("is no adapter: the model `{}` has none", model.name.value());
    std::string names;
    for (const auto& adapter : model.adapters)
        names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", adapter.name);
    return fmt::format("is no adapter of the model `{}`, which has {}", model.name.value(), names);
}

void add(AdapterUses& uses, const backends::ModelStatus& model, std::size_t adapter, std::optional<double> scale) {
    auto& use = *uses.Add();
    use.set_name(model.adapters[adapter].name);
    use.set_scale(static_cast<float>(scale.value_or(model.adapters[adapter].scale)));
}

}  // namespace

std::expected<AdapterUses, schema::Faults> adapters_of(const NamedModel& model, const AdapterFields& fields) {
    AdapterUses uses;
    if (model.adapter)
        add(uses, model, *model.adapter, std::nullopt);
    if (!fields.lora)
        return uses;
    schema::Findings findings;
    const Reading root(findings);
    const Reading lora = root.at("lora");
    if (model.adapter)
        lora.fault(FaultKind::rule, "cannot be given together with a model's name that names an adapter");
    std::vector<bool> seen(model.adapters.size());
    for (std::size_t i = 0; i < fields.lora->size(); ++i) {
        const AdapterUse& use = (*fields.lora)[i];
        const Reading here = lora.at(i);
        const auto adapter = find(model, use);
        if (!adapter)
            here.at("id").fault(FaultKind::rule, unknown(model));
        else if (seen[*adapter])
            here.at("id").fault(FaultKind::rule, "names an adapter for the second time");
        else
            add(uses, model, *adapter, use.scale);
        if (adapter)
            seen[*adapter] = true;
    }
    if (!findings.faults.empty())
        return std::unexpected(std::move(findings.faults));
    return uses;
}

void set_adapters(backends::Job& job, const AdapterUses& uses) {
    if (job.has_text())
        *job.mutable_text()->mutable_adapters() = uses;
    else if (job.has_embedding())
        *job.mutable_embedding()->mutable_adapters() = uses;
}

const schema::Object<AdapterUse>& describe(schema::Type<AdapterUse>) {
    static const auto table =
        schema::Object<AdapterUse>("LoraAdapter", "A LoRA adapter of the model, and how strong it is to be.")
            .field("id", &AdapterUse::id,
                   {.doc = "Its number, in the order of `text.adapters` in GET /v1/models/{model}, or its name.",
                    .required = true,
                    .minimum = 0,
                    .min_length = 1,
                    .max_length = 128,
                    .example = 0})
            .field("scale", &AdapterUse::scale,
                   {.doc = "0: as if it were not there. Default: what the server is configured with.",
                    .minimum = -100,
                    .maximum = 100,
                    .example = 0.5});
    return table;
}

const schema::Object<AdapterFields>& describe(schema::Type<AdapterFields>) {
    static const auto table =
        schema::Object<AdapterFields>("LoraFields", "Which adapters the model has.")
            .field("lora", &AdapterFields::lora,
                   {.doc = "Extension of llama.cpp. LoRA adapters to answer with, instead of the model alone. One "
                           "adapter at its usual strength can be had by the name of the model as well: "
                           "`MODEL:ADAPTER`.",
                    .max_items = 100});
    return table;
}

}  // namespace gateway::api
