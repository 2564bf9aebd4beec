// A worker that speaks the whole contract and computes nothing, for tests of the gateway and for measuring what the
// gateway itself costs. Started under the name of the image worker it is an image worker, otherwise a text worker; it
// takes the command lines of both and ignores what it does not need. Prompts direct it: see directives.hpp.
//
// The model's path directs how it starts: a file that does not exist ends it with status 3, as does the name "missing";
// a name that begins with "scripted" needs no file. `load_ms=N` anywhere in the path: loading takes N milliseconds.
// `crash_on_load` in the path: the process dies while it loads.

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "base/log.hpp"
#include "scripted/scripted_runner.hpp"
#include "worker/rpc/serve.hpp"

namespace {

struct Arguments {
    std::string socket;
    std::string name = "scripted";
    std::string model;
};

Arguments arguments_of(int count, char** values) {
    Arguments arguments;
    for (int index = 1; index + 1 < count; ++index) {
        const std::string_view option = values[index];
        const char* value = values[index + 1];
        if (option == "--socket")
            arguments.socket = value;
        if (option == "--name")
            arguments.name = value;
        if (option == "--model" || (option == "--diffusion-model" && arguments.model.empty()))
            arguments.model = value;
    }
    return arguments;
}

base::Result<std::unique_ptr<worker::rpc::JobRunner>> load(scripted::Kind kind, const std::string& model,
                                                           const worker::rpc::LoadProgress& progress) {
    const std::filesystem::path path(model);
    if (!path.filename().string().starts_with("scripted") && !std::filesystem::exists(path)) {
        return base::fail(base::ErrorCode::not_found, fmt::format("{} does not exist", model));
    }
    if (model.find("crash_on_load") != std::string::npos) {
        std::raise(SIGKILL);
    }
    if (const auto found = model.find("load_ms="); found != std::string::npos) {
        progress(0.5);
        std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(model.c_str() + found + 8)));
    }
    return std::make_unique<scripted::ScriptedRunner>(kind, model);
}

}  // namespace

int main(int count, char** values) {
    const Arguments arguments = arguments_of(count, values);
    const pid_t parent = getppid();
    if (!worker::rpc::bind_to_parent(parent)) {
        return EXIT_FAILURE;
    }
    base::log::setup("worker:" + arguments.name, base::log::Level::warning, base::log::Format::text);
    const bool image = std::string_view(values[0]).find("image-worker") != std::string_view::npos;
    const auto kind = image ? scripted::Kind::image : scripted::Kind::text;
    return worker::rpc::serve({.socket = arguments.socket, .parent = parent},
                              [&](const auto& progress) { return load(kind, arguments.model, progress); });
}
