// llm-gateway-image-worker: stable-diffusion.cpp behind the contract in proto/engine.proto. Builds and connects
// everything, top to bottom.

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>
#include <random>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "worker/engine/cores.hpp"
#include "worker/engine/diffusion/diffusion_engine.hpp"
#include "worker/engine/diffusion/engine_abort.hpp"
#include "worker/engine/kernels.hpp"
#include "worker/engine/thread_stacks.hpp"
#include "worker/image/image_runner.hpp"
#include "worker/parse_arguments.hpp"
#include "worker/rpc/serve.hpp"

namespace {

namespace diffusion = worker::engine::diffusion;

struct Options {
    std::string socket;
    std::string name;
    diffusion::ModelPaths paths;
    unsigned threads = 0;
    std::size_t repeat_mebibytes = 64;
    std::size_t prompt_mebibytes = 64;
    base::log::Level log_level = base::log::Level::info;
    base::log::Format log_format = base::log::Format::text;
};

void declare(CLI::App& app, Options& options) {
    using base::log::Format;
    using base::log::Level;
    const std::map<std::string, Level> levels = {
        {"debug", Level::debug}, {"info", Level::info}, {"warning", Level::warning}, {"error", Level::error}};
    const std::map<std::string, Format> formats = {{"text", Format::text}, {"json", Format::json}};
    auto& paths = options.paths;
    app.add_option("--socket", options.socket, "Unix socket to listen on")->required();
    app.add_option("--name", options.name, "Name of the model, for the log")->required();
    app.add_option("--model", paths.model, "Whole model: safetensors, ckpt or GGUF");
    app.add_option("--diffusion-model", paths.diffusion_model, "The diffusion network alone");
    app.add_option("--vae", paths.vae, "Autoencoder");
    app.add_option("--taesd", paths.taesd,
                   "Tiny autoencoder: for previews when --vae is given too, else for everything");
    app.add_option("--clip-l", paths.clip_l, "CLIP-L text encoder");
    app.add_option("--clip-g", paths.clip_g, "CLIP-G text encoder");
    app.add_option("--t5xxl", paths.t5xxl, "T5-XXL text encoder");
    app.add_option("--llm", paths.llm, "Language model used as text encoder");
    app.add_option("--control-net", paths.control_net, "Control net");
    app.add_option("--upscaler", paths.upscaler, "ESRGAN model for upscale jobs");
    app.add_option("--lora-folder", paths.lora_folder, "Folder of LoRA files that jobs may name");
    app.add_option("--threads", options.threads,
                   "Threads of the engine; 0: what the quota and the affinity mask leave");
    app.add_option("--repeat-cache-memory", options.repeat_mebibytes,
                   "MiB for files that may be asked for again; 0: none is kept");
    app.add_option("--prompt-cache-memory", options.prompt_mebibytes,
                   "MiB for what the text encoders made of earlier prompts; 0: none is kept");
    app.add_option("--log-level", options.log_level)->transform(CLI::CheckedTransformer(levels));
    app.add_option("--log-format", options.log_format)->transform(CLI::CheckedTransformer(formats));
}

// Pictures take minutes and nobody waits for each step, while a chat beside them wants its next token within
// milliseconds. A drawing at equal priority takes four fifths of a chat's speed: the engine's threads wait for one
// another, so one that is not scheduled stops them all. At this level a drawing's thread has a weight of 36 beside the
// 1024 of a chat's: it takes what a chat leaves, and a thirtieth of a core that a chat never leaves, so that the picture
// still finishes. The idle policy's weight is 3, with which one beside a busy chat does not. As a batch it waits for its
// turn instead of interrupting when it wakes. It could not be raised again for a picture that has waited long: that
// takes a privilege. For the calling thread and those it creates; the threads that answer health checks keep theirs.
void run_behind_chat() {
    constexpr int level = 15;
    const sched_param none{};
    sched_setscheduler(0, SCHED_BATCH, &none);
    setpriority(PRIO_PROCESS, 0, level);
    base::log::info("scheduling", {{"policy", "batch"}, {"nice", level}});
}

// The engine prints a line end of its own after loading; a worker's standard output belongs to nobody.
void silence_standard_output() {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
}

std::uint32_t draw_seed() {
    static std::random_device device;
    return device();
}

base::Result<std::unique_ptr<worker::rpc::JobRunner>> load(const Options& options, const base::Clock& clock,
                                                           const worker::rpc::LoadProgress& progress) {
    run_behind_chat();
    const diffusion::OnEngineAbort on_abort([&](const std::string& message) {
        fmt::print(stderr, "cannot load the model: the engine gave up: {}\n", message);
        _exit(worker::rpc::load_failed_status);
    });
    auto kernels = worker::engine::load_kernels(worker::engine::kernel_folder());
    if (!kernels) {
        return std::unexpected(kernels.error());
    }
    const auto cores = worker::engine::available_cores();
    const unsigned threads = options.threads != 0 ? options.threads : cores.threads;
    base::log::info(
        "engine",
        {{"kernels", kernels->name}, {"why", kernels->reason}, {"threads", threads}, {"cores", cores.reason}});
    auto engine = diffusion::load_diffusion_engine({.paths = options.paths,
                                                    .kernels = *std::move(kernels),
                                                    .threads = threads,
                                                    .prompt_cache_bytes = options.prompt_mebibytes << 20,
                                                    .on_progress = progress});
    if (!engine) {
        return std::unexpected(engine.error());
    }
    const auto& model = (*engine)->model();
    base::log::info("model",
                    {{"family", model.family}, {"description", model.description}, {"parameters", model.parameters}});
    return std::make_unique<worker::image::ImageRunner>(
        *std::move(engine), clock,
        worker::image::ImageRunnerOptions{.repeat_bytes = options.repeat_mebibytes << 20, .draw_seed = draw_seed});
}

}  // namespace

int main(int argc, char** argv) {
    const pid_t parent = getppid();
    if (!worker::rpc::bind_to_parent(parent)) {
        return EXIT_FAILURE;
    }
    CLI::App app("Draws pictures for llm-gateway, which starts it.", "llm-gateway-image-worker");
    Options options;
    declare(app, options);
    if (const auto status = worker::parse_arguments(app, argc, argv)) {
        return *status;
    }
    base::log::setup("worker:" + options.name, options.log_level, options.log_format);
    silence_standard_output();
    worker::engine::give_threads_a_large_stack(std::size_t{32} << 20);
    const base::SteadyClock clock;
    return worker::rpc::serve({.socket = options.socket, .parent = parent},
                              [&](const auto& progress) { return load(options, clock, progress); });
}
