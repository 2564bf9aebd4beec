#include "gateway/api/health/types.hpp"

namespace gateway::api::health {

const schema::Object<Live>& describe(schema::Type<Live>) {
    static const auto table = schema::Object<Live>("Live", "The gateway answers.")
                                  .field("status", &Live::status, {.doc = "Always `ok`.", .required = true});
    return table;
}

const schema::Object<ModelHealth>& describe(schema::Type<ModelHealth>) {
    static const auto table =
        schema::Object<ModelHealth>("ModelHealth", "How a model is; why, `/v1/models` tells those who have a key.")
            .field("id", &ModelHealth::id, {.doc = "Its name.", .required = true})
            .field("state", &ModelHealth::state,
                   {.doc = "`loading`, `ready`, `restarting`, `draining` or `failed`.", .required = true});
    return table;
}

const schema::Object<Ready>& describe(schema::Type<Ready>) {
    static const auto table = schema::Object<Ready>("Ready", "Whether every configured model takes requests.")
                                  .field("status", &Ready::status, {.doc = "`ready` or `not_ready`.", .required = true})
                                  .field("models", &Ready::models, {.doc = "Each of them.", .required = true});
    return table;
}

const schema::Object<Version>& describe(schema::Type<Version>) {
    static const auto table =
        schema::Object<Version>("Version", "What runs here.")
            .field("version", &Version::version, {.doc = "Of llm-gateway.", .required = true, .example = "0.1.0"})
            .field("engines", &Version::engines, {.doc = "Of the engines it was built with.", .required = true});
    return table;
}

}  // namespace gateway::api::health
