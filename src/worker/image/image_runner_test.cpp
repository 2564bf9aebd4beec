#include "worker/image/image_runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <semaphore>
#include <stdexcept>

namespace worker::image {
namespace {

using testing::ElementsAre;
using Kind = rpc::Event::EventCase;

// Draws a picture of the seed's colour; each step waits until the test allows it.
class FakeEngine final : public PictureEngine {
public:
    struct Control {
        std::counting_semaphore<> steps{0};
        std::binary_semaphore drawing{0};
        bool waits = false;
        bool draws_nothing = false;
        std::function<void(const DrawRequest&)> on_draw = [](const DrawRequest&) {};
        std::vector<std::string> drawn;
    };

    explicit FakeEngine(Control& control) : control_(control) {
        model_.default_sampler = "euler";
        model_.samplers = {"euler"};
        model_.default_scheduler = "discrete";
        model_.schedulers = {"discrete"};
        model_.default_steps = 2;
        model_.size_multiple = 8;
        model_.default_width = model_.default_height = 64;
        model_.can_upscale = true;
        model_.upscale_factor = 2;
    }

    const PictureModel& model() const override { return model_; }

    base::Result<Drawing> draw(const DrawRequest& request, DrawObserver& observer) override {
        control_.drawn.push_back(request.prompt);
        control_.drawing.release();
        control_.on_draw(request);
        for (std::uint32_t step = 1; step <= request.steps; ++step) {
            if (control_.waits) {
                control_.steps.acquire();
            }
            if (request.preview_interval > 0) {
                observer.on_preview(step, colour(8, 8, 9));
            }
            if (!observer.on_step(step, request.steps, 0.5)) {
                return base::fail(base::ErrorCode::cancelled, "cancelled");
            }
        }
        if (control_.draws_nothing) {
            return Drawing{};
        }
        return Drawing{.picture = colour(request.width, request.height, static_cast<std::uint8_t>(request.seed)),
                       .timings = {.encode_seconds = 1, .sampling_seconds = 2, .decode_seconds = 3}};
    }

    base::Result<Picture> upscale(const Picture& picture, DrawObserver&) override {
        return colour(picture.width * 2, picture.height * 2, 5);
    }

    static Picture colour(std::uint32_t width, std::uint32_t height, std::uint8_t value) {
        return {.width = width,
                .height = height,
                .channels = 3,
                .pixels = std::vector<std::uint8_t>(std::size_t{width} * height * 3, value)};
    }

private:
    Control& control_;
    PictureModel model_;
};

class Recorder final : public rpc::EventSink {
public:
    void on_event(rpc::Event event) override {
        const bool last = event.has_finished() || event.has_failed();
        events.push_back(std::move(event));
        if (last) {
            ended_.count_down();
        }
    }
    const std::vector<rpc::Event>& wait() {
        ended_.wait();
        return events;
    }
    std::vector<Kind> kinds() {
        std::vector<Kind> result;
        for (const auto& event : wait()) {
            result.push_back(event.event_case());
        }
        return result;
    }
    const contract::Failed& failure() { return wait().back().failed(); }

    std::vector<rpc::Event> events;

private:
    std::latch ended_{1};
};

class ImageRunnerTest : public testing::Test {
protected:
    std::shared_ptr<Recorder> start(const std::string& id, const std::function<void(contract::ImageJob&)>& change = {},
                                    int priority = 0) {
        rpc::Job job;
        job.set_id(id);
        job.set_priority(priority);
        job.mutable_image()->set_prompt(id);
        if (change) {
            change(*job.mutable_image());
        }
        auto recorder = std::make_shared<Recorder>();
        runner().start(std::move(job), recorder);
        return recorder;
    }

    static std::vector<std::string> files(Recorder& job) {
        std::vector<std::string> found;
        for (const auto& event : job.wait()) {
            if (event.has_image_done()) {
                found.push_back(event.image_done().data());
            }
        }
        return found;
    }

    contract::CacheStatistics repeats() {
        const auto statistics = runner().statistics();
        const auto& caches = statistics.caches();
        return *std::ranges::find(caches, "picture", &contract::CacheStatistics::name);
    }

    // The first job, held in its first step until `control_.steps` is released.
    std::shared_ptr<Recorder> start_held(const std::string& id) {
        control_.waits = true;
        auto recorder = start(id);
        control_.drawing.acquire();
        return recorder;
    }

    ImageRunner& runner() {
        if (runner_ == nullptr) {
            runner_ = std::make_unique<ImageRunner>(
                std::make_unique<FakeEngine>(control_), clock_,
                ImageRunnerOptions{.max_waiting = 2, .draw_seed = [this] { return ++seed_; }});
        }
        return *runner_;
    }

    FakeEngine::Control control_;
    base::ManualClock clock_;
    std::uint32_t seed_ = 100;
    std::unique_ptr<ImageRunner> runner_;
};

TEST_F(ImageRunnerTest, TellsTheWholeStoryOfAJobInOrder) {
    EXPECT_THAT(start("a")->kinds(), ElementsAre(Kind::kQueued, Kind::kStarted, Kind::kImageProgress,
                                                 Kind::kImageProgress, Kind::kImageDone, Kind::kFinished));
}

TEST_F(ImageRunnerTest, APictureThatCannotBeWrittenFailsItsJob) {
    control_.draws_nothing = true;
    EXPECT_EQ(start("a")->failure().code(), contract::INTERNAL);
    EXPECT_EQ(runner().statistics().images_done(), 0U);
    EXPECT_EQ(runner().statistics().finished_jobs(), 0U);
    EXPECT_EQ(runner().statistics().failed_jobs(), 1U);
}

TEST_F(ImageRunnerTest, DeliversEachImageOfACountWithItsOwnSeed) {
    auto job = start("a", [](auto& j) {
        j.set_count(3);
        j.set_seed(7);
        j.set_steps(1);
    });
    std::vector<std::int64_t> seeds;
    for (const auto& event : job->wait()) {
        if (event.has_image_done()) {
            seeds.push_back(event.image_done().seed());
            const auto picture = codec::decode(event.image_done().data(), 3).value();
            EXPECT_EQ(picture.pixels[0], event.image_done().seed());
        }
    }
    EXPECT_THAT(seeds, ElementsAre(7, 8, 9));
    EXPECT_EQ(job->events.back().finished().seed(), 7);
    EXPECT_EQ(job->events.back().finished().timings().sampling_seconds(), 6.0);
}

TEST_F(ImageRunnerTest, DrawsASeedWhenThereIsNoneAndReportsIt) {
    EXPECT_EQ(start("a")->wait().back().finished().seed(), 101);
    EXPECT_EQ(start("b")->wait().back().finished().seed(), 102);
}

TEST_F(ImageRunnerTest, WritesTheSettingsIntoTheFileUnlessAskedNotTo) {
    const auto file = [](Recorder& job) {
        const auto& events = job.wait();
        return events[events.size() - 2].image_done().data();
    };
    EXPECT_THAT(codec::parameters_of_png(file(*start("a"))), testing::StartsWith("a\nSteps: 2"));
    const auto bare = start("b", [](auto& j) { j.mutable_encoding()->set_omit_metadata(true); });
    EXPECT_EQ(codec::parameters_of_png(file(*bare)), "");
}

TEST_F(ImageRunnerTest, SendsPreviewsAsPngOfThePicturesSize) {
    const auto job = start("a", [](auto& j) { j.set_preview_interval(1); });
    const auto& events = job->wait();
    const auto preview = std::ranges::find(events, Kind::kImagePreview, &rpc::Event::event_case);
    ASSERT_NE(preview, events.end());
    const auto done = std::ranges::find(events, Kind::kImageDone, &rpc::Event::event_case);
    ASSERT_NE(done, events.end());
    const auto shown = codec::decode(preview->image_preview().data(), 3).value();
    EXPECT_EQ(shown.width, done->image_done().width());
    EXPECT_EQ(shown.height, done->image_done().height());
}

TEST_F(ImageRunnerTest, RefusesABadJobAfterQueuedAndNeverStartsIt) {
    auto job = start("a", [](auto& j) { j.set_width(3); });
    EXPECT_THAT(job->kinds(), ElementsAre(Kind::kQueued, Kind::kFailed));
    EXPECT_EQ(job->failure().code(), contract::INVALID);
    EXPECT_EQ(job->failure().param(), "width");
    EXPECT_TRUE(control_.drawn.empty());
}

TEST_F(ImageRunnerTest, RefusesTextJobs) {
    rpc::Job job;
    job.set_id("t");
    job.mutable_text()->set_text("hello");
    auto recorder = std::make_shared<Recorder>();
    runner().start(std::move(job), recorder);
    EXPECT_EQ(recorder->failure().code(), contract::UNSUPPORTED);
}

TEST_F(ImageRunnerTest, TellsThePlaceInTheQueueAndRunsTheUrgentFirst) {
    auto first = start_held("first");
    auto second = start("second");
    auto urgent = start("urgent", {}, 5);
    control_.steps.release(100);
    EXPECT_EQ(first->wait().front().queued().position(), 0U);
    EXPECT_EQ(second->wait().front().queued().position(), 1U);
    EXPECT_EQ(urgent->wait().front().queued().position(), 1U);
    EXPECT_THAT(control_.drawn, ElementsAre("first", "urgent", "second"));
}

TEST_F(ImageRunnerTest, TheSameJobWithTheSameSeedIsAnsweredWithTheSameFileUndrawn) {
    const auto seven = [](auto& j) {
        j.set_seed(7);
        j.set_prompt("a cat");
    };
    auto first = start("a", seven);
    const auto drawn = files(*first);
    auto again = start("b", seven);
    EXPECT_THAT(again->kinds(), ElementsAre(Kind::kQueued, Kind::kStarted, Kind::kImageDone, Kind::kFinished));
    EXPECT_EQ(files(*again), drawn);
    EXPECT_TRUE(again->events[2].image_done().repeated());
    EXPECT_EQ(again->events[2].image_done().seed(), 7);
    EXPECT_EQ(again->events[2].image_done().width(), 64U);
    EXPECT_EQ(again->events[2].image_done().media_type(), "image/png");
    EXPECT_EQ(again->events.back().finished().seed(), 7);
    EXPECT_EQ(control_.drawn.size(), 1U);
    EXPECT_EQ(runner().statistics().images_done(), 1U) << "pictures that were drawn";
    EXPECT_EQ(repeats().hits(), 1U);
    EXPECT_EQ(repeats().misses(), 1U);
    EXPECT_GT(repeats().bytes(), drawn[0].size());
}

TEST_F(ImageRunnerTest, OfACountOnlyWhatIsMissingIsDrawn) {
    const auto ask = [this](const std::string& id, std::int64_t seed, std::uint32_t count) {
        return files(*start(id, [&](auto& j) {
            j.set_prompt("a cat");
            j.set_seed(seed);
            j.set_count(count);
        }));
    };
    const auto one = ask("a", 8, 1);
    const auto three = ask("b", 7, 3);
    EXPECT_EQ(three[1], one[0]);
    EXPECT_EQ(control_.drawn.size(), 3U);
    EXPECT_EQ(ask("c", 8, 2), (std::vector{three[1], three[2]}));
    EXPECT_EQ(control_.drawn.size(), 3U);
}

TEST_F(ImageRunnerTest, ARepeatedJobDoesNotWaitForThoseThatHaveToBeDrawn) {
    const auto seven = [](auto& j) {
        j.set_seed(7);
        j.set_prompt("a cat");
    };
    start("a", seven)->wait();
    control_.drawing.acquire();
    auto held = start_held("held");
    EXPECT_TRUE(start("b", seven)->wait().back().has_finished()) << "while the other is still drawn";
    control_.steps.release(100);
    EXPECT_TRUE(held->wait().back().has_finished());
}

TEST_F(ImageRunnerTest, AnotherSaltOrAnythingElseIsDrawn) {
    const auto ask = [this](const std::string& salt, const std::function<void(contract::ImageJob&)>& change) {
        rpc::Job job;
        job.set_id("a");
        job.set_cache_salt(salt);
        job.mutable_image()->set_prompt("a cat");
        job.mutable_image()->set_seed(7);
        change(*job.mutable_image());
        auto recorder = std::make_shared<Recorder>();
        runner().start(std::move(job), recorder);
        recorder->wait();
        return control_.drawn.size();
    };
    const auto same = [](contract::ImageJob&) {};
    EXPECT_EQ(ask("", same), 1U);
    EXPECT_EQ(ask("theirs", same), 2U);
    EXPECT_EQ(ask("theirs", same), 2U);
    EXPECT_EQ(ask("", [](auto& j) { j.set_steps(3); }), 3U);
    EXPECT_EQ(ask("", [](auto& j) { j.set_negative_prompt("a dog"); }), 4U);
    EXPECT_EQ(ask("", [](auto& j) { j.mutable_encoding()->set_omit_metadata(true); }), 5U);
    EXPECT_EQ(ask("", [](auto& j) { j.set_preview_interval(1); }), 6U) << "who wants to watch is shown";
    EXPECT_EQ(ask("new", [](auto& j) { j.set_preview_interval(1); }), 7U);
    EXPECT_EQ(ask("new", same), 7U) << "previews are no part of the picture";
}

TEST_F(ImageRunnerTest, IsBusyWhenTheQueueIsFull) {
    auto first = start_held("first");
    auto second = start("second");
    auto third = start("third");
    EXPECT_EQ(start("fourth")->failure().code(), contract::BUSY);
    EXPECT_EQ(runner().statistics().waiting_jobs(), 2U);
    control_.steps.release(100);
    EXPECT_TRUE(third->wait().back().has_finished());
}

TEST_F(ImageRunnerTest, CancelsARunningJobWithinOneStepAndDrawsTheNext) {
    auto first = start_held("first");
    auto second = start("second");
    EXPECT_TRUE(runner().cancel("first"));
    control_.steps.release(100);
    EXPECT_EQ(first->failure().code(), contract::CANCELLED);
    EXPECT_LE(std::ranges::count(first->events, Kind::kImageProgress, &rpc::Event::event_case), 1);
    EXPECT_TRUE(second->wait().back().has_finished());
    EXPECT_FALSE(runner().cancel("first"));
    EXPECT_EQ(runner().statistics().cancelled_jobs(), 1U);
}

TEST_F(ImageRunnerTest, AJobCancelledWhileItWaitsNeverStarts) {
    auto first = start_held("first");
    auto second = start("second");
    EXPECT_TRUE(runner().cancel("second"));
    EXPECT_THAT(second->kinds(), ElementsAre(Kind::kQueued, Kind::kFailed)) << "at once, while the first still runs";
    control_.steps.release(100);
    first->wait();
    start("third")->wait();
    EXPECT_THAT(control_.drawn, ElementsAre("first", "third"));
}

TEST_F(ImageRunnerTest, CancelBetweenImagesLeavesOutTheRest) {
    control_.on_draw = [this](const DrawRequest& request) {
        if (request.seed == 8) {
            runner().cancel("a");
        }
    };
    auto job = start("a", [](auto& j) {
        j.set_seed(7);
        j.set_count(4);
    });
    EXPECT_EQ(job->failure().code(), contract::CANCELLED);
    EXPECT_EQ(std::ranges::count(job->events, Kind::kImageDone, &rpc::Event::event_case), 1);
    EXPECT_EQ(control_.drawn.size(), 2U);
}

TEST_F(ImageRunnerTest, AnExceptionCostsOneJob) {
    control_.on_draw = [](const DrawRequest& request) {
        if (request.prompt == "bad") {
            throw std::runtime_error("secret detail");
        }
        if (request.prompt == "huge") {
            throw std::bad_alloc();
        }
    };
    const auto bad = start("bad");
    const auto& failure = bad->failure();
    EXPECT_EQ(failure.code(), contract::INTERNAL);
    EXPECT_EQ(failure.message().find("secret"), std::string::npos);
    EXPECT_EQ(start("huge")->failure().code(), contract::TOO_LARGE);
    EXPECT_TRUE(start("good")->wait().back().has_finished());
}

TEST_F(ImageRunnerTest, Upscales) {
    rpc::Job job;
    job.set_id("u");
    job.mutable_upscale()->set_image(codec::encode(FakeEngine::colour(4, 6, 1), {}).value());
    auto recorder = std::make_shared<Recorder>();
    runner().start(std::move(job), recorder);
    ASSERT_THAT(recorder->kinds(), ElementsAre(Kind::kQueued, Kind::kStarted, Kind::kImageDone, Kind::kFinished));
    EXPECT_EQ(recorder->events[2].image_done().width(), 8U);
    EXPECT_EQ(recorder->events[2].image_done().height(), 12U);
}

TEST_F(ImageRunnerTest, HealthShowsWorkAndItsProgress) {
    EXPECT_FALSE(runner().health().busy());
    auto job = start_held("a");
    EXPECT_TRUE(runner().health().busy());
    const auto before = runner().health().steps();
    control_.steps.release(100);
    job->wait();
    EXPECT_GT(runner().health().steps(), before);
    const auto statistics = runner().statistics();
    EXPECT_EQ(statistics.finished_jobs(), 1U);
    EXPECT_EQ(statistics.images_done(), 1U);
    EXPECT_EQ(statistics.image_steps(), 2U);
    EXPECT_EQ(statistics.image_step_seconds_total(), 1.0);
}

TEST_F(ImageRunnerTest, EndsARunningJobWhenItIsDestroyed) {
    auto job = start_held("a");
    control_.steps.release(1);
    runner_.reset();
    EXPECT_TRUE(job->wait().back().has_failed());
}

TEST_F(ImageRunnerTest, FactsNameWhatTheModelOffers) {
    const auto facts = runner().facts();
    EXPECT_EQ(facts.image().size_multiple(), 8U);
    EXPECT_THAT(facts.image().samplers(), ElementsAre("euler"));
    EXPECT_TRUE(facts.image().upscaling());
}

}  // namespace
}  // namespace worker::image
