#include "worker/image/image_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/log.hpp"
#include "worker/image/enlarge.hpp"
#include "worker/image/metadata.hpp"

namespace worker::image {

using rpc::failed;

namespace {

rpc::Event done_event(std::uint32_t image, std::int64_t seed, const DeliveredFile& file) {
    rpc::Event event;
    auto& done = *event.mutable_image_done();
    done.set_image(image);
    done.set_seed(seed);
    done.set_width(file.width);
    done.set_height(file.height);
    done.set_data(file.data);
    done.set_media_type(file.media_type);
    return event;
}

}  // namespace

// Turns what the engine reports about one picture into events.
class ImageRunner::Watcher final : public DrawObserver {
public:
    /// In pixels; of previews.
    struct Size {
        std::uint32_t width = 0;
        std::uint32_t height = 0;
    };

    Watcher(ImageRunner& runner, const TaskPointer& task, std::uint32_t image, Size size)
        : runner_(runner), task_(task), image_(image), size_(size) {}

    bool wants_stop() const override { return task_->cancelled; }

    bool on_step(std::uint32_t step, std::uint32_t steps, double step_seconds) override {
        ++runner_.steps_;
        if (step != last_step_) {
            last_step_ = step;
            rpc::Event event;
            auto& progress = *event.mutable_image_progress();
            progress.set_image(image_);
            progress.set_step(step);
            progress.set_steps(steps);
            progress.set_step_seconds(step_seconds);
            runner_.send(task_, std::move(event));
            const std::lock_guard lock(runner_.mutex_);
            runner_.totals_.set_image_steps(runner_.totals_.image_steps() + 1);
            runner_.totals_.set_image_step_seconds_total(runner_.totals_.image_step_seconds_total() + step_seconds);
            runner_.totals_.set_step_seconds_average(step_seconds);
        }
        return !task_->cancelled;
    }

    void on_preview(std::uint32_t step, Picture preview) override {
        // A preview is worth nothing late.
        if (runner_.delivery_.backlog() > 2) {
            return;
        }
        runner_.delivery_.post([sink = task_->sink, image = image_, size = size_, step, preview = std::move(preview)] {
            // A projection has the size of the latent, an eighth; who watches expects the picture's.
            if (auto file = codec::encode(enlarged(preview, size.width, size.height), {})) {
                rpc::Event event;
                event.mutable_image_preview()->set_image(image);
                event.mutable_image_preview()->set_step(step);
                event.mutable_image_preview()->set_data(*std::move(file));
                sink->on_event(std::move(event));
            }
        });
    }

private:
    ImageRunner& runner_;
    const TaskPointer& task_;
    std::uint32_t image_;
    Size size_;
    std::uint32_t last_step_ = 0;
};

ImageRunner::ImageRunner(std::unique_ptr<PictureEngine> engine, const base::Clock& clock, ImageRunnerOptions options)
    : engine_(std::move(engine)),
      clock_(clock),
      options_(std::move(options)),
      repeats_(options_.repeat_bytes),
      thread_([this] { run(); }) {}

ImageRunner::~ImageRunner() {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
    if (running_ != nullptr) {
        running_->cancelled = true;
    }
    changed_.notify_all();
}

void ImageRunner::start(rpc::Job job, std::shared_ptr<rpc::EventSink> sink) {
    auto planned = plan(job);
    if (!planned) {
        base::log::info("job refused",
                        {{"job", job.id()}, {"param", planned.error().param}, {"why", planned.error().message}});
        delivery_.post([sink = std::move(sink), error = planned.error()] {
            rpc::Event queued;
            queued.mutable_queued();
            sink->on_event(std::move(queued));
            sink->on_event(failed(error));
        });
        const std::lock_guard lock(mutex_);
        totals_.set_failed_jobs(totals_.failed_jobs() + 1);
        return;
    }
    (*planned)->id = job.id();
    (*planned)->priority = job.priority();
    (*planned)->sink = std::move(sink);
    (*planned)->arrived = clock_.now();
    if (!answer_again(*planned)) {
        enqueue(*planned);
    }
}

// A job all of whose pictures were delivered before does not wait for those that have to be drawn. Who asks for previews
// wants to watch: such a job is drawn.
bool ImageRunner::answer_again(const TaskPointer& task) {
    const auto* plan = std::get_if<DrawPlan>(&task->plan);
    if (plan == nullptr || plan->first.preview_interval > 0) {
        return false;
    }
    for (std::uint32_t image = 0; image < plan->count; ++image) {
        if (!repeats_.contains(task->repeat_key, plan->first.seed + image)) {
            return false;
        }
    }
    std::vector<std::shared_ptr<const DeliveredFile>> files;
    for (std::uint32_t image = 0; image < plan->count; ++image) {
        files.push_back(repeats_.find(task->repeat_key, plan->first.seed + image));
        if (files.back() == nullptr) {
            return false;  // it has just made room for another
        }
    }
    rpc::Event queued;
    queued.mutable_queued();
    send(task, std::move(queued));
    post_started(task);
    for (std::uint32_t image = 0; image < plan->count; ++image) {
        deliver_again(task, image, plan->first.seed + image, std::move(files[image]));
    }
    post_end(task, {});
    return true;
}

base::Result<ImageRunner::TaskPointer> ImageRunner::plan(const rpc::Job& job) {
    auto task = std::make_shared<Task>();
    if (job.has_image()) {
        auto drawing = plan_drawing(job.image(), engine_->model(), options_.draw_seed());
        if (!drawing) {
            return std::unexpected(std::move(drawing).error());
        }
        drawing->first.cache_salt = job.cache_salt();
        task->repeat_key = repeat_key(job, drawing->first);
        task->plan = *std::move(drawing);
    } else if (job.has_upscale()) {
        auto enlargement = plan_upscale(job.upscale(), engine_->model());
        if (!enlargement) {
            return std::unexpected(std::move(enlargement).error());
        }
        task->plan = *std::move(enlargement);
    } else {
        return base::fail(base::ErrorCode::unsupported, "an image worker takes image and upscale jobs");
    }
    return task;
}

void ImageRunner::enqueue(const TaskPointer& task) {
    const std::lock_guard lock(mutex_);
    const auto place =
        std::ranges::find_if(waiting_, [&](const auto& each) { return each->priority < task->priority; });
    const auto before = static_cast<std::uint32_t>(place - waiting_.begin()) + (running_ != nullptr ? 1 : 0);
    rpc::Event queued;
    queued.mutable_queued()->set_position(before);
    // Posted under the lock, so that the job's later events come after it.
    send(task, std::move(queued));
    if (waiting_.size() >= options_.max_waiting) {
        totals_.set_failed_jobs(totals_.failed_jobs() + 1);
        send(task, rpc::failed(contract::BUSY, fmt::format("{} image jobs are waiting already", waiting_.size())));
        return;
    }
    waiting_.insert(place, task);
    changed_.notify_all();
}

bool ImageRunner::cancel(std::string_view id) {
    const std::lock_guard lock(mutex_);
    if (running_ != nullptr && running_->id == id) {
        running_->cancelled = true;
        return true;
    }
    const auto found = std::ranges::find_if(waiting_, [id](const auto& each) { return each->id == id; });
    if (found == waiting_.end()) {
        return false;
    }
    totals_.set_cancelled_jobs(totals_.cancelled_jobs() + 1);
    send(*found, rpc::failed(contract::CANCELLED, "the job was cancelled while it waited"));
    waiting_.erase(found);
    return true;
}

ImageRunner::TaskPointer ImageRunner::next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) {
        return nullptr;
    }
    running_ = std::move(waiting_.front());
    waiting_.pop_front();
    return running_;
}

void ImageRunner::run() {
    while (const auto task = next()) {
        post_started(task);
        base::Result<void> outcome;
        // One of the two places where exceptions end: a bug, or no memory, costs this job and not the process.
        try {
            outcome = perform(task);
        } catch (const std::bad_alloc&) {
            outcome = base::fail(base::ErrorCode::too_large, "there is not enough memory for this picture");
        } catch (const std::exception& exception) {
            base::log::error("exception", {{"job", task->id}, {"what", exception.what()}});
            outcome = base::fail(base::ErrorCode::internal, "the picture could not be drawn");
        }
        finish(task, outcome);
    }
}

base::Result<void> ImageRunner::perform(const TaskPointer& task) {
    if (const auto* plan = std::get_if<DrawPlan>(&task->plan)) {
        return draw(task, *plan);
    }
    return enlarge(task, std::get<UpscalePlan>(task->plan));
}

// A batch of the engine would give all pictures at its end; single drawings give each when it is done, and picture i of
// a batch equals the single drawing with seed + i.
base::Result<void> ImageRunner::draw(const TaskPointer& task, const DrawPlan& plan) {
    for (std::uint32_t image = 0; image < plan.count; ++image) {
        DrawRequest request = plan.first;
        request.seed += image;
        if (auto file = request.preview_interval > 0 ? nullptr : repeats_.find(task->repeat_key, request.seed)) {
            deliver_again(task, image, request.seed, std::move(file));
            continue;
        }
        Watcher watcher(*this, task, image, {.width = request.final_width(), .height = request.final_height()});
        auto drawing = task->cancelled ? base::fail(base::ErrorCode::cancelled, "the job was cancelled")
                                       : engine_->draw(request, watcher);
        if (!drawing) {
            return std::unexpected(std::move(drawing).error());
        }
        auto encoding = plan.encoding;
        if (plan.with_metadata) {
            encoding.parameters = metadata_text(request, engine_->model());
        }
        deliver(task, image, request.seed, *std::move(drawing), std::move(encoding));
    }
    return {};
}

base::Result<void> ImageRunner::enlarge(const TaskPointer& task, const UpscalePlan& plan) {
    Watcher watcher(*this, task, 0, {});
    auto enlarged = engine_->upscale(plan.picture, watcher);
    if (!enlarged) {
        return std::unexpected(std::move(enlarged).error());
    }
    deliver(task, 0, 0, {.picture = *std::move(enlarged), .timings = {}}, plan.encoding);
    return {};
}

void ImageRunner::deliver(const TaskPointer& task, std::uint32_t image, std::int64_t seed, Drawing drawing,
                          codec::EncodeOptions encoding) {
    delivery_.post([this, task, image, seed, drawing = std::move(drawing), encoding = std::move(encoding)] {
        const auto began = clock_.now();
        auto file = codec::encode(drawing.picture, encoding);
        if (!file) {
            // The pixels are ours and valid, so this is a bug.
            base::log::error("cannot write the file", {{"job", task->id}, {"why", file.error().message}});
            task->delivery_failure = {.code = base::ErrorCode::internal, .message = "the file could not be written"};
            return;
        }
        auto& timings = task->timings;
        timings.set_encode_seconds(timings.encode_seconds() + drawing.timings.encode_seconds);
        timings.set_sampling_seconds(timings.sampling_seconds() + drawing.timings.sampling_seconds);
        timings.set_decode_seconds(timings.decode_seconds() + drawing.timings.decode_seconds +
                                   base::seconds(clock_.now() - began));
        const auto delivered = std::make_shared<const DeliveredFile>(
            DeliveredFile{.data = *std::move(file),
                          .media_type = std::string(codec::media_type(encoding.format)),
                          .width = drawing.picture.width,
                          .height = drawing.picture.height});
        if (!task->repeat_key.empty()) {
            repeats_.keep(task->repeat_key, seed, delivered);
        }
        {
            const std::lock_guard lock(mutex_);
            totals_.set_images_done(totals_.images_done() + 1);
        }
        task->sink->on_event(done_event(image, seed, *delivered));
    });
}

void ImageRunner::deliver_again(const TaskPointer& task, std::uint32_t image, std::int64_t seed,
                                std::shared_ptr<const DeliveredFile> file) {
    rpc::Event event = done_event(image, seed, *file);
    event.mutable_image_done()->set_repeated(true);
    send(task, std::move(event));
}

void ImageRunner::post_started(const TaskPointer& task) {
    rpc::Event started;
    started.mutable_started()->set_queue_seconds(base::seconds(clock_.now() - task->arrived));
    delivery_.post([task, started]() mutable {
        task->timings.set_queue_seconds(started.started().queue_seconds());
        task->sink->on_event(std::move(started));
    });
}

void ImageRunner::send(const TaskPointer& task, rpc::Event event) {
    delivery_.post([sink = task->sink, event = std::move(event)]() mutable { sink->on_event(std::move(event)); });
}

void ImageRunner::finish(const TaskPointer& task, const base::Result<void>& drawn) {
    {
        const std::lock_guard lock(mutex_);
        running_ = nullptr;
    }
    post_end(task, drawn);
}

void ImageRunner::post_end(const TaskPointer& task, const base::Result<void>& drawn) {
    const auto* plan = std::get_if<DrawPlan>(&task->plan);
    const std::int64_t seed = plan != nullptr ? plan->first.seed : 0;
    // After the job's pictures, one of which may turn out not to be deliverable.
    delivery_.post([this, task, drawn, seed] {
        const bool undelivered = drawn && task->delivery_failure;
        const base::Result<void> outcome = undelivered ? std::unexpected(*task->delivery_failure) : drawn;
        count(outcome);
        task->timings.set_total_seconds(base::seconds(clock_.now() - task->arrived));
        base::log::info("job", {{"job", task->id},
                                {"outcome", outcome ? "finished" : base::to_string(outcome.error().code)},
                                {"seed", seed},
                                {"queue_seconds", task->timings.queue_seconds()},
                                {"sampling_seconds", task->timings.sampling_seconds()},
                                {"total_seconds", task->timings.total_seconds()}});
        if (!outcome) {
            task->sink->on_event(failed(outcome.error()));
            return;
        }
        rpc::Event event;
        *event.mutable_finished()->mutable_timings() = task->timings;
        event.mutable_finished()->set_seed(seed);
        task->sink->on_event(std::move(event));
    });
}

void ImageRunner::count(const base::Result<void>& outcome) {
    const std::lock_guard lock(mutex_);
    if (outcome) {
        totals_.set_finished_jobs(totals_.finished_jobs() + 1);
    } else if (outcome.error().code == base::ErrorCode::cancelled) {
        totals_.set_cancelled_jobs(totals_.cancelled_jobs() + 1);
    } else {
        totals_.set_failed_jobs(totals_.failed_jobs() + 1);
    }
}

contract::HealthReply ImageRunner::health() const {
    contract::HealthReply reply;
    reply.set_steps(steps_);
    const std::lock_guard lock(mutex_);
    reply.set_busy(running_ != nullptr || !waiting_.empty());
    return reply;
}

contract::StatisticsReply ImageRunner::statistics() const {
    const std::lock_guard lock(mutex_);
    contract::StatisticsReply reply = totals_;
    reply.set_running_jobs(running_ != nullptr ? 1 : 0);
    reply.set_waiting_jobs(static_cast<std::uint32_t>(waiting_.size()));
    reply.set_slots(1);
    reply.set_slots_busy(running_ != nullptr ? 1 : 0);
    repeats_.report(reply);
    if (engine_->model().can_draw) {
        const PromptCacheCounts counts = engine_->prompt_cache();
        auto& cache = *reply.add_caches();
        cache.set_name("prompt_embedding");
        cache.set_hits(counts.hits);
        cache.set_misses(counts.misses);
        cache.set_bytes(counts.bytes);
        cache.set_limit_bytes(counts.limit_bytes);
    }
    return reply;
}

contract::ModelFacts ImageRunner::facts() const {
    const PictureModel& model = engine_->model();
    contract::ModelFacts facts;
    facts.set_architecture(model.family);
    facts.set_description(model.description);
    facts.set_parameters(model.parameters);
    facts.set_file_bytes(model.file_bytes);
    facts.set_kernel(model.kernel);
    facts.set_kernel_reason(model.kernel_reason);
    facts.set_threads(model.threads);
    facts.set_engine_version(model.engine_version);
    auto& image = *facts.mutable_image();
    image.set_family(model.family);
    image.set_upscaling(model.can_upscale);
    image.set_upscale_factor(model.upscale_factor);
    image.set_drawing(model.can_draw);
    if (!model.can_draw) {
        return facts;
    }
    image.set_default_width(model.default_width);
    image.set_default_height(model.default_height);
    image.set_max_width(model.max_side);
    image.set_max_height(model.max_side);
    image.set_size_multiple(model.size_multiple);
    image.set_default_steps(model.default_steps);
    image.set_default_cfg_scale(model.default_cfg_scale);
    image.set_default_sampler(model.default_sampler);
    image.set_default_scheduler(model.default_scheduler);
    image.mutable_samplers()->Assign(model.samplers.begin(), model.samplers.end());
    image.mutable_schedulers()->Assign(model.schedulers.begin(), model.schedulers.end());
    const auto names = lora_names(model.lora_folder);
    image.mutable_loras()->Assign(names.begin(), names.end());
    image.set_inpainting(model.encodes_images);
    image.mutable_step_caches()->Assign(model.step_caches.begin(), model.step_caches.end());
    image.mutable_hires_upscalers()->Assign(model.second_pass_upscalers.begin(), model.second_pass_upscalers.end());
    image.set_control_image(model.takes_control_image);
    image.set_max_reference_images(model.max_reference_images);
    image.set_needs_reference_image(model.needs_reference_image);
    image.add_preview_kinds(contract::PREVIEW_PROJECTION);
    if (model.has_taesd) {
        image.add_preview_kinds(contract::PREVIEW_TAESD);
    }
    image.add_preview_kinds(contract::PREVIEW_VAE);
    image.set_max_steps(max_steps);
    image.set_max_count(max_count);
    image.set_distilled_guidance(model.takes_distilled_guidance);
    return facts;
}

}  // namespace worker::image
