#pragma once

/// Requests that the documentation shows and that tests send.

#include <string>
#include <utility>
#include <vector>

#include "schema/shape.hpp"

namespace gateway::api {

using Examples = std::vector<std::pair<std::string, schema::Value>>;

Examples chat_examples();
Examples completion_examples();
Examples embedding_examples();
Examples rerank_examples();
Examples tokenize_examples();
Examples detokenize_examples();
Examples image_examples();

/// Streams as lists of events, each with its `data` as text.
Examples chat_stream_examples();
Examples completion_stream_examples();
Examples image_stream_examples();

/// A stream of one example: pairs of an event's name, or nothing, and its data.
Examples stream_example(const std::vector<std::pair<std::string, std::string>>& events);

}  // namespace gateway::api
