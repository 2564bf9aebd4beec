#include "gateway/config/settings.hpp"

#include "http/networks.hpp"
#include "schema/schema.hpp"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace base::log {

const schema::Enum<Level>& describe(schema::Type<Level>) {
    static const schema::Enum<Level> names(
        {{"debug", Level::debug}, {"info", Level::info}, {"warning", Level::warning}, {"error", Level::error}});
    return names;
}

const schema::Enum<Format>& describe(schema::Type<Format>) {
    static const schema::Enum<Format> names({{"text", Format::text}, {"json", Format::json}});
    return names;
}

}  // namespace base::log

namespace gateway::config {

namespace {

constexpr double day_in_seconds = 24 * 3600;

std::optional<std::string> check_networks(const std::vector<std::string>& texts) {
    for (const std::string& text : texts)
        if (!http::Networks().add(text))
            return fmt::format("has \"{}\", which is no address and no network", text);
    return std::nullopt;
}

}  // namespace

const schema::Enum<KvType>& describe(schema::Type<KvType>) {
    static const schema::Enum<KvType> names({{"f16", KvType::f16}, {"q8_0", KvType::q8_0}, {"q4_0", KvType::q4_0}});
    return names;
}

const schema::Enum<FlashAttention>& describe(schema::Type<FlashAttention>) {
    using enum FlashAttention;
    static const schema::Enum<FlashAttention> names({{"on", on}, {"off", off}, {"auto", automatic}});
    return names;
}

const schema::Enum<Pooling>& describe(schema::Type<Pooling>) {
    using enum Pooling;
    static const schema::Enum<Pooling> names(
        {{"auto", automatic}, {"none", none}, {"mean", mean}, {"cls", cls}, {"last", last}, {"rank", rank}});
    return names;
}

const schema::Object<Client>& describe(schema::Type<Client>) {
    static const auto table =
        schema::Object<Client>("", "A key with a name, for a client whose share or urgency is not like the others'.")
            .field("name", &Client::name,
                   {.doc = "Appears in the log and in metrics, instead of the key.",
                    .required = true,
                    .min_length = 1,
                    .max_length = 64,
                    .pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$",
                    .example = "batch"})
            .field("key", &Client::key,
                   {.doc = "The key itself.", .required = true, .min_length = 1, .example = "a long random text"})
            .field("weight", &Client::weight,
                   {.doc = "Its share while there is not enough for all, in proportion to the others'. Keys of "
                           "`api_keys` have 1 each.",
                    .minimum = 0.01,
                    .maximum = 100})
            .field("priority", &Client::priority,
                   {.doc = "Added to what a request asks for with `service_tier` (1, 0 or -1): larger goes first, "
                           "whatever the shares. After 30 s a waiting request counts one level more, up to the "
                           "highest that waits.",
                    .minimum = -10,
                    .maximum = 10})
            .field("max_concurrent", &Client::max_concurrent,
                   {.doc = "Its requests that run at the same time; more wait. When absent, as many as there is room "
                           "for.",
                    .minimum = 1,
                    .maximum = 100000,
                    .example = 2});
    return table;
}

const schema::Enum<Speculation>& describe(schema::Type<Speculation>) {
    static const schema::Enum<Speculation> names({{"auto", Speculation::automatic}, {"off", Speculation::off}});
    return names;
}

const schema::Object<Server>& describe(schema::Type<Server>) {
    static const auto table =
        schema::Object<Server>("", "The HTTP server.")
            .field("host", &Server::host,
                   {.doc = "Address to listen at. `0.0.0.0` lets other machines in; set a key then.", .min_length = 1})
            .field("port", &Server::port, {.doc = "Port to listen at; 0 takes a free one.", .maximum = 65535})
            .field(
                "api_keys", &Server::api_keys,
                {.doc = "Keys that clients may use as `Authorization: Bearer KEY`. With no key at all, everybody may. "
                        "The environment variables `LLM_GATEWAY_API_KEY` and `LLM_GATEWAY_API_KEYS` (separated by "
                        "commas) add to them.",
                 .min_length = 1})
            .field("api_keys_file", &Server::api_keys_file,
                   {.doc = "A file with more keys, one a line; `#` begins a comment.", .example = "api-keys.txt"})
            .field("clients", &Server::clients,
                   {.doc = "More keys, each with a name, a weight, a priority and a limit. While there is not enough "
                           "for all, every key gets its share, however many requests the others have waiting.",
                    .max_items = 10000})
            .field("cors_origins", &Server::cors_origins,
                   {.doc = "Web origins whose pages may call from a browser; `*` for all.",
                    .min_length = 1,
                    .example = {"https://chat.example"}})
            .field(
                "trusted_proxies", &Server::trusted_proxies,
                {.doc = "Addresses (`10.0.0.2`) and networks (`10.0.0.0/8`) of proxies in front of the gateway. What "
                        "they say in `X-Forwarded-For`, `-Proto`, `-Host`, `-Port` and `-Prefix` is believed: the log "
                        "names the client, and addresses of files are those that the client can reach. From others "
                        "these headers have no effect.",
                 .min_length = 1,
                 .max_items = 1000,
                 .example = {"10.0.0.0/8"}},
                check_networks)
            .field("max_body_bytes", &Server::max_body_bytes,
                   {.doc = "Larger request bodies are refused with 413.", .minimum = 1024, .maximum = 4294967296.0})
            .field(
                "request_timeout", &Server::request_timeout,
                {.doc = "A request that takes longer is ended. With the header `x-request-timeout: SECONDS` a client "
                        "asks for less.",
                 .minimum = 1,
                 .maximum = day_in_seconds})
            .field("idle_timeout", &Server::idle_timeout,
                   {.doc = "A connection without a request for this long is closed.", .minimum = 1, .maximum = 3600})
            .field("max_connections", &Server::max_connections,
                   {.doc = "Connections beyond this get 503 at once.", .minimum = 1, .maximum = 100000})
            .field("drain_timeout", &Server::drain_timeout,
                   {.doc = "After SIGTERM, how long running requests may go on.", .maximum = 3600})
            .check([](const Server& server, const schema::Reading& reading) {
                const schema::Reading clients = reading.at("clients");
                std::map<std::string, std::size_t> names;
                std::map<std::string, std::size_t> keys;
                for (std::size_t i = 0; i < server.clients.size(); ++i) {
                    const schema::Reading here = clients.at(i);
                    const Client& client = server.clients[i];
                    if (const auto [first, added] = names.try_emplace(client.name, i); !added)
                        here.at("name").fault(schema::FaultKind::rule,
                                              fmt::format("is the name of clients[{}] too", first->second));
                    if (const auto [first, added] = keys.try_emplace(client.key.reveal(), i); !added)
                        here.at("key").fault(schema::FaultKind::rule,
                                             fmt::format("is the key of clients[{}] too", first->second));
                }
            });
    return table;
}

const schema::Object<Log>& describe(schema::Type<Log>) {
    static const auto table =
        schema::Object<Log>("", "The log, on standard error.")
            .field("level", &Log::level, {.doc = "The least important lines to write."})
            .field("format", &Log::format, {.doc = "Lines for people, or one JSON object a line."});
    return table;
}

const schema::Object<ModelBasics>& describe(schema::Type<ModelBasics>) {
    static const auto table =
        schema::Object<ModelBasics>("", "")
            .field("name", &ModelBasics::name,
                   {.doc = "What clients call it.",
                    .required = true,
                    .min_length = 1,
                    .max_length = 128,
                    .pattern = "^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$"})
            .field(
                "default", &ModelBasics::is_default,
                {.doc = "Whether requests that name no model get this one. Without any, it is the first of its kind."})
            .field("max_waiting", &ModelBasics::max_waiting,
                   {.doc = "Requests that may wait for it; more get 429.", .maximum = 100000});
    return table;
}

const schema::Object<TextModel>& describe(schema::Type<TextModel>) {
    static const auto table =
        schema::Object<TextModel>("", "A chat model, run by llama.cpp.")
            .constant("kind", "text", {.doc = "Decides which of the other keys there are.", .required = true})
            .include(&TextModel::basics)
            .field("path", &TextModel::path,
                   {.doc = "The GGUF file; the first part of a model in several.",
                    .required = true,
                    .min_length = 1,
                    .example = "/models/smollm2-135m-instruct-q4_1.gguf"})
            .field("context", &TextModel::context,
                   {.doc = "Tokens a conversation may have. When absent, what the model was trained for, at most 8192.",
                    .minimum = 128,
                    .maximum = 16777216,
                    .example = 8192})
            .field("slots", &TextModel::slots,
                   {.doc = "Requests that are worked on together.", .minimum = 1, .maximum = 100, .example = 8})
            .field(
                "threads", &TextModel::threads,
                {.doc = "Threads for generating. When absent, one for each core this process may use: threads of one "
                        "core share what limits them.",
                 .minimum = 1,
                 .maximum = 512,
                 .example = 4})
            .field("batch_threads", &TextModel::batch_threads,
                   {.doc = "Threads for reading prompts. When absent, as `threads`.",
                    .minimum = 1,
                    .maximum = 512,
                    .example = 4})
            .field(
                "numa_node", &TextModel::numa_node,
                {.doc = "Run on the processors of this NUMA node only, whose memory then holds the model: for machines "
                        "with several, with one model on each. When absent, wherever this process may run.",
                 .maximum = 1023,
                 .example = 0})
            .field("kv_type", &TextModel::kv_type,
                   {.doc = "How attention memory is stored: smaller types take less memory and some precision.",
                    .example = "q8_0"})
            .field("flash_attention", &TextModel::flash_attention,
                   {.doc = "The fused attention kernel. Needed for a `kv_type` other than `f16`.", .example = "auto"})
            .field(
                "prefix_cache_memory", &TextModel::prefix_cache_memory,
                {.doc = "MiB of memory for evaluated conversations that no longer fit into the model's own; 0: none. "
                        "When absent, an eighth of what the worker may use, at most 2048.",
                 .maximum = 16777216,
                 .example = 1024})
            .field(
                "gap_ratio", &TextModel::gap_ratio,
                {.doc = "How many times longer the gaps between a stream's tokens may become while prompts of others "
                        "are read. When absent, 2.3. A long prompt is slowed down by `gap_ratio / (gap_ratio - 1)`.",
                 .minimum = 1.1,
                 .maximum = 1000,
                 .example = 2.3})
            .field("gap_target", &TextModel::gap_target,
                   {.doc = "Gaps up to this are fine whatever `gap_ratio` says: prompts are read faster with a model "
                           "that generates faster than anybody reads. When absent, only the ratio counts.",
                    .maximum = 1,
                    .example = "50ms"})
            .field("speculation", &TextModel::speculation,
                   {.doc = "Guess the next tokens of an answer from its prompt and text, where it makes the answer "
                           "faster; the answer stays the same.",
                    .example = "auto"})
            .field("pooling", &TextModel::pooling,
                   {.doc = "How an embedding is made of the tokens of its input: `auto` is what the model's file says, "
                           "and no embeddings when it says nothing. `rank` is for rerankers. A model that writes and "
                           "embeds needs memory for both.",
                    .example = "auto"})
            .field(
                "draft_model", &TextModel::draft_model,
                {.doc = "A smaller model of the same vocabulary that guesses what this one will say: its GGUF file, or "
                        "the name of another chat model here, whose file is then loaded once more. When absent, there "
                        "is none. It is asked as long as what its guesses gain is more than they cost, as measured "
                        "while it runs, and changes no answer. That it makes answers faster is not proven: try it "
                        "with your models. Its weights and a context memory of as many tokens come on top of this "
                        "model's.",
                 .min_length = 1,
                 .example = "/models/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"})
            .field("prefix_cache_folder", &TextModel::prefix_cache_folder,
                   {.doc = "Folder for evaluated conversations, to have them again after a restart. It holds what they "
                           "say, readable by the gateway's user alone. When absent, nothing is written.",
                    .min_length = 1,
                    .example = "/var/cache/llm-gateway"})
            .field("prefix_cache_disk", &TextModel::prefix_cache_disk,
                   {.doc = "MiB that `prefix_cache_folder` may hold of this model. When absent, 4096.",
                    .minimum = 1,
                    .maximum = 16777216,
                    .example = 4096})
            .field("pinned_prompts", &TextModel::pinned_prompts,
                   {.doc = "System messages that are evaluated at the start and kept for good, as far as they take no "
                           "more than a quarter of the context memory; each a text, or the name of a file after `@`.",
                    .min_length = 1,
                    .example = {"@/etc/llm-gateway/system.txt"}})
            .field(
                "projector", &TextModel::projector,
                {.doc = "The file that a model sees and hears with (`mmproj`), made for it. When absent, it takes text "
                        "only.",
                 .min_length = 1,
                 .example = "/models/mmproj-smolvlm-500m-instruct-q8_0.gguf"})
            .field(
                "max_image_pixels", &TextModel::max_image_pixels,
                {.doc = "Pictures with more pixels are refused before they are decoded; those of one request may have "
                        "four times as many together. When absent, 16777216.",
                 .minimum = 1,
                 .maximum = 268435456,
                 .example = 16777216})
            .field("max_audio_seconds", &TextModel::max_audio_seconds,
                   {.doc = "Longer sounds are refused. When absent, 600.",
                    .minimum = 1,
                    .maximum = day_in_seconds,
                    .example = 600})
            .field("adapters", &TextModel::adapters,
                   {.doc = "LoRA adapters that requests may name, loaded with the model.",
                    .max_items = 100,
                    .example =
                        boost::json::array{boost::json::object{{"name", "sql"}, {"path", "/models/sql-lora.gguf"}}}})
            .check([](const TextModel& model, const schema::Reading& reading) {
                if (model.kv_type.value_or(KvType::f16) != KvType::f16 && model.flash_attention == FlashAttention::off)
                    reading.at("flash_attention")
                        .fault(schema::FaultKind::rule, "must not be \"off\" with a kv_type other than \"f16\"");
                if (model.draft_model && model.speculation == Speculation::off)
                    reading.at("draft_model")
                        .fault(schema::FaultKind::rule, "must not be there with speculation \"off\"");
            });
    return table;
}

const schema::Object<ImageModel>& describe(schema::Type<ImageModel>) {
    const auto file = [](std::string doc, const char* example) {
        return schema::Options{.doc = std::move(doc), .min_length = 1, .example = example};
    };
    static const auto table =
        schema::Object<ImageModel>("", "A diffusion model, run by stable-diffusion.cpp.")
            .constant("kind", "image", {.doc = "Decides which of the other keys there are.", .required = true})
            .include(&ImageModel::basics)
            .field("path", &ImageModel::path,
                   file("The checkpoint (safetensors, ckpt or GGUF). Needed unless `diffusion_model` is given.",
                        "/models/sd-v1-5.safetensors"))
            .field("diffusion_model", &ImageModel::diffusion_model,
                   file("The diffusion network alone, for families whose parts come in separate files.",
                        "/models/flux1-schnell-q4_0.gguf"))
            .field("vae", &ImageModel::vae,
                   file("The autoencoder, instead of the checkpoint's.", "/models/ae.safetensors"))
            .field("taesd", &ImageModel::taesd,
                   file("A tiny autoencoder: faster, a little less exact, and previews.", "/models/taesd.safetensors"))
            .field("clip_l", &ImageModel::clip_l, file("The CLIP-L text encoder.", "/models/clip_l.safetensors"))
            .field("clip_g", &ImageModel::clip_g, file("The CLIP-G text encoder.", "/models/clip_g.safetensors"))
            .field("t5xxl", &ImageModel::t5xxl, file("The T5-XXL text encoder.", "/models/t5xxl-q8_0.gguf"))
            .field("llm", &ImageModel::llm,
                   file("The language model of families that read prompts with one.", "/models/qwen2.5-vl.gguf"))
            .field("control_net", &ImageModel::control_net,
                   file("A ControlNet. It is loaded and takes memory, but no request can use it yet.",
                        "/models/canny.safetensors"))
            .field("upscaler", &ImageModel::upscaler,
                   file("An ESRGAN model for upscaling and for pictures of two passes.", "/models/realesrgan-x4.pth"))
            .field("lora_folder", &ImageModel::lora_folder,
                   file("Folder of the adapters that requests may name.", "/models/loras"))
            .field("threads", &ImageModel::threads,
                   {.doc = "Threads for drawing. When absent, the processors this process may use.",
                    .minimum = 1,
                    .maximum = 1024,
                    .example = 4})
            .field(
                "repeat_cache_memory", &ImageModel::repeat_cache_memory,
                {.doc = "MiB of memory for files that were delivered: the same request with the same seed is answered "
                        "with the same file at once; 0: none. When absent, 64.",
                 .minimum = 0,
                 .maximum = 16777216,
                 .example = 256})
            .field("prompt_cache_memory", &ImageModel::prompt_cache_memory,
                   {.doc = "MiB of memory for what the text encoders made of earlier prompts, for pictures of the same "
                           "prompt with another seed; 0: none. When absent, 64.",
                    .minimum = 0,
                    .maximum = 16777216,
                    .example = 256})
            .check([](const ImageModel& model, const schema::Reading& reading) {
                if (!model.path && !model.diffusion_model)
                    reading.at("path").fault(schema::FaultKind::missing, "is required, or else diffusion_model");
            });
    return table;
}

const schema::Object<Workers>& describe(schema::Type<Workers>) {
    static const auto table =
        schema::Object<Workers>("", "The processes that run the models.")
            .field("folder", &Workers::folder,
                   {.doc = "Where the worker programs are. When empty, beside the gateway's own.",
                    .example = "/opt/llm-gateway/bin"})
            .field("start_timeout", &Workers::start_timeout,
                   {.doc = "A worker that has not loaded its model after this long is ended and started again.",
                    .minimum = 1,
                    .maximum = day_in_seconds})
            .field("watchdog_timeout", &Workers::watchdog_timeout,
                   {.doc = "A worker that gives no sign of progress for this long is ended and started again.",
                    .minimum = 1,
                    .maximum = day_in_seconds})
            .field("backoff_initial", &Workers::backoff_initial,
                   {.doc = "Pause before a worker that died is started again; doubles each time it dies soon after.",
                    .minimum = 0.01,
                    .maximum = 3600})
            .field("backoff_max", &Workers::backoff_max,
                   {.doc = "The longest such pause.", .minimum = 0.01, .maximum = day_in_seconds})
            .check([](const Workers& workers, const schema::Reading& reading) {
                if (workers.backoff_max < workers.backoff_initial)
                    reading.at("backoff_max").fault(schema::FaultKind::rule, "must not be less than backoff_initial");
            });
    return table;
}

const schema::Object<Metrics>& describe(schema::Type<Metrics>) {
    static const auto table = schema::Object<Metrics>("", "Prometheus metrics.")
                                  .field("enabled", &Metrics::enabled, {.doc = "Whether `/metrics` is served."});
    return table;
}

const schema::Object<Docs>& describe(schema::Type<Docs>) {
    static const auto table =
        schema::Object<Docs>("", "The documentation to click through.")
            .field("enabled", &Docs::enabled, {.doc = "Whether `/docs` and `/openapi.json` are served."});
    return table;
}

const schema::Object<Settings>& describe(schema::Type<Settings>) {
    static const auto table =
        schema::Object<Settings>("", "")
            .field("server", &Settings::server)
            .field("log", &Settings::log)
            .field("models", &Settings::models,
                   {.doc = "The models to serve, in the order of `/v1/models`.", .max_items = 100})
            .field("workers", &Settings::workers)
            .field("image_urls", &Settings::image_urls)
            .field("image_files", &Settings::image_files)
            .field("store", &Settings::store)
            .field("metrics", &Settings::metrics)
            .field("docs", &Settings::docs)
            .check([](const Settings& settings, const schema::Reading& reading) {
                check_models(settings.models, reading.at("models"));
            });
    return table;
}

}  // namespace gateway::config
