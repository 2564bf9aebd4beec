#pragma once

/// base/base64.hpp by the names that the endpoints use.

#include "base/base64.hpp"

namespace gateway::api {

using base::decode_base64;
using base::encode_base64;

}  // namespace gateway::api
