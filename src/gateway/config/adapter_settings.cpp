#include "gateway/config/settings.hpp"

namespace gateway::config {

const schema::Object<Adapter>& describe(schema::Type<Adapter>) {
    static const auto table =
        schema::Object<Adapter>("", "A LoRA adapter in a GGUF file, for models of which it was made.")
            .field(
                "name", &Adapter::name,
                {.doc = "What clients call it: as the model `MODEL:NAME`, or by itself where no other model or adapter "
                        "is called so.",
                 .required = true,
                 .min_length = 1,
                 .max_length = 128,
                 .pattern = "^[A-Za-z0-9][A-Za-z0-9._/@+-]*$",
                 .example = "sql"})
            .field(
                "path", &Adapter::path,
                {.doc = "The GGUF file. One that is missing, damaged or made for another model is an error in the log "
                        "and in `/v1/models`; the model works without it.",
                 .required = true,
                 .min_length = 1,
                 .example = "/models/sql-lora.gguf"})
            .field("scale", &Adapter::scale,
                   {.doc = "How strong it is when a request does not say.", .minimum = -100, .maximum = 100})
            .field("sha256", &Adapter::sha256,
                   {.doc = "The file must have this SHA-256, 64 hexadecimal digits.",
                    .pattern = "^[0-9a-f]{64}$",
                    .example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"});
    return table;
}

}  // namespace gateway::config
