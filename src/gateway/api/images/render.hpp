#pragma once

/// From the events of an image job to OpenAI's answers, whole or streamed. Pure.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/api/images/types.hpp"
#include "gateway/backends/backend.hpp"
#include "gateway/drawing/image_jobs.hpp"

namespace gateway::api::images {

struct FinishedPicture {
    /// The encoded file.
    std::string bytes;
    std::string media_type;
    std::int64_t seed = 0;
};

struct FinishedPictures {
    std::vector<FinishedPicture> pictures;
    /// "WIDTHxHEIGHT"
    std::string size;
};

/// Collects the pictures of a whole answer.
class Collector {
public:
    /// `pictures`: as many as the job was asked for.
    explicit Collector(std::size_t pictures) { collected_.pictures.resize(pictures); }
    void add(const backends::Event& event);
    /// After the event `finished`. Takes the pictures out; nothing when one did not come.
    std::optional<FinishedPictures> take();

private:
    FinishedPictures collected_;
};

/// Pictures that were only enlarged have none.
enum class Seeds { shown, none };

/// With the files themselves; `addresses` of all of them instead, when there are any.
Response to_response(FinishedPictures finished, const std::vector<std::string>& addresses, std::int64_t created,
                     OutputFormat format, Seeds seeds);

struct StreamForm {
    /// Whose events they are.
    enum class Of { generation, edit };
    Of of = Of::generation;
    std::int64_t created = 0;
    OutputFormat format = OutputFormat::png;
    /// As the request has it, "auto" included.
    std::string size;
    /// Most partial pictures for each picture.
    std::int32_t partial_images = 0;
    bool progress = false;
    /// How the job is at the moment; asked for with `progress` alone.
    std::function<std::optional<drawing::JobStatus>()> job = {};
};

/// An event of a stream: its name and its data as JSON text.
struct StreamEvent {
    std::string name;
    std::string data;
};

/// Turns the events of a job into those of a stream, in order.
class EventWriter {
public:
    explicit EventWriter(StreamForm form) : form_(std::move(form)) {}
    /// What a stream begins with.
    std::vector<StreamEvent> begin() const;
    std::vector<StreamEvent> add(const backends::Event& event);

private:
    std::vector<StreamEvent> place_in_line() const;

    StreamForm form_;
    /// Partial pictures sent so far of each picture.
    std::vector<std::int32_t> partial_;
};

}  // namespace gateway::api::images
