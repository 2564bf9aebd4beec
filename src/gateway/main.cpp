/// The command line of llm-gateway. What `serve` builds is in serve.cpp.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "gateway/api/endpoints.hpp"
#include "gateway/config/arguments.hpp"
#include "gateway/config/load.hpp"
#include "gateway/config/reference.hpp"
#include "gateway/probe.hpp"
#include "gateway/serve.hpp"

namespace {

namespace config = gateway::config;

/// The command line was wrong, as opposed to something that went wrong.
constexpr int exit_status_usage = 2;

struct ServeOptions {
    std::string config_file;
    std::string api_key_file;
    std::string workers_folder;
    config::CommandLine command_line;
};

int complain(const std::string& text) {
    fmt::print(stderr, "llm-gateway: {}\n", text);
    return exit_status_usage;
}

int print(const std::string& text) {
    fmt::print("{}", text);
    return EXIT_SUCCESS;
}

/// File, then environment, then command line: the later wins.
int serve(const ServeOptions& options) {
    config::Settings settings;
    if (!options.config_file.empty()) {
        auto loaded = config::load_file(options.config_file);
        if (!loaded) {
            fmt::print(stderr, "{}", config::describe_faults(loaded.error(), options.config_file));
            return exit_status_usage;
        }
        settings = std::move(*loaded);
    }
    settings = config::apply_environment([](const char* name) -> const char* { return std::getenv(name); },
                                         std::move(settings));
    config::CommandLine command_line = options.command_line;
    if (!options.api_key_file.empty()) {
        command_line.api_keys_file = options.api_key_file;
    }
    if (!options.workers_folder.empty()) {
        command_line.workers_folder = options.workers_folder;
    }
    auto applied = config::apply(command_line, std::move(settings));
    if (!applied) {
        return complain(applied.error().message);
    }
    settings = std::move(*applied);
    if (settings.models.empty()) {
        return complain("no model to serve: give --model PATH, --image-model PATH, or a --config file with models");
    }
    return gateway::serve(settings);
}

void add_serve_options(CLI::App& serve, ServeOptions& options) {
    auto& line = options.command_line;
    serve.add_option("--config", options.config_file, "YAML file with settings; see `llm-gateway config reference`")
        ->type_name("FILE");
    serve.add_option("--model", line.models, "chat model, a GGUF file: [NAME=]PATH[,KEY=VALUE...]; may be repeated")
        ->type_name("MODEL")
        ->allow_extra_args(false);
    serve
        .add_option("--image-model", line.image_models,
                    "image model: [NAME=]PATH[,taesd=PATH,vae=PATH,...]; may be repeated")
        ->type_name("MODEL")
        ->allow_extra_args(false);
    serve.add_option("--host", line.host, "address to listen at; 127.0.0.1 unless configured");
    serve.add_option("--port", line.port, "port to listen at, 0 for a free one; 8080 unless configured");
    serve.add_option("--api-key-file", options.api_key_file, "file with API keys, one a line")->type_name("FILE");
    serve
        .add_option("--workers-folder", options.workers_folder, "where the workers' programs are; beside this program")
        ->type_name("FOLDER");
    serve.add_option("--log-level", line.log_level, "debug, info, warning or error");
    serve.add_option("--log-format", line.log_format, "text or json");
}

}  // namespace

int main(int count, char** values) {
    CLI::App app("OpenAI-compatible chat and images on CPU servers", "llm-gateway");
    app.set_version_flag("--version", LLM_GATEWAY_VERSION);
    app.require_subcommand(0, 1);

    ServeOptions options;
    auto* serve_command = app.add_subcommand("serve", "serve models over HTTP");
    add_serve_options(*serve_command, options);

    auto* config_command = app.add_subcommand("config", "about configuration files");
    config_command->require_subcommand(1);
    std::string file;
    auto* check = config_command->add_subcommand("check", "say what is wrong with a file");
    check->add_option("FILE", file, "the file to check")->required();
    auto* reference = config_command->add_subcommand("reference", "print what every key means");
    auto* example = config_command->add_subcommand("example", "print a complete file");

    auto* openapi = app.add_subcommand("openapi", "print the OpenAPI document of the HTTP interface");
    std::string url;
    auto* health = app.add_subcommand("health", "succeed when URL answers 200, for health checks");
    health->add_option("URL", url, "for example http://127.0.0.1:8080/health/ready")->required();
    auto* version = app.add_subcommand("version", "print the version");

    try {
        app.parse(count, values);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == EXIT_SUCCESS ? EXIT_SUCCESS : exit_status_usage;
    }
    if (serve_command->parsed()) {
        return serve(options);
    }
    if (check->parsed()) {
        const auto report = config::check_file(file);
        fmt::print(report.exit_status == 0 ? stdout : stderr, "{}", report.text);
        return report.exit_status;
    }
    if (reference->parsed()) {
        return print(config::reference());
    }
    if (example->parsed()) {
        return print(config::example());
    }
    if (openapi->parsed()) {
        return print(gateway::api::openapi_document() + "\n");
    }
    if (health->parsed()) {
        return gateway::probe(url);
    }
    if (version->parsed()) {
        return print(LLM_GATEWAY_VERSION "\n");
    }
    return print(app.help());
}
