#pragma once

/// Everything that can be configured, as one tree of structs. Names, meaning, defaults and limits of the keys are
/// declared in the tables of settings.cpp; the reference page, the example file and the command line come from there. A
/// default is the initial value here.

#include "base/log.hpp"
#include "schema/object.hpp"
#include "schema/units.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gateway::config {

/// A key with a name and a share of its own.
struct Client {
    std::string name;
    schema::Secret key;
    double weight = 1;
    std::int32_t priority = 0;
    std::optional<std::uint32_t> max_concurrent;
    bool operator==(const Client&) const = default;
};

struct Server {
    std::string host = "127.0.0.1";
    std::uint32_t port = 8080;
    std::vector<schema::Secret> api_keys;
    std::filesystem::path api_keys_file;
    std::vector<Client> clients;
    std::vector<std::string> cors_origins;
    std::vector<std::string> trusted_proxies;
    schema::Bytes max_body_bytes = schema::mebibytes(32);
    std::chrono::milliseconds request_timeout = std::chrono::minutes(10);
    std::chrono::milliseconds idle_timeout = std::chrono::seconds(75);
    std::uint32_t max_connections = 4096;
    std::chrono::milliseconds drain_timeout = std::chrono::seconds(30);
    bool operator==(const Server&) const = default;
};

struct Log {
    base::log::Level level = base::log::Level::info;
    base::log::Format format = base::log::Format::text;
    bool operator==(const Log&) const = default;
};

/// What models of both kinds have.
struct ModelBasics {
    std::string name;
    bool is_default = false;
    std::uint32_t max_waiting = 64;
    bool operator==(const ModelBasics&) const = default;
};

enum class KvType { f16, q8_0, q4_0 };
enum class FlashAttention { on, off, automatic };
enum class Speculation { automatic, off };
enum class Pooling { automatic, none, mean, cls, last, rank };

/// A LoRA adapter of a text model.
struct Adapter {
    std::string name;
    std::filesystem::path path;
    double scale = 1;
    std::optional<std::string> sha256;
    bool operator==(const Adapter&) const = default;
};

/// An empty option is left to the worker.
struct TextModel {
    ModelBasics basics;
    std::filesystem::path path;
    std::optional<std::uint32_t> context;
    std::optional<std::uint32_t> slots;
    std::optional<std::uint32_t> threads;
    std::optional<std::uint32_t> batch_threads;
    std::optional<std::uint32_t> numa_node;
    std::optional<KvType> kv_type;
    std::optional<FlashAttention> flash_attention;
    std::optional<std::uint32_t> prefix_cache_memory;
    std::optional<double> gap_ratio;
    std::optional<std::chrono::milliseconds> gap_target;
    std::optional<Speculation> speculation;
    std::optional<Pooling> pooling;
    std::optional<std::filesystem::path> draft_model;
    std::optional<std::filesystem::path> prefix_cache_folder;
    std::optional<std::uint32_t> prefix_cache_disk;
    std::vector<std::string> pinned_prompts;
    std::optional<std::filesystem::path> projector;
    std::optional<std::uint32_t> max_image_pixels;
    std::optional<std::uint32_t> max_audio_seconds;
    std::vector<Adapter> adapters;
    bool operator==(const TextModel&) const = default;
};

struct ImageModel {
    ModelBasics basics;
    /// A whole checkpoint, or `diffusion_model` with its parts; one of both is there.
    std::optional<std::filesystem::path> path;
    std::optional<std::filesystem::path> diffusion_model;
    std::optional<std::filesystem::path> vae;
    std::optional<std::filesystem::path> taesd;
    std::optional<std::filesystem::path> clip_l;
    std::optional<std::filesystem::path> clip_g;
    std::optional<std::filesystem::path> t5xxl;
    std::optional<std::filesystem::path> llm;
    std::optional<std::filesystem::path> control_net;
    std::optional<std::filesystem::path> upscaler;
    std::optional<std::filesystem::path> lora_folder;
    std::optional<std::uint32_t> threads;
    std::optional<std::uint32_t> repeat_cache_memory;
    std::optional<std::uint32_t> prompt_cache_memory;
    bool operator==(const ImageModel&) const = default;
};

using Model = std::variant<TextModel, ImageModel>;

const ModelBasics& basics(const Model& model);

/// Every file and folder that the model names and cannot do without, the main one first.
std::vector<std::filesystem::path> files(const Model& model);

/// The options of the model's worker: `--name NAME --model FILE --context 4096 …`, without what concerns the process.
std::vector<std::string> worker_arguments(const Model& model);

struct Workers {
    std::filesystem::path folder;
    std::chrono::milliseconds start_timeout = std::chrono::minutes(10);
    std::chrono::milliseconds watchdog_timeout = std::chrono::seconds(120);
    std::chrono::milliseconds backoff_initial = std::chrono::milliseconds(250);
    std::chrono::milliseconds backoff_max = std::chrono::seconds(30);
    bool operator==(const Workers&) const = default;
};

struct Metrics {
    bool enabled = true;
    bool operator==(const Metrics&) const = default;
};

struct Docs {
    bool enabled = true;
    bool operator==(const Docs&) const = default;
};

/// Which pictures are downloaded that requests name by an address.
struct ImageUrls {
    std::vector<std::string> hosts;
    bool private_addresses = false;
    schema::Bytes max_bytes = schema::mebibytes(20);
    std::chrono::milliseconds timeout = std::chrono::seconds(10);
    bool operator==(const ImageUrls&) const = default;
};

/// What is kept of answers (GET /v1/responses/{id} and the like).
struct Store {
    bool enabled = true;
    std::filesystem::path folder;
    std::chrono::milliseconds max_age = std::chrono::hours(24 * 30);
    schema::Bytes max_bytes = schema::mebibytes(128);
    bool operator==(const Store&) const = default;
};

/// Pictures that are answered with an address.
struct ImageFiles {
    bool enabled = true;
    std::filesystem::path folder;
    std::chrono::milliseconds lifetime = std::chrono::hours(1);
    schema::Bytes max_bytes = schema::mebibytes(256);
    bool operator==(const ImageFiles&) const = default;
};

struct Settings {
    Server server;
    Log log;
    std::vector<Model> models;
    Workers workers;
    ImageUrls image_urls;
    ImageFiles image_files;
    Store store;
    Metrics metrics;
    Docs docs;
    bool operator==(const Settings&) const = default;
};

/// What one model must be, whether it comes from the file or the command line: names are unique, those of models with
/// an adapter ("MODEL:ADAPTER") too, one default for each kind. Complains at the element of the list.
void check_models(const std::vector<Model>& models, const schema::Reading& reading);

const schema::Enum<KvType>& describe(schema::Type<KvType>);
const schema::Enum<FlashAttention>& describe(schema::Type<FlashAttention>);
const schema::Enum<Pooling>& describe(schema::Type<Pooling>);
const schema::Enum<Speculation>& describe(schema::Type<Speculation>);
const schema::Object<ModelBasics>& describe(schema::Type<ModelBasics>);
const schema::Object<Adapter>& describe(schema::Type<Adapter>);
const schema::Object<TextModel>& describe(schema::Type<TextModel>);
const schema::Object<ImageModel>& describe(schema::Type<ImageModel>);
const schema::Object<Client>& describe(schema::Type<Client>);
const schema::Object<Server>& describe(schema::Type<Server>);
const schema::Object<Log>& describe(schema::Type<Log>);
const schema::Object<Workers>& describe(schema::Type<Workers>);
const schema::Object<ImageUrls>& describe(schema::Type<ImageUrls>);
const schema::Object<ImageFiles>& describe(schema::Type<ImageFiles>);
const schema::Object<Store>& describe(schema::Type<Store>);
const schema::Object<Metrics>& describe(schema::Type<Metrics>);
const schema::Object<Docs>& describe(schema::Type<Docs>);
const schema::Object<Settings>& describe(schema::Type<Settings>);

}  // namespace gateway::config

/// Beside the enums, where the schema looks for them.
namespace base::log {
const schema::Enum<Level>& describe(schema::Type<Level>);
const schema::Enum<Format>& describe(schema::Type<Format>);
}  // namespace base::log
