#include "gateway/api/models/types.hpp"

namespace gateway::api::models {

const schema::Object<TextDetails>& describe(schema::Type<TextDetails>) {
    using T = TextDetails;
    static const auto table =
        schema::Object<T>("TextModelDetails", "What a text model can do.")
            .field("context_length", &T::context_length,
                   {.doc = "Tokens that one request can use, prompt and answer together.", .required = true})
            .field("trained_context_length", &T::trained_context_length,
                   {.doc = "Tokens that the model was trained for.", .required = true})
            .field("parallel_requests", &T::parallel_requests,
                   {.doc = "How many requests run at the same time; more wait.", .required = true})
            .field("tools", &T::tools, {.doc = "Calls tools.", .required = true})
            .field("reasoning", &T::reasoning, {.doc = "Thinks before it answers.", .required = true})
            .field("images", &T::images, {.doc = "Sees pictures.", .required = true})
            .field("audio", &T::audio, {.doc = "Hears sound.", .required = true})
            .field("embeddings", &T::embeddings, {.doc = "Gives embeddings.", .required = true})
            .field("reranking", &T::reranking, {.doc = "Ranks documents.", .required = true})
            .field("fill_in", &T::fill_in, {.doc = "Takes a `suffix` in /v1/completions.", .required = true})
            .field("writes", &T::writes,
                   {.doc = "Takes chat and completions; false for models that only embed or rank.", .required = true})
            .field("vocabulary", &T::vocabulary, {.doc = "How many tokens there are.", .required = true})
            .field("embedding_size", &T::embedding_size, {.doc = "Numbers of an embedding."})
            .field("pooling", &T::pooling,
                   {.doc = "How embeddings are made of tokens: `mean`, `cls`, `last` or `rank`."})
            .field("adapters", &T::adapters,
                   {.doc = "LoRA adapters, names for `lora`; each is listed as the model `MODEL:ADAPTER` too.",
                    .required = true});
    return table;
}

const schema::Object<ImageDetails>& describe(schema::Type<ImageDetails>) {
    using T = ImageDetails;
    static const auto table =
        schema::Object<T>("ImageModelDetails", "What an image model can do.")
            .field("family", &T::family, {.doc = "Kind of model, e.g. `SDXL`.", .required = true})
            .field("default_size", &T::default_size, {.doc = "`WIDTHxHEIGHT`.", .required = true})
            .field("max_size", &T::max_size, {.doc = "`WIDTHxHEIGHT`.", .required = true})
            .field("size_multiple", &T::size_multiple,
                   {.doc = "Width and height are multiples of it.", .required = true})
            .field("default_steps", &T::default_steps, {.doc = "Sampling steps.", .required = true})
            .field("default_cfg_scale", &T::default_cfg_scale, {.doc = "Guidance.", .required = true})
            .field("default_sampler", &T::default_sampler, {.doc = "Sampler.", .required = true})
            .field("default_scheduler", &T::default_scheduler, {.doc = "Scheduler.", .required = true})
            .field("samplers", &T::samplers, {.doc = "Names for `sampler`.", .required = true})
            .field("schedulers", &T::schedulers, {.doc = "Names for `scheduler`.", .required = true})
            .field("loras", &T::loras, {.doc = "Names for `loras`.", .required = true});
    return table;
}

const schema::Object<Model>& describe(schema::Type<Model>) {
    static const auto table =
        schema::Object<Model>("Model",
                              "A model that this server has. Fields after `owned_by` are extensions; those about the "
                              "file are there once the model has been loaded.")
            .field("id", &Model::id,
                   {.doc = "The name to ask for.", .required = true, .example = "smollm2-135m-instruct"})
            .constant("object", "model")
            .field("created", &Model::created, {.doc = "Unix time of the model file.", .required = true})
            .field("owned_by", &Model::owned_by, {.doc = "Always `llm-gateway`.", .required = true})
            .field("root", &Model::root,
                   {.doc = "The model that answers: this one, or of a LoRA adapter the one it belongs to.",
                    .required = true})
            .field("parent", &Model::parent, {.doc = "Of a LoRA adapter: the model it belongs to."})
            .field("kind", &Model::kind, {.doc = "`text` or `image`.", .required = true})
            .field("state", &Model::state,
                   {.doc = "`loading`, `ready`, `restarting`, `draining` or `failed`.", .required = true})
            .field("problem", &Model::problem, {.doc = "Why it is not ready."})
            .field("architecture", &Model::architecture, {.doc = "E.g. `llama` or `sd1`."})
            .field("description", &Model::description, {.doc = "One line."})
            .field("parameters", &Model::parameters, {.doc = "How many."})
            .field("file_bytes", &Model::file_bytes, {.doc = "Size of the file."})
            .field("context_length", &Model::context_length, {.doc = "As in `text`, where some clients look for it."})
            .field("max_model_len", &Model::max_model_len, {.doc = "The same under vLLM's name."})
            .field("modalities", &Model::modalities,
                   {.doc = "What a text model takes: `text`, and `image` and `audio` where it sees and hears."})
            .field("text", &Model::text, {.doc = "Of text models."})
            .field("image", &Model::image, {.doc = "Of image models."});
    return table;
}

const schema::Object<ModelList>& describe(schema::Type<ModelList>) {
    static const auto table =
        schema::Object<ModelList>("ListModelsResponse", "All models, in the order of the configuration.")
            .constant("object", "list")
            .field("data", &ModelList::data, {.doc = "The models.", .required = true});
    return table;
}

}  // namespace gateway::api::models
