#pragma once

/// The LoRA adapters of a model. One that cannot be loaded says why and leaves the others alone.

#include <llama.h>

#include <memory>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/llama/load.hpp"

namespace worker::engine::llama {

class Adapters {
public:
    /// To be made before the model's contexts, whose graphs then have room for them; they are freed with the model. What
    /// could not be loaded is in the log.
    Adapters(llama_model* model, const std::vector<AdapterFile>& files);

    /// As `TextEngine::adapters_of`.
    base::Result<AdapterSet> set_of(const AdapterUses& named) const;
    /// What `context` evaluates from now on is evaluated with these.
    void use(llama_context* context, const AdapterSet& set) const;

    void describe(contract::TextFacts& facts) const;

private:
    struct Adapter {
        AdapterFile file;
        llama_adapter_lora* loaded = nullptr;  // null with a problem
    };

    base::Result<std::size_t> find(const std::string& name) const;

    std::vector<Adapter> adapters_;
};

}  // namespace worker::engine::llama
