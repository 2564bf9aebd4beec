#pragma once

/// LoRA adapters in a request: by the name of the model, or by llama.cpp's field `lora`.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine.pb.h"
#include "gateway/api/named_model.hpp"
#include "schema/object.hpp"

namespace gateway::api {

struct AdapterUse {
    /// Its number among the model's, from 0, or its name.
    std::variant<std::int32_t, std::string> id;
    std::optional<double> scale;
};

struct AdapterFields {
    std::optional<std::vector<AdapterUse>> lora;
};

using AdapterUses = google::protobuf::RepeatedPtrField<llm_gateway::engine::v1::LoraUse>;

/// What a job is to use. Faults: an adapter that the model has not, or that is named twice.
std::expected<AdapterUses, schema::Faults> adapters_of(const NamedModel& model, const AdapterFields& fields);

/// Into what the job evaluates; a job that evaluates nothing with them is left as it is.
void set_adapters(backends::Job& job, const AdapterUses& uses);

const schema::Object<AdapterUse>& describe(schema::Type<AdapterUse>);
const schema::Object<AdapterFields>& describe(schema::Type<AdapterFields>);

}  // namespace gateway::api
