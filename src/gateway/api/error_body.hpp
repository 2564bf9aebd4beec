#pragma once

/// The error envelope as a type, for the documentation and for tests; http/errors.cpp writes it.

#include <optional>
#include <string>
#include <vector>

#include "schema/object.hpp"

namespace gateway::api {

struct OneFault {
    std::optional<std::string> param;
    std::string message;
    std::string code;
};

struct ErrorDetails {
    std::string message;
    std::string type;
    std::optional<std::string> param;
    std::optional<std::string> code;
    std::optional<std::vector<OneFault>> errors;
};

struct ErrorBody {
    ErrorDetails error;
};

const schema::Object<OneFault>& describe(schema::Type<OneFault>);
const schema::Object<ErrorDetails>& describe(schema::Type<ErrorDetails>);
const schema::Object<ErrorBody>& describe(schema::Type<ErrorBody>);

}  // namespace gateway::api
