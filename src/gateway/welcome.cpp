#include "gateway/welcome.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

bool is_this_machine(const std::string& host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// The address to type into a client on this machine.
std::string url(const std::string& host, std::uint16_t port) {
    const bool any = host == "0.0.0.0" || host == "::";
    const bool version_6 = host.find(':') != std::string::npos;
    const std::string shown = any ? "localhost" : version_6 ? "[" + host + "]" : host;
    return fmt::format("http://{}:{}", shown, port);
}

std::string curl_line(const std::string& base_url, const config::Settings& settings) {
    const bool needs_key = !settings.server.api_keys.empty() || !settings.server.clients.empty();
    const std::string key = needs_key ? " -H 'Authorization: Bearer YOUR_KEY'" : "";
    const auto is_text = [](const auto& model) { return std::holds_alternative<config::TextModel>(model); };
    const auto text = std::ranges::find_if(settings.models, is_text);
    if (text != settings.models.end()) {
        return fmt::format(
            "curl {}/v1/chat/completions -H 'Content-Type: application/json'{} -d '{{\"model\": \"{}\", \"messages\": "
            "[{{\"role\": \"user\", \"content\": \"Name three rivers.\"}}]}}'",
            base_url, key, config::basics(*text).name);
    }
    return fmt::format(
        "curl {}/v1/images/generations -H 'Content-Type: application/json'{} -d '{{\"model\": \"{}\", \"prompt\": \"a "
        "river\"}}'",
        base_url, key, config::basics(settings.models.front()).name);
}

}  // namespace

bool is_open_to_everybody(const config::Server& server) {
    return server.api_keys.empty() && server.clients.empty() && !is_this_machine(server.host);
}

std::string welcome(const config::Settings& settings, std::uint16_t port) {
    const std::string base_url = url(settings.server.host, port);
    std::string text = fmt::format("llm-gateway {} listens at {}\n", LLM_GATEWAY_VERSION, base_url);
    if (settings.docs.enabled) {
        text += fmt::format("  docs   {}/docs\n", base_url);
    }
    for (const config::Model& model : settings.models) {
        const bool is_text = std::holds_alternative<config::TextModel>(model);
        text += fmt::format("  model  {} ({})\n", config::basics(model).name, is_text ? "chat" : "images");
    }
    text += fmt::format("  try    {}\n", curl_line(base_url, settings));
    if (is_open_to_everybody(settings.server)) {
        text += fmt::format(
            "\n  WARNING: {} can be reached from other machines and no API key is asked for: anybody who reaches it "
            "can use\n"
            "  the models. Set LLM_GATEWAY_API_KEY, or --api-key-file, or listen at 127.0.0.1.\n\n",
            settings.server.host);
    }
    return text;
}

}  // namespace gateway
