// The text worker: one GGUF model, served over the contract.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "base/log.hpp"
#include "worker/adapter_argument.hpp"
#include "worker/engine/cores.hpp"
#include "worker/engine/kernels.hpp"
#include "worker/engine/llama/load.hpp"
#include "worker/engine/memory_limit.hpp"
#include "worker/engine/thread_stacks.hpp"
#include "worker/loop/text_runner.hpp"
#include "worker/parse_arguments.hpp"
#include "worker/rpc/serve.hpp"
#include "worker/spill/model_key.hpp"
#include "worker/spill/state_folder.hpp"

namespace {

using worker::engine::llama::CacheType;
using worker::engine::llama::FlashAttention;
using worker::engine::llama::Pooling;
using worker::loop::Speculation;

struct Arguments {
    worker::rpc::ServeOptions serve;
    worker::engine::llama::Options engine;
    worker::loop::LoopSettings loop;
    std::string name;
    unsigned threads = 0;
    std::optional<unsigned> numa_node;
    std::optional<std::size_t> prefix_cache_mebibytes;
    std::string prefix_cache_folder;
    std::size_t prefix_cache_disk_mebibytes = 4096;
    std::vector<std::string> pinned_prompts;
    std::vector<std::string> adapters;
    base::log::Level log_level = base::log::Level::info;
    base::log::Format log_format = base::log::Format::text;
};

template <typename Enum>
CLI::CheckedTransformer one_of(std::map<std::string, Enum> names) {
    return CLI::CheckedTransformer(std::move(names));
}

void declare(CLI::App& app, Arguments& arguments) {
    using base::log::Format;
    using base::log::Level;
    app.add_option("--socket", arguments.serve.socket, "Unix socket to listen on")->required();
    app.add_option("--name", arguments.name, "Name of the model, for the log")->required();
    app.add_option("--model", arguments.engine.model, "GGUF file; of a model in parts, the first")->required();
    app.add_option("--context", arguments.engine.context,
                   "Tokens one answer can use, prompt included; 0: what the model was trained for, at most 8192");
    app.add_option("--slots", arguments.engine.slots, "Answers generated side by side")->check(CLI::Range(1, 100));
    app.add_option("--threads", arguments.threads, "Threads for generation; 0: the cores this process may use")
        ->check(CLI::Range(0, 512));
    app.add_option("--batch-threads", arguments.engine.batch_threads, "Threads for prompts; 0: as --threads")
        ->check(CLI::Range(0, 512));
    app.add_option("--numa-node", arguments.numa_node, "Run on the CPUs of this NUMA node only");
    app.add_option("--kv-type", arguments.engine.cache_type, "Type of the cache: f16, q8_0 or q4_0")
        ->transform(one_of<CacheType>({{"f16", CacheType::f16}, {"q8_0", CacheType::q8_0}, {"q4_0", CacheType::q4_0}}));
    app.add_option("--flash-attention", arguments.engine.flash_attention, "on, off or auto")
        ->transform(one_of<FlashAttention>(
            {{"on", FlashAttention::on}, {"off", FlashAttention::off}, {"auto", FlashAttention::automatic}}));
    app.add_option("--prefix-cache-memory", arguments.prefix_cache_mebibytes,
                   "MiB of memory for evaluated prompts beside the cache itself; not given: an eighth of what there "
                   "is, at most 2048");
    app.add_option("--gap-ratio", arguments.loop.gap.ratio,
                   "How many times longer prompts may make the gaps in running streams")
        ->check(CLI::Range(1.1, 1000.0));
    app.add_option_function<double>(
           "--gap-target",
           [&](double milliseconds) {
               arguments.loop.gap.gap = std::chrono::microseconds(static_cast<long>(milliseconds * 1000));
           },
           "Gaps up to this are fine whatever --gap-ratio says, e.g. 50ms")
        ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"ms", 1}, {"s", 1000}}));
    app.add_option("--speculation", arguments.loop.speculation, "Guess tokens that come next: auto or off")
        ->transform(one_of<Speculation>({{"auto", Speculation::automatic}, {"off", Speculation::off}}));
    app.add_option("--pooling", arguments.engine.pooling,
                   "How an embedding is made of its input's tokens: auto, none, mean, cls, last or rank")
        ->transform(one_of<Pooling>({{"auto", Pooling::automatic},
                                     {"none", Pooling::none},
                                     {"mean", Pooling::mean},
                                     {"cls", Pooling::cls},
                                     {"last", Pooling::last},
                                     {"rank", Pooling::rank}}));
    app.add_option("--draft-model", arguments.engine.draft_model,
                   "GGUF file of a smaller model of the same vocabulary that guesses for this one");
    app.add_option("--projector", arguments.engine.projector, "GGUF file (mmproj) that the model sees and hears with");
    app.add_option("--max-image-pixels", arguments.engine.most_image_pixels, "Larger pictures are refused")
        ->check(CLI::Range(1, 1 << 28));
    app.add_option("--max-audio-seconds", arguments.engine.most_sound_seconds, "Longer sounds are refused")
        ->check(CLI::Range(1, 24 * 3600));
    app.add_option("--prefix-cache-folder", arguments.prefix_cache_folder,
                   "Folder for evaluated prompts, to be found again after a restart; not given: none");
    app.add_option("--prefix-cache-disk", arguments.prefix_cache_disk_mebibytes, "MiB that folder may hold");
    app.add_option("--pinned-prompts", arguments.pinned_prompts,
                   "A system message to keep evaluated for good, or @ and the file it is in; may be given often")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->expected(1);
    app.add_option("--adapters", arguments.adapters,
                   "A LoRA adapter as NAME,SCALE,SHA256,FILE, the third of which may be empty; may be given often")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->expected(1);
    app.add_option("--log-level", arguments.log_level, "debug, info, warning or error")
        ->transform(one_of<Level>(
            {{"debug", Level::debug}, {"info", Level::info}, {"warning", Level::warning}, {"error", Level::error}}));
    app.add_option("--log-format", arguments.log_format, "text or json")
        ->transform(one_of<Format>({{"text", Format::text}, {"json", Format::json}}));
}

// A gigabyte holds 40 to 90 thousand tokens of models of up to a billion parameters.
constexpr std::size_t most_by_default = std::size_t{2} << 30;

std::size_t prefix_cache_bytes(const Arguments& arguments) {
    if (arguments.prefix_cache_mebibytes) {
        return *arguments.prefix_cache_mebibytes << 20;
    }
    const auto limit = worker::engine::memory_limit();
    const auto bytes = std::min(limit.bytes / 8, most_by_default);
    base::log::info("prefix cache chosen", {{"mebibytes", bytes >> 20}, {"reason", limit.reason}});
    return bytes;
}

// Each model has a folder of its own in the given one: what is not of this very file and settings is removed there.
base::Result<worker::loop::Archive::Limits> archive_limits(const Arguments& arguments,
                                                           std::string_view engine_version) {
    worker::loop::Archive::Limits limits{.memory_bytes = prefix_cache_bytes(arguments)};
    if (arguments.prefix_cache_folder.empty()) {
        return limits;
    }
    auto settings = fmt::format("{} {}", static_cast<int>(arguments.engine.cache_type),
                                static_cast<int>(arguments.engine.flash_attention));
    if (!arguments.engine.projector.empty()) {
        // What a picture is to the model depends on it.
        for (const std::byte each : worker::spill::model_key(arguments.engine.projector, engine_version, {})) {
            settings += fmt::format(" {:02x}", static_cast<unsigned>(each));
        }
    }
    const auto folder = worker::spill::hexadecimal(worker::spill::digest_of(arguments.name)).substr(0, 16);
    auto opened =
        worker::spill::StateFolder::open(std::filesystem::path(arguments.prefix_cache_folder) / folder,
                                         worker::spill::model_key(arguments.engine.model, engine_version, settings));
    if (!opened) {
        return std::unexpected(opened.error());
    }
    limits.disk_bytes = arguments.prefix_cache_disk_mebibytes << 20;
    limits.folder = std::move(*opened);
    return limits;
}

base::Result<std::vector<std::string>> pinned_prompts(const std::vector<std::string>& given) {
    std::vector<std::string> texts;
    for (const std::string& each : given) {
        if (!each.starts_with('@')) {
            texts.push_back(each);
            continue;
        }
        std::ifstream file(each.substr(1));
        if (!file) {
            return base::fail(base::ErrorCode::not_found, "pinned_prompts: " + each.substr(1) + " cannot be read");
        }
        texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return texts;
}

base::Result<std::vector<worker::engine::llama::AdapterFile>> adapter_files(const std::vector<std::string>& given) {
    std::vector<worker::engine::llama::AdapterFile> adapters;
    for (const std::string& each : given) {
        auto adapter = worker::adapter_of(each);
        if (!adapter) {
            return std::unexpected(adapter.error());
        }
        adapters.push_back(*std::move(adapter));
    }
    return adapters;
}

base::Result<std::unique_ptr<worker::rpc::JobRunner>> load(Arguments arguments,
                                                           const worker::rpc::LoadProgress& progress) {
    if (arguments.numa_node) {
        if (auto stays = worker::engine::stay_on_node(*arguments.numa_node); !stays) {
            return std::unexpected(stays.error());
        }
    }
    const auto cores = worker::engine::available_cores();
    arguments.engine.threads = arguments.threads != 0 ? arguments.threads : cores.threads;
    base::log::info("threads chosen", {{"threads", arguments.engine.threads},
                                       {"reason", arguments.threads != 0 ? "--threads" : cores.reason}});
    const auto kernels = worker::engine::load_kernels(worker::engine::kernel_folder());
    if (!kernels) {
        return std::unexpected(kernels.error());
    }
    base::log::info("CPU kernels chosen", {{"kernels", kernels->name}, {"reason", kernels->reason}});
    auto adapters = adapter_files(arguments.adapters);
    if (!adapters) {
        return std::unexpected(adapters.error());
    }
    arguments.engine.adapters = *std::move(adapters);
    auto engine = worker::engine::llama::load(arguments.engine, *kernels, progress);
    if (!engine) {
        return std::unexpected(engine.error());
    }
    // For the runner's threads, which tokenise; those of the engine exist already.
    worker::engine::give_threads_a_large_stack(std::size_t{256} << 20);
    auto pinned = pinned_prompts(arguments.pinned_prompts);
    if (!pinned) {
        return std::unexpected(pinned.error());
    }
    auto archive = archive_limits(arguments, (*engine)->facts().engine_version());
    if (!archive) {
        return std::unexpected(archive.error());
    }
    arguments.loop.archive = std::move(*archive);
    arguments.loop.sampling_helpers = arguments.engine.threads - 1;
    return std::make_unique<worker::loop::TextRunner>(std::move(*engine), arguments.loop, std::move(*pinned));
}

}  // namespace

int main(int count, char** values) {
    Arguments arguments;
    arguments.serve.parent = getppid();
    if (!worker::rpc::bind_to_parent(arguments.serve.parent)) {
        return EXIT_FAILURE;
    }
    CLI::App app("Serves one language model to llm-gateway over a Unix socket", "llm-gateway-text-worker");
    app.set_version_flag("--version", LLM_GATEWAY_VERSION);
    declare(app, arguments);
    if (const auto status = worker::parse_arguments(app, count, values)) {
        return *status;
    }
    base::log::setup("worker:" + arguments.name, arguments.log_level, arguments.log_format);
    return worker::rpc::serve(arguments.serve, [&](const auto& progress) { return load(arguments, progress); });
}
