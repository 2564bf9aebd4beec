#include "worker/engine/llama/adapters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/log.hpp"
#include "base/utf8.hpp"
#include "worker/engine/llama/adapter_file.hpp"
#include "worker/engine/llama/log_bridge.hpp"

namespace worker::engine::llama {

using base::ErrorCode;
using base::fail;

Adapters::Adapters(llama_model* model, const std::vector<AdapterFile>& files) {
    for (const AdapterFile& file : files) {
        Adapter& adapter = adapters_.emplace_back(Adapter{.file = file});
        std::string& problem = adapter.file.problem;
        if (problem.empty()) {
            if (auto checked = check_adapter(file.file, model); !checked) {
                problem = checked.error().message;
            }
        }
        if (problem.empty()) {
            take_first_error();
            adapter.loaded = llama_adapter_lora_init(model, file.file.c_str());
            if (adapter.loaded == nullptr) {
                problem = take_first_error();
            }
        }
        problem = base::valid_utf8(problem);  // it may name tensors
        if (adapter.loaded == nullptr) {
            base::log::error("an adapter cannot be used",
                             {{"adapter", file.name}, {"file", file.file}, {"reason", problem}});
        } else {
            base::log::info("adapter loaded", {{"adapter", file.name}, {"file", file.file}});
        }
    }
}

base::Result<std::size_t> Adapters::find(const std::string& name) const {
    const auto found = std::ranges::find(adapters_, name, [](const Adapter& each) { return each.file.name; });
    if (found == adapters_.end()) {
        return fail(ErrorCode::not_found, fmt::format("This model has no adapter `{}`.", name));
    }
    if (found->loaded == nullptr) {
        return fail(ErrorCode::not_found,
                    fmt::format("The adapter `{}` could not be loaded: {}.", name, found->file.problem));
    }
    return static_cast<std::size_t>(found - adapters_.begin());
}

base::Result<AdapterSet> Adapters::set_of(const AdapterUses& named) const {
    AdapterSet set;
    std::vector<bool> seen(adapters_.size());
    for (int index = 0; index < named.size(); ++index) {
        const std::string param = fmt::format("adapters[{}]", index);
        const auto adapter = find(named[index].name());
        if (!adapter) {
            return fail(adapter.error().code, adapter.error().message, param);
        }
        if (seen[*adapter]) {
            return fail(ErrorCode::invalid, fmt::format("The adapter `{}` is named twice.", named[index].name()),
                        param);
        }
        seen[*adapter] = true;
        if (named[index].scale() != 0) {
            set.uses.push_back({.adapter = *adapter, .scale = named[index].scale()});
        }
    }
    std::ranges::sort(set.uses, {}, &AdapterSet::Use::adapter);
    for (const auto& use : set.uses) {
        // The names are here for files whose contents are not known.
        const AdapterFile& file = adapters_[use.adapter].file;
        set.key += fmt::format("{}:{}*{:08x};", file.name, file.sha256, std::bit_cast<std::uint32_t>(use.scale));
    }
    return set;
}

void Adapters::use(llama_context* context, const AdapterSet& set) const {
    std::vector<llama_adapter_lora*> adapters;
    std::vector<float> scales;
    for (const auto& use : set.uses) {
        adapters.push_back(adapters_[use.adapter].loaded);
        scales.push_back(use.scale);
    }
    llama_set_adapters_lora(context, adapters.data(), adapters.size(), scales.data());
}

void Adapters::describe(contract::TextFacts& facts) const {
    for (const Adapter& each : adapters_) {
        auto& adapter = *facts.add_adapters();
        adapter.set_name(each.file.name);
        adapter.set_scale(each.file.scale);
        adapter.set_file_sha256(each.file.sha256);
        adapter.set_problem(each.file.problem);
    }
}

}  // namespace worker::engine::llama
