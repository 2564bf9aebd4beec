#include "gateway/api/a1111/answers.hpp"

namespace gateway::api::a1111 {

const schema::Object<ImagesAnswer>& describe(schema::Type<ImagesAnswer>) {
    using A = ImagesAnswer;
    static const auto table =
        schema::Object<A>("A1111Images", "The pictures.")
            .field("images", &A::images,
                   {.doc = "Each a PNG in base64. After an interrupt: those that were done, and the one that was not.",
                    .required = true})
            .field("parameters", &A::parameters, {.doc = "The request, without its pictures.", .required = true})
            .field("info", &A::info,
                   {.doc = "JSON in a string: the settings as they were used, and the seed of each picture.",
                    .required = true});
    return table;
}

const schema::Object<ProgressState>& describe(schema::Type<ProgressState>) {
    using S = ProgressState;
    static const auto table =
        schema::Object<S>("A1111ProgressState", "What the job does.")
            .field("job", &S::job,
                   {.doc = "Its id, for `/v1/images/jobs`; empty when there is none.", .required = true})
            .field("job_count", &S::job_count, {.doc = "Pictures of the job.", .required = true, .minimum = 0})
            .field("job_no", &S::job_no, {.doc = "Of them done.", .required = true, .minimum = 0})
            .field("job_timestamp", &S::job_timestamp,
                   {.doc = "When it came: `YYYYMMDDhhmmss`, UTC.", .required = true})
            .field("sampling_step", &S::sampling_step,
                   {.doc = "Finished steps of the picture that is drawn.", .required = true, .minimum = 0})
            .field("sampling_steps", &S::sampling_steps, {.doc = "All its steps.", .required = true, .minimum = 0})
            .field("skipped", &S::skipped, {.doc = "Always `false`.", .required = true})
            .field("interrupted", &S::interrupted, {.doc = "Always `false`.", .required = true})
            .field("stopping_generation", &S::stopping_generation, {.doc = "Always `false`.", .required = true});
    return table;
}

const schema::Object<Progress>& describe(schema::Type<Progress>) {
    using P = Progress;
    static const auto table =
        schema::Object<P>("A1111Progress", "How far the job of the client who asks is.")
            .field("progress", &P::progress,
                   {.doc = "Share of all steps that are done.", .required = true, .minimum = 0, .maximum = 1})
            .field("eta_relative", &P::eta_relative,
                   {.doc = "Seconds until its last picture is done; 0 while that is unknown.",
                    .required = true,
                    .minimum = 0})
            .field("state", &P::state, {.doc = "What it does.", .required = true})
            .field("current_image", &P::current_image,
                   {.doc = "The unfinished picture, a PNG in base64.", .required = true})
            .field("textinfo", &P::textinfo, {.doc = "Where it stands in the line.", .required = true});
    return table;
}

const schema::Object<Options>& describe(schema::Type<Options>) {
    using O = Options;
    static const auto table =
        schema::Object<O>("A1111Options", "The settings of the client who asks.")
            .field("sd_model_checkpoint", &O::sd_model_checkpoint, {.doc = "The model.", .required = true})
            .field("CLIP_stop_at_last_layers", &O::clip_skip,
                   {.doc = "Leaves out the last layers of the text encoder.", .required = true})
            .constant("samples_format", "png");
    return table;
}

const schema::Object<Nothing>& describe(schema::Type<Nothing>) {
    static const schema::Object<Nothing> table("A1111Nothing", "Nothing to tell.");
    return table;
}

const schema::Object<Sampler>& describe(schema::Type<Sampler>) {
    static const auto table = schema::Object<Sampler>("A1111Sampler", "A sampler.")
                                  .field("name", &Sampler::name, {.doc = "For `sampler_name`.", .required = true})
                                  .field("aliases", &Sampler::aliases, {.doc = "Taken as well.", .required = true})
                                  .field("options", &Sampler::options, {.doc = "Always empty.", .required = true});
    return table;
}

const schema::Object<Scheduler>& describe(schema::Type<Scheduler>) {
    using S = Scheduler;
    static const auto table =
        schema::Object<S>("A1111Scheduler", "A scheduler.")
            .field("name", &S::name, {.doc = "The engine's name.", .required = true})
            .field("label", &S::label, {.doc = "The usual name. Both are for `scheduler`.", .required = true})
            .field("aliases", &S::aliases, {.doc = "Always empty.", .required = true})
            .field("default_rho", &S::default_rho, {.doc = "Always -1.", .required = true})
            .field("need_inner_model", &S::need_inner_model, {.doc = "Always `false`.", .required = true});
    return table;
}

const schema::Object<Checkpoint>& describe(schema::Type<Checkpoint>) {
    using C = Checkpoint;
    static const auto table =
        schema::Object<C>("A1111Model", "A model.")
            .field("title", &C::title, {.doc = "For `sd_model_checkpoint`.", .required = true})
            .field("model_name", &C::model_name, {.doc = "The same.", .required = true})
            .field("hash", &C::hash, {.doc = "Always null.", .required = true})
            .field("sha256", &C::sha256, {.doc = "Of its file, when it is known.", .required = true})
            .field("filename", &C::filename,
                   {.doc = "The name again: files are the server's affair.", .required = true})
            .field("config", &C::config, {.doc = "Always null.", .required = true});
    return table;
}

const schema::Object<Upscaler>& describe(schema::Type<Upscaler>) {
    using U = Upscaler;
    static const auto table =
        schema::Object<U>("A1111Upscaler", "A model that enlarges.")
            .field("name", &U::name, {.doc = "For `upscaler_1`.", .required = true})
            .field("model_name", &U::model_name, {.doc = "The same.", .required = true})
            .field("model_path", &U::model_path, {.doc = "Always null.", .required = true})
            .field("model_url", &U::model_url, {.doc = "Always null.", .required = true})
            .field("scale", &U::scale, {.doc = "How many times larger it makes each side.", .required = true});
    return table;
}

const schema::Object<LoraItem>& describe(schema::Type<LoraItem>) {
    using L = LoraItem;
    static const auto table =
        schema::Object<L>("A1111Lora", "An adapter.")
            .field("name", &L::name, {.doc = "For `<lora:NAME:SCALE>` in a prompt.", .required = true})
            .field("alias", &L::alias, {.doc = "The same.", .required = true})
            .field("path", &L::path, {.doc = "The name again: files are the server's affair.", .required = true})
            .field("metadata", &L::metadata, {.doc = "Always empty.", .required = true});
    return table;
}

const schema::Object<LatentMode>& describe(schema::Type<LatentMode>) {
    static const auto table =
        schema::Object<LatentMode>("A1111LatentMode", "What enlarges a picture between two passes.")
            .field("name", &LatentMode::name, {.doc = "For `hr_upscaler`.", .required = true});
    return table;
}

const schema::Object<Scripts>& describe(schema::Type<Scripts>) {
    static const auto table = schema::Object<Scripts>("A1111Scripts", "Scripts by where they can be used.")
                                  .field("txt2img", &Scripts::txt2img, {.doc = "Always empty.", .required = true})
                                  .field("img2img", &Scripts::img2img, {.doc = "Always empty.", .required = true});
    return table;
}

const schema::Object<PngInfo>& describe(schema::Type<PngInfo>) {
    using P = PngInfo;
    static const auto table =
        schema::Object<P>("A1111PngInfo", "What a PNG keeps beside its pixels.")
            .field("info", &P::info, {.doc = "Prompt and settings; empty when there are none.", .required = true})
            .field("items", &P::items, {.doc = "All texts by keyword.", .required = true})
            .field("parameters", &P::parameters, {.doc = "Prompt and settings, taken apart.", .required = true});
    return table;
}

const schema::Object<ExtraAnswer>& describe(schema::Type<ExtraAnswer>) {
    using E = ExtraAnswer;
    static const auto table = schema::Object<E>("A1111ExtraImage", "The larger picture.")
                                  .field("html_info", &E::html_info, {.doc = "Always empty.", .required = true})
                                  .field("image", &E::image, {.doc = "A PNG in base64.", .required = true});
    return table;
}

}  // namespace gateway::api::a1111
