#pragma once

/// `GET /health/live`, `GET /health/ready` and `GET /version`.

#include <map>
#include <string>
#include <vector>

#include "schema/object.hpp"

namespace gateway::api::health {

struct Live {
    std::string status;
};

struct ModelHealth {
    std::string id;
    std::string state;
};

struct Ready {
    std::string status;
    std::vector<ModelHealth> models;
};

struct Version {
    std::string version;
    std::map<std::string, std::string> engines;
};

const schema::Object<Live>& describe(schema::Type<Live>);
const schema::Object<ModelHealth>& describe(schema::Type<ModelHealth>);
const schema::Object<Ready>& describe(schema::Type<Ready>);
const schema::Object<Version>& describe(schema::Type<Version>);

}  // namespace gateway::api::health
