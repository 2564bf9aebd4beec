#pragma once

/// From the requests to the work they ask for; ids are left to the caller. Pure. `facts`, when known, are those of the
/// model that will do it: a size outside of its limits, an unknown sampler, scheduler or LoRA are faults that name what
/// there is.

#include <expected>
#include <string>
#include <string_view>

#include "gateway/api/images/edits.hpp"
#include "gateway/api/images/types.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::images {

using JobOrFaults = std::expected<backends::Job, schema::Faults>;

JobOrFaults to_job(const Request& request, const llm_gateway::engine::v1::ModelFacts* facts);
JobOrFaults to_job(const EditForm& form, const llm_gateway::engine::v1::ModelFacts* facts);
JobOrFaults to_job(const EditBody& body, const llm_gateway::engine::v1::ModelFacts* facts);
JobOrFaults to_job(const VariationForm& form, const llm_gateway::engine::v1::ModelFacts* facts);
JobOrFaults to_job(const UpscaleForm& form, const llm_gateway::engine::v1::ModelFacts* facts);
JobOrFaults to_job(const UpscaleBody& body, const llm_gateway::engine::v1::ModelFacts* facts);

/// The name that a field of the job has in the request: where the worker blames the one, the client looks for the
/// other. Of generations; of forms with pictures; of edits in JSON.
std::string to_request_path(std::string_view job_path);
std::string to_form_path(std::string_view job_path);
std::string to_edit_body_path(std::string_view job_path);

}  // namespace gateway::api::images
