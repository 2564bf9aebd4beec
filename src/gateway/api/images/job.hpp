#pragma once

/// `/v1/images/jobs`: image jobs as clients see them. An extension.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/drawing/image_jobs.hpp"
#include "schema/object.hpp"

namespace gateway::api::images {

struct JobPreview {
    std::string b64_json;
};

struct JobFault {
    std::string message;
};

struct ImageJob {
    std::string id;
    std::int64_t created_at = 0;
    std::string model;
    drawing::State status = drawing::State::queued;
    std::int32_t position = 0;
    std::int32_t pictures = 1;
    std::int32_t pictures_done = 0;
    std::int32_t step = 0;
    std::int32_t steps = 0;
    double progress = 0;
    std::optional<double> predicted_seconds;
    std::optional<JobPreview> preview;
    std::optional<JobFault> error;
};

struct ImageJobList {
    std::vector<ImageJob> data;
};

struct ImageJobQuery {
    bool preview = true;
};

/// With the preview when there is one and it is wanted.
ImageJob to_image_job(const drawing::JobStatus& status, bool with_preview);

const schema::Object<JobPreview>& describe(schema::Type<JobPreview>);
const schema::Object<JobFault>& describe(schema::Type<JobFault>);
const schema::Object<ImageJob>& describe(schema::Type<ImageJob>);
const schema::Object<ImageJobList>& describe(schema::Type<ImageJobList>);
const schema::Object<ImageJobQuery>& describe(schema::Type<ImageJobQuery>);

}  // namespace gateway::api::images

namespace gateway::drawing {
const schema::Enum<State>& describe(schema::Type<State>);
}
