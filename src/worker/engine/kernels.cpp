#include "worker/engine/kernels.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <ggml-backend.h>

#include <algorithm>
#include <cstdlib>

#include "base/log.hpp"

namespace worker::engine {
namespace {

constexpr std::string_view file_prefix = "libggml-cpu-";
constexpr std::string_view file_suffix = ".so";

std::filesystem::path module_path(const std::filesystem::path& folder, const std::string& name) {
    return folder / fmt::format("{}{}{}", file_prefix, name, file_suffix);
}

// Only maps the module, asks it, and unmaps it again: a module runs nothing but its score function on a foreign
// processor.
int score_of(const std::filesystem::path& path) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return 0;
    }
    // ggml's own name for the function every module exports.
    auto* score = reinterpret_cast<int (*)()>(dlsym(handle, "ggml_backend_score"));
    const int result = score == nullptr ? 0 : score();
    dlclose(handle);
    return result;
}

std::vector<KernelScore> scores_in(const std::filesystem::path& folder) {
    std::vector<KernelScore> scores;
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
        const std::string file = entry.path().filename().string();
        if (file.starts_with(file_prefix) && file.ends_with(file_suffix)) {
            scores.push_back(
                {.name = file.substr(file_prefix.size(), file.size() - file_prefix.size() - file_suffix.size()),
                 .score = score_of(entry.path())});
        }
    }
    std::ranges::sort(scores, {}, &KernelScore::name);
    return scores;
}

std::string features_of(ggml_backend_reg_t kernels) {
    auto* get_features = reinterpret_cast<ggml_backend_get_features_t>(
        ggml_backend_reg_get_proc_address(kernels, "ggml_backend_get_features"));
    std::string features;
    if (get_features != nullptr) {
        for (const auto* feature = get_features(kernels); feature->name != nullptr; ++feature) {
            const std::string value = feature->value;
            features += value == "1" ? fmt::format(" {}", feature->name) : fmt::format(" {}={}", feature->name, value);
        }
    }
    return features;
}

void log_line(ggml_log_level /*level*/, const char* text, void* /*unused*/) {
    const std::string_view line(text);
    base::log::debug(line.substr(0, line.find_last_not_of('\n') + 1));
}

}  // namespace

const KernelScore* best_kernels(std::span<const KernelScore> scores) {
    const KernelScore* best = nullptr;
    for (const KernelScore& candidate : scores) {
        if (candidate.score <= 0) {
            continue;
        }
        if (best == nullptr || candidate.score > best->score ||
            (candidate.score == best->score && candidate.name < best->name)) {
            best = &candidate;
        }
    }
    return best;
}

base::Result<Kernels> load_kernels(const std::filesystem::path& folder) {
    ggml_log_set(log_line, nullptr);
    const auto scores = scores_in(folder);
    const auto runnable = std::ranges::count_if(scores, [](const KernelScore& each) { return each.score > 0; });
    const KernelScore* chosen = best_kernels(scores);
    std::string why = fmt::format("best of the {} variants (of {}) this processor can run", runnable, scores.size());
    if (const char* wanted = std::getenv("LLM_GATEWAY_KERNELS"); wanted != nullptr && *wanted != '\0') {
        const auto found = std::ranges::find(scores, wanted, &KernelScore::name);
        chosen = found != scores.end() && found->score > 0 ? &*found : nullptr;
        why = "named by LLM_GATEWAY_KERNELS";
        if (chosen == nullptr) {
            return base::fail(base::ErrorCode::unavailable,
                              fmt::format("LLM_GATEWAY_KERNELS names '{}', which this processor cannot run", wanted));
        }
    }
    if (chosen == nullptr) {
        return base::fail(base::ErrorCode::unavailable,
                          fmt::format("no CPU kernels in {} run on this processor ({} variants there)", folder.string(),
                                      scores.size()));
    }
    ggml_backend_reg_t kernels = ggml_backend_load(module_path(folder, chosen->name).c_str());
    if (kernels == nullptr) {
        return base::fail(base::ErrorCode::unavailable, fmt::format("cannot load the CPU kernels '{}'", chosen->name));
    }
    return Kernels{.name = chosen->name, .reason = fmt::format("{}; uses{}", why, features_of(kernels))};
}

std::filesystem::path kernel_folder() {
    std::error_code unknown;
    return std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path().parent_path() / "lib";
}

}  // namespace worker::engine
