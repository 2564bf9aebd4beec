#include "worker/engine/diffusion/diffusion_engine.hpp"

#include <fmt/format.h>
#include <stable-diffusion.h>

#include <algorithm>
#include <new>

#include "base/log.hpp"
#include "worker/engine/diffusion/decode_memory.hpp"
#include "worker/engine/diffusion/families.hpp"
#include "worker/engine/diffusion/generation.hpp"
#include "worker/engine/diffusion/model_file.hpp"
#include "worker/engine/diffusion/named_options.hpp"

namespace worker::engine::diffusion {
namespace {

using base::ErrorCode;

struct FreeContext {
    void operator()(sd_ctx_t* context) const { free_sd_ctx(context); }
};
using Context = std::unique_ptr<sd_ctx_t, FreeContext>;

struct FreeUpscaler {
    void operator()(upscaler_ctx_t* upscaler) const { free_upscaler_ctx(upscaler); }
};
using Upscaler = std::unique_ptr<upscaler_ctx_t, FreeUpscaler>;

void report_load_progress(int step, int steps, float, void* options) {
    if (steps > 0) {
        static_cast<const LoadOptions*>(options)->on_progress(static_cast<double>(step) / steps);
    }
}

std::vector<std::string> sampler_names() {
    std::vector<std::string> names;
    for (int i = 0; i < SAMPLE_METHOD_COUNT; ++i) {
        names.emplace_back(sd_sample_method_name(static_cast<sample_method_t>(i)));
    }
    return names;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
    return std::ranges::any_of(beginnings, [text](std::string_view each) { return text.starts_with(each); });
}

// "ays" has tables for three families only; for the others the engine reads past the end of an empty list.
std::vector<std::string> scheduler_names(std::string_view family) {
    std::vector<std::string> names;
    for (int i = 0; i < SCHEDULER_COUNT; ++i) {
        if (i != AYS_SCHEDULER || starts_with_any(family, {"SD 1", "SDXL", "SDXS (512"})) {
            names.emplace_back(sd_scheduler_name(static_cast<scheduler_t>(i)));
        }
    }
    return names;
}

const std::filesystem::path& main_file_of(const ModelPaths& paths) {
    return paths.model.empty() ? paths.diffusion_model : paths.model;
}

class DiffusionEngine final : public image::PictureEngine {
public:
    base::Result<void> load(const LoadOptions& options);

    const image::PictureModel& model() const override { return model_; }
    base::Result<image::Drawing> draw(const image::DrawRequest& request, image::DrawObserver& observer) override;
    base::Result<image::Picture> upscale(const image::Picture& picture, image::DrawObserver& observer) override;
    image::PromptCacheCounts prompt_cache() const override;

private:
    base::Result<void> load_context(const LoadOptions& options);
    base::Result<void> load_upscaler(const LoadOptions& options);
    base::Result<bool> decodes_in_tiles(const image::DrawRequest& request) const;
    base::Result<void> check_adapters(const image::DrawRequest& request, std::uint64_t prompt_hits_before) const;
    void describe(const LoadOptions& options, const ModelFile& file);

    EngineLog log_;
    image::PictureModel model_;
    Context context_;
    Upscaler upscaler_;
    Autoencoder autoencoder_ = Autoencoder::full;
    std::size_t prompt_cache_bytes_ = 0;
    std::string upscaler_path_;
    MemorySources memory_;
};

// The last of the memory that is free is left to others: what is not counted here, and what grows meanwhile.
std::size_t usable(std::size_t free_bytes) {
    return free_bytes - free_bytes / 16;
}

// Every file that was given is looked at first; the sums are the model's, the rest is that of its main file.
base::Result<ModelFile> inspect(const ModelPaths& paths) {
    ModelFile total;
    for (const auto* path : {&paths.model, &paths.diffusion_model, &paths.vae, &paths.taesd, &paths.clip_l,
                             &paths.clip_g, &paths.t5xxl, &paths.llm, &paths.control_net, &paths.upscaler}) {
        if (path->empty()) {
            continue;
        }
        auto file = inspect_model_file(*path);
        if (!file) {
            return file;
        }
        if (path == &paths.model || path == &paths.diffusion_model) {
            total.title = file->title;
            total.resolution = file->resolution;
            total.has_guidance_input = file->has_guidance_input;
        }
        total.bytes += file->bytes;
        total.parameters += file->parameters;
    }
    return total;
}

base::Result<void> DiffusionEngine::load(const LoadOptions& options) {
    const auto& paths = options.paths;
    upscaler_path_ = paths.upscaler;
    memory_ = options.memory;
    const bool draws = !paths.model.empty() || !paths.diffusion_model.empty();
    if (!draws && paths.upscaler.empty()) {
        return base::fail(ErrorCode::invalid, "no model file is given: --model, --diffusion-model or --upscaler");
    }
    if (!paths.lora_folder.empty() && !std::filesystem::is_directory(paths.lora_folder)) {
        return base::fail(ErrorCode::invalid, fmt::format("{}: no such folder", paths.lora_folder.string()));
    }
    const auto file = inspect(paths);
    if (!file) {
        return std::unexpected(file.error());
    }
    if (draws) {
        if (auto loaded = load_context(options); !loaded) {
            return loaded;
        }
    }
    if (!paths.upscaler.empty()) {
        if (auto loaded = load_upscaler(options); !loaded) {
            return loaded;
        }
    }
    describe(options, *file);
    return {};
}

base::Result<void> DiffusionEngine::load_context(const LoadOptions& options) {
    const auto& paths = options.paths;
    sd_ctx_params_t parameters{};
    sd_ctx_params_init(&parameters);
    parameters.model_path = paths.model.c_str();
    parameters.diffusion_model_path = paths.diffusion_model.c_str();
    parameters.vae_path = paths.vae.c_str();
    parameters.taesd_path = paths.taesd.c_str();
    parameters.clip_l_path = paths.clip_l.c_str();
    parameters.clip_g_path = paths.clip_g.c_str();
    parameters.t5xxl_path = paths.t5xxl.c_str();
    parameters.llm_path = paths.llm.c_str();
    parameters.control_net_path = paths.control_net.c_str();
    parameters.tae_preview_only = !paths.taesd.empty() && !paths.vae.empty();
    parameters.n_threads = static_cast<int>(options.threads);
    // Both default to true: the first leaves image to image out, the second makes the context good for one picture.
    parameters.vae_decode_only = false;
    parameters.free_params_immediately = false;
    // Without it the scores of all pairs of pixels are kept: gigabytes at 1024x1024, quadratic in the size.
    parameters.diffusion_flash_attn = true;
    // The engine cannot do this mask together with flash attention; Chroma draws without it.
    parameters.chroma_use_dit_mask = false;
    // Adapters that are added into the weights and subtracted again leave rounding behind: the same request would no
    // longer give the same bytes.
    parameters.lora_apply_mode = LORA_APPLY_AT_RUNTIME;
    parameters.prompt_cache_bytes = prompt_cache_bytes_ = options.prompt_cache_bytes;

    log_.begin();
    sd_set_progress_callback(report_load_progress, const_cast<LoadOptions*>(&options));
    context_.reset(new_sd_ctx(&parameters));
    if (context_ == nullptr && log_.encoder_missing()) {
        base::log::info("the autoencoder has no encoder: text to image only");
        log_.begin();
        parameters.vae_decode_only = true;
        model_.encodes_images = false;
        context_.reset(new_sd_ctx(&parameters));
    }
    sd_set_progress_callback(nullptr, nullptr);
    const auto& main_file = main_file_of(paths);
    if (auto checked = check_parts(log_.family(), paths); !checked) {
        context_.reset();
        return checked;
    }
    if (log_.text_encoders_missing()) {
        context_.reset();
        return base::fail(
            ErrorCode::invalid,
            fmt::format("{}: a {} model needs a text encoder, and no file that was given has one: --clip-l, "
                        "--clip-g, --t5xxl or --llm",
                        main_file.string(), log_.family()));
    }
    if (context_ == nullptr) {
        return base::fail(
            ErrorCode::invalid,
            log_.family().empty()
                ? fmt::format("{}: is not an image model the engine knows", main_file.string())
                : fmt::format("{}: cannot be loaded as {}: {}", main_file.string(), log_.family(), log_.problem()));
    }
    if (!sd_ctx_supports_image_generation(context_.get())) {
        return base::fail(ErrorCode::unsupported,
                          fmt::format("{}: a {} model draws videos, not pictures", main_file.string(), log_.family()));
    }
    return {};
}

base::Result<void> DiffusionEngine::load_upscaler(const LoadOptions& options) {
    // Tiles keep the memory of an enlargement at some hundred megabytes, whatever the size.
    constexpr int tile_size = 128;
    log_.begin();
    sd_set_progress_callback(report_load_progress, const_cast<LoadOptions*>(&options));
    upscaler_.reset(
        new_upscaler_ctx(options.paths.upscaler.c_str(), false, false, static_cast<int>(options.threads), tile_size));
    sd_set_progress_callback(nullptr, nullptr);
    if (upscaler_ == nullptr) {
        return base::fail(ErrorCode::invalid, fmt::format("{}: is not an ESRGAN model the engine knows: {}",
                                                          options.paths.upscaler.string(), log_.problem()));
    }
    model_.can_upscale = true;
    model_.upscale_factor = static_cast<std::uint32_t>(get_upscale_factor(upscaler_.get()));
    return {};
}

void DiffusionEngine::describe(const LoadOptions& options, const ModelFile& file) {
    model_.family = log_.family();
    model_.parameters = file.parameters;
    model_.file_bytes = file.bytes;
    model_.engine_version = fmt::format("stable-diffusion.cpp {}", LLM_GATEWAY_DIFFUSION_VERSION);
    model_.kernel = options.kernels.name;
    model_.kernel_reason = options.kernels.reason;
    model_.threads = options.threads;
    model_.can_draw = context_ != nullptr;
    if (!model_.can_draw) {
        model_.family = "upscaler";
        model_.description = fmt::format("ESRGAN, {} times larger", model_.upscale_factor);
        return;
    }
    // SDXS checkpoints carry a tiny autoencoder.
    const bool tiny = (!options.paths.taesd.empty() && options.paths.vae.empty()) || model_.family.starts_with("SDXS");
    autoencoder_ = tiny ? Autoencoder::tiny : Autoencoder::full;
    Family family = family_named(model_.family);
    model_.takes_distilled_guidance = file.has_guidance_input || log_.guidance_input();
    if (!model_.takes_distilled_guidance) {
        family = without_guidance_input(family);
    }
    model_.description = file.title.empty() ? model_.family : fmt::format("{} ({})", file.title, model_.family);
    model_.size_multiple = family.size_multiple;
    const auto fits = [&](std::uint32_t side) {
        return side >= model_.min_side && side <= model_.max_side && side % family.size_multiple == 0;
    };
    const bool own_size = file.resolution && fits(file.resolution->width) && fits(file.resolution->height);
    model_.default_width = own_size ? file.resolution->width : family.side;
    model_.default_height = own_size ? file.resolution->height : family.side;
    model_.default_steps = family.steps;
    model_.default_cfg_scale = family.cfg_scale;
    const auto sampler = family.sampler.empty() ? sd_get_default_sample_method(context_.get())
                                                : str_to_sample_method(std::string(family.sampler).c_str());
    model_.default_sampler = sd_sample_method_name(sampler);
    model_.default_scheduler = sd_scheduler_name(sd_get_default_scheduler(context_.get(), sampler));
    model_.samplers = sampler_names();
    model_.schedulers = scheduler_names(model_.family);
    model_.takes_control_image = !options.paths.control_net.empty() || model_.family == "Flux Control";
    model_.max_reference_images = model_.encodes_images ? family.max_reference_images : 0;
    model_.needs_reference_image = family.needs_reference_image;
    model_.step_caches = step_caches_of(network_of(model_.family));
    if (!family.bound_to_size) {
        model_.second_pass_upscalers =
            second_pass_upscalers({.encodes_images = model_.encodes_images, .upscaler = model_.can_upscale});
    }
    model_.has_taesd = !options.paths.taesd.empty();
    model_.lora_folder = options.paths.lora_folder;
}

image::PromptCacheCounts DiffusionEngine::prompt_cache() const {
    const auto counts = sd_prompt_cache_stats(context_.get());
    return {.hits = counts.hits, .misses = counts.misses, .bytes = counts.bytes, .limit_bytes = prompt_cache_bytes_};
}

std::unexpected<base::Error> too_large() {
    return base::fail(ErrorCode::too_large,
                      "there is not enough memory for a picture of this size: ask for a smaller one");
}

base::Result<bool> DiffusionEngine::decodes_in_tiles(const image::DrawRequest& request) const {
    const auto pixels = std::uint64_t{request.final_width()} * request.final_height();
    const auto decoding = choose_decoding(
        pixels, autoencoder_,
        {.machine_bytes = memory_limit(memory_).bytes, .free_bytes = usable(free_memory(memory_).bytes)});
    if (decoding == Decoding::impossible) {
        return too_large();
    }
    return request.tile_decode || decoding == Decoding::tiled;
}

// An adapter of another family's model is loaded, none of its tensors has a place, and the picture is as without it. What
// an adapter does to the encoders is not to be seen where a prompt was encoded before.
base::Result<void> DiffusionEngine::check_adapters(const image::DrawRequest& request,
                                                   std::uint64_t prompt_hits_before) const {
    if (prompt_cache().hits != prompt_hits_before) {
        return {};
    }
    for (std::size_t i = 0; i < request.loras.size(); ++i) {
        const std::filesystem::path path = request.loras[i].path;
        if (log_.lora_tensors_used(path.string()) == 0) {
            return base::fail(ErrorCode::invalid,
                              fmt::format("LoRA '{}' is not for a {} model: nothing of it has a place there",
                                          path.stem().string(), model_.family),
                              fmt::format("loras[{}].name", i));
        }
    }
    return {};
}

base::Result<image::Drawing> DiffusionEngine::draw(const image::DrawRequest& request, image::DrawObserver& observer) {
    const auto tiled = decodes_in_tiles(request);
    if (!tiled) {
        return std::unexpected(tiled.error());
    }
    const std::uint64_t prompt_hits = prompt_cache().hits;
    EngineRequest engine_request(request, upscaler_path_);
    engine_request.parameters.vae_tiling_params.enabled = *tiled;
    Callbacks callbacks(log_, observer);
    callbacks.preview(request.preview_kind, request.preview_interval);
    callbacks.second_pass(request.second_pass ? request.second_pass->steps : 0);
    sd_set_compute_limit(usable(free_memory(memory_).bytes));
    sd_image_t* pictures = nullptr;
    try {
        pictures = generate_image(context_.get(), &engine_request.parameters);
    } catch (const StopDrawing&) {
        return callbacks.stopped() ? base::fail(ErrorCode::cancelled, "the drawing was cancelled")
                                   : base::fail(ErrorCode::invalid, "a LoRA file cannot be read", "loras");
    } catch (const std::out_of_range&) {
        // The weights in a prompt, "(word:1.2)", are the only numbers that the engine reads from a text.
        return base::fail(ErrorCode::invalid, "a weight in the prompt is not a number that fits", "prompt");
    } catch (const std::bad_alloc&) {
        base::log::warning("not enough memory", {{"problem", log_.problem()}});
        return too_large();
    } catch (const std::exception& exception) {
        if (callbacks.stopped()) {
            return base::fail(ErrorCode::cancelled, "the drawing was cancelled");
        }
        base::log::error("engine", {{"exception", exception.what()}});
    }
    if (pictures == nullptr || pictures[0].data == nullptr) {
        std::free(pictures);
        base::log::error("the engine gave no picture", {{"problem", log_.problem()}});
        return base::fail(ErrorCode::internal, "the engine could not draw this");
    }
    image::Drawing drawing{.picture = taken(pictures[0]), .timings = callbacks.timings()};
    std::free(pictures);
    if (auto checked = check_adapters(request, prompt_hits); !checked) {
        return std::unexpected(checked.error());
    }
    return drawing;
}

base::Result<image::Picture> DiffusionEngine::upscale(const image::Picture& picture, image::DrawObserver& observer) {
    Callbacks callbacks(log_, observer);
    sd_set_compute_limit(usable(free_memory(memory_).bytes));
    sd_image_t enlarged{};
    try {
        enlarged = ::upscale(upscaler_.get(), viewed(picture), model_.upscale_factor);
    } catch (const StopDrawing&) {
        return base::fail(ErrorCode::cancelled, "the enlargement was cancelled");
    } catch (const std::bad_alloc&) {
        return too_large();
    } catch (const std::exception& exception) {
        if (callbacks.stopped()) {
            return base::fail(ErrorCode::cancelled, "the enlargement was cancelled");
        }
        base::log::error("engine", {{"exception", exception.what()}});
    }
    if (enlarged.data == nullptr) {
        base::log::error("the engine gave no picture", {{"problem", log_.problem()}});
        return base::fail(ErrorCode::internal, "the engine could not enlarge this");
    }
    return taken(enlarged);
}

}  // namespace

base::Result<void> check_parts(std::string_view family, const ModelPaths& paths) {
    if (!paths.control_net.empty() && !family.empty() && network_of(family) != Network::unet) {
        return base::fail(ErrorCode::unsupported, fmt::format("{}: a {} model cannot be guided by a control net",
                                                              paths.control_net.string(), family));
    }
    return {};
}

base::Result<std::unique_ptr<image::PictureEngine>> load_diffusion_engine(const LoadOptions& options) {
    auto engine = std::make_unique<DiffusionEngine>();
    if (auto loaded = engine->load(options); !loaded) {
        return std::unexpected(loaded.error());
    }
    return engine;
}

}  // namespace worker::engine::diffusion
