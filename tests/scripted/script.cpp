#include "scripted/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <numeric>
#include <string>

#include "scripted/directives.hpp"
#include "scripted/picture.hpp"

namespace scripted {
namespace {

using contract::Event;
using contract::Job;

std::string text_of(const contract::ChatMessage& message) {
    std::string text;
    for (const auto& part : message.content()) {
        text += part.text();
    }
    return text;
}

std::string spoken_text(const Job& job) {
    switch (job.work_case()) {
        case Job::kText: {
            if (!job.text().has_chat()) {
                return job.text().has_fill_in() ? job.text().fill_in().before() : job.text().text();
            }
            const auto& messages = job.text().chat().messages();
            const auto last = std::find_if(messages.rbegin(), messages.rend(),
                                           [](const auto& each) { return each.role() == "user"; });
            return last == messages.rend() ? std::string() : text_of(*last);
        }
        case Job::kImage: return job.image().prompt();
        case Job::kEmbedding: return job.embedding().inputs().empty() ? "" : job.embedding().inputs(0).text();
        default: return {};
    }
}

// "one two" -> "one", " two": joined they are the text again.
std::vector<std::string> tokens_of(const std::string& text) {
    std::vector<std::string> tokens;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const auto end = std::min(text.find(' ', begin + 1), text.size());
        tokens.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return tokens;
}

std::uint32_t count_words(const std::string& text) {
    return static_cast<std::uint32_t>(tokens_of(text).size());
}

std::uint32_t prompt_tokens(const contract::TextJob& job) {
    std::uint32_t count =
        job.has_tokens() ? static_cast<std::uint32_t>(job.tokens().ids_size()) : count_words(job.text());
    for (const auto& message : job.chat().messages()) {
        count += 4 + count_words(text_of(message));
    }
    return count;
}

// Collects the steps; after the end was written (a failure, a crash, a hang) it ignores the rest.
class Script {
public:
    explicit Script(const Directives& directives) : directives_(directives), first_wait_(directives.first_delay) {
        Event queued;
        queued.mutable_queued();
        steps_.push_back({.wait = {}, .action = std::move(queued)});
        Event started;
        started.mutable_started();
        say(std::move(started));
        interrupt();
    }

    void say(Event event, std::chrono::milliseconds wait = {}) {
        if (!over_) {
            steps_.push_back({.wait = wait + std::exchange(first_wait_, {}), .action = std::move(event)});
        }
    }

    /// A token or an image step.
    void say_unit(Event event) {
        say(std::move(event), directives_.delay);
        ++units_;
        interrupt();
    }

    std::vector<Step> end(Event event) {
        say(std::move(event));
        return std::move(steps_);
    }

private:
    void interrupt() {
        if (directives_.crash_after == units_) {
            last(Crash{});
        } else if (directives_.hang_after == units_) {
            last(Hang{});
        } else if (directives_.fail != contract::ERROR_CODE_UNSPECIFIED && directives_.fail_after == units_) {
            Event failed;
            failed.mutable_failed()->set_code(directives_.fail);
            failed.mutable_failed()->set_message("The script asked for this failure.");
            if (directives_.fail == contract::BUSY) {
                failed.mutable_failed()->set_retry_after_seconds(1);
            }
            last(std::move(failed));
        }
    }

    void last(std::variant<Event, Crash, Hang> action) {
        if (!over_) {
            steps_.push_back({.wait = std::exchange(first_wait_, {}), .action = std::move(action)});
            over_ = true;
        }
    }

    const Directives& directives_;
    std::chrono::milliseconds first_wait_;
    std::vector<Step> steps_;
    unsigned units_ = 0;
    bool over_ = false;
};

struct Answer {
    std::vector<std::string> tokens;
    /// The stop text that ended it, or empty.
    std::string stop;
};

Answer answer_of(const contract::TextJob& job, const Directives& directives) {
    std::string answer = directives.echo.empty() ? "ok" : directives.echo;
    if (directives.tokens) {
        answer.clear();
        for (unsigned word = 0; word < *directives.tokens; ++word) {
            answer += fmt::format("{}word{}", word == 0 ? "" : " ", word);
        }
    }
    if (job.output_format().json_object() || !job.output_format().json_schema().empty()) {
        answer = boost::json::serialize(boost::json::object{{"echo", answer}});
    }
    std::string first;
    for (const std::string& stop : job.stop()) {
        if (const auto begin = answer.find(stop); begin != std::string::npos) {
            answer.erase(begin);
            first = stop;
        }
    }
    return {.tokens = tokens_of(answer), .stop = first};
}

contract::TokenInfo token_info(const std::string& token, const contract::TextJob& job) {
    contract::TokenInfo info;
    info.set_id(static_cast<int>(token.size()));
    info.set_bytes(token);
    info.set_logprob(-0.125F);
    for (std::uint32_t rank = 0; rank < job.top_logprobs(); ++rank) {
        auto& alternative = *info.add_top();
        alternative.set_id(static_cast<int>(rank));
        alternative.set_bytes(rank == 0 ? token : fmt::format(" other{}", rank));
        alternative.set_logprob(-0.125F - static_cast<float>(rank));
    }
    return info;
}

std::vector<Step> text_script(const contract::TextJob& job, const Directives& directives) {
    Script script(directives);
    const auto& choice_of_tool = job.chat().tool_choice();
    std::string tool = directives.tool;
    if (tool.empty() && choice_of_tool.mode() == contract::ToolChoice::NAMED) {
        tool = choice_of_tool.name();
    } else if (tool.empty() && choice_of_tool.mode() == contract::ToolChoice::REQUIRED) {
        tool = job.chat().tools(0).name();
    }
    const auto [answer, stop] = answer_of(job, directives);
    std::uint32_t generated = 0;
    if (job.echo()) {
        Event event;
        event.mutable_prompt_echo()->set_text(job.has_fill_in() ? job.fill_in().before() : job.text());
        for (const std::string& token : tokens_of(job.logprobs() ? job.text() : std::string())) {
            *event.mutable_prompt_echo()->add_tokens() = token_info(token, job);
        }
        event.mutable_prompt_echo()->set_first_is_unconditioned(true);
        script.say(std::move(event));
    }
    if (job.report_prompt_progress()) {
        Event event;
        const auto total = directives.prompt_tokens.value_or(prompt_tokens(job));
        const auto cached = std::min(total, directives.cached_tokens);
        event.mutable_prompt_progress()->set_total_tokens(total);
        event.mutable_prompt_progress()->set_cached_tokens(cached);
        event.mutable_prompt_progress()->set_evaluated_tokens(total - cached);
        script.say(std::move(event));
    }
    for (std::uint32_t choice = 0; choice < std::max(job.choices(), 1U); ++choice) {
        for (unsigned word = 0; word < directives.reasoning; ++word, ++generated) {
            Event event;
            event.mutable_reasoning()->set_choice(choice);
            event.mutable_reasoning()->set_text(fmt::format("{}thought{}", word == 0 ? "" : " ", word));
            script.say_unit(std::move(event));
        }
        auto reason = directives.finish_by_length ? contract::LENGTH : contract::STOP;
        if (!tool.empty()) {
            Event event;
            auto& call = *event.mutable_tool_call();
            call.set_choice(choice);
            call.set_id(fmt::format("call_{}", choice));
            call.set_name(tool);
            script.say_unit(event);
            call.clear_id();
            call.clear_name();
            call.set_arguments(boost::json::serialize(boost::json::object{{"text", directives.echo}}));
            script.say_unit(std::move(event));
            generated += 2;
            reason = contract::TOOL_CALLS;
        }
        const auto limit = job.has_max_tokens() ? job.max_tokens() : static_cast<std::uint32_t>(answer.size());
        for (std::uint32_t position = 0; tool.empty() && position < std::min<std::size_t>(limit, answer.size());
             ++position, ++generated) {
            Event event;
            event.mutable_text()->set_choice(choice);
            event.mutable_text()->set_text(answer[position]);
            if (job.logprobs()) {
                *event.mutable_text()->add_tokens() = token_info(answer[position], job);
            }
            script.say_unit(std::move(event));
        }
        if (tool.empty() && limit < answer.size()) {
            reason = contract::LENGTH;
        }
        Event event;
        event.mutable_choice_finished()->set_choice(choice);
        event.mutable_choice_finished()->set_reason(reason);
        if (reason == contract::STOP) {
            event.mutable_choice_finished()->set_stop(stop);
        }
        script.say(std::move(event));
    }
    Event event;
    auto& usage = *event.mutable_finished()->mutable_usage();
    usage.set_prompt_tokens(directives.prompt_tokens.value_or(prompt_tokens(job)));
    usage.set_cached_tokens(directives.cached_tokens);
    usage.set_completion_tokens(generated);
    usage.set_reasoning_tokens(directives.reasoning * std::max(job.choices(), 1U));
    event.mutable_finished()->set_seed(job.sampling().seed());
    return script.end(std::move(event));
}

std::vector<Step> image_script(const contract::ImageJob& job, const Directives& directives) {
    Script script(directives);
    const auto steps = job.has_steps() ? job.steps() : 4;
    const auto width = job.width() == 0 ? 64 : job.width();
    const auto height = job.height() == 0 ? 64 : job.height();
    const auto seed = job.has_seed() ? job.seed() : 42;
    for (std::uint32_t image = 0; image < std::max(job.count(), 1U); ++image) {
        for (std::uint32_t step = 1; step <= steps; ++step) {
            Event event;
            auto& progress = *event.mutable_image_progress();
            progress.set_image(image);
            progress.set_step(step);
            progress.set_steps(steps);
            progress.set_step_seconds(std::chrono::duration<double>(directives.delay).count());
            script.say_unit(std::move(event));
            if (job.preview_interval() != 0 && step % job.preview_interval() == 0 && step != steps) {
                Event preview;
                preview.mutable_image_preview()->set_image(image);
                preview.mutable_image_preview()->set_step(step);
                preview.mutable_image_preview()->set_data(picture(width / 8 + 1, height / 8 + 1, seed + image));
                script.say(std::move(preview));
            }
        }
        Event event;
        auto& done = *event.mutable_image_done();
        done.set_image(image);
        done.set_seed(seed + image);
        done.set_width(width);
        done.set_height(height);
        done.set_data(picture(width, height, seed + image));
        done.set_media_type("image/png");
        script.say(std::move(event));
    }
    Event event;
    event.mutable_finished()->set_seed(seed);
    event.mutable_finished()->mutable_timings()->set_sampling_seconds(
        std::chrono::duration<double>(directives.delay).count() * steps * std::max(job.count(), 1U));
    return script.end(std::move(event));
}

std::vector<Step> embedding_script(const contract::EmbeddingJob& job, const Directives& directives) {
    Script script(directives);
    std::uint32_t total = 0;
    for (int index = 0; index < job.inputs_size(); ++index) {
        const auto& input = job.inputs(index);
        Event event;
        auto& result = *event.mutable_embedding();
        result.set_index(static_cast<std::uint32_t>(index));
        result.set_tokens(input.has_tokens() ? static_cast<std::uint32_t>(input.tokens().ids_size())
                                             : count_words(input.has_pair() ? input.pair().document() : input.text()));
        const int sum = std::accumulate(input.text().begin(), input.text().end(), input.tokens().ids_size());
        for (int value = 1; value <= 8; ++value) {
            result.add_values(static_cast<float>((sum * value) % 97) / 97.0F);
        }
        total += result.tokens();
        script.say_unit(std::move(event));
    }
    Event event;
    event.mutable_finished()->mutable_usage()->set_prompt_tokens(total);
    return script.end(std::move(event));
}

// A word is a token; its id is its length.
std::vector<Step> tokens_script(const contract::TokensJob& job, const Directives& directives) {
    Script script(directives);
    std::string text = job.text();
    for (const auto& message : job.chat().messages()) {
        text += (text.empty() ? "" : " ") + text_of(message);
    }
    for (const int id : job.tokens().ids()) {
        text += std::string(text.empty() ? "" : " ") + std::string(static_cast<std::size_t>(id % 20 + 1), 'x');
    }
    Event event;
    auto& result = *event.mutable_tokens();
    for (const std::string& token : tokens_of(text)) {
        result.add_ids(static_cast<int>(token.size()));
        result.add_pieces(token);
    }
    result.set_text(text);
    script.say_unit(std::move(event));
    Event finished;
    finished.mutable_finished();
    return script.end(std::move(finished));
}

std::vector<Step> upscale_script(const contract::UpscaleJob& job, const Directives& directives) {
    Script script(directives);
    const auto size = picture_size(job.image());
    Event event;
    if (!size) {
        event.mutable_failed()->set_code(contract::INVALID);
        event.mutable_failed()->set_message("The image cannot be decoded.");
        event.mutable_failed()->set_param("image");
        return script.end(std::move(event));
    }
    const auto factor = job.factor() == 0 ? 2 : job.factor();
    auto& done = *event.mutable_image_done();
    done.set_width(size->width * factor);
    done.set_height(size->height * factor);
    done.set_data(picture(done.width(), done.height(), 0));
    done.set_media_type("image/png");
    script.say_unit(std::move(event));
    Event finished;
    finished.mutable_finished();
    return script.end(std::move(finished));
}

}  // namespace

std::vector<Step> script_of(const Job& job) {
    const Directives directives = directives_of(spoken_text(job));
    switch (job.work_case()) {
        case Job::kText: return text_script(job.text(), directives);
        case Job::kImage: return image_script(job.image(), directives);
        case Job::kEmbedding: return embedding_script(job.embedding(), directives);
        case Job::kUpscale: return upscale_script(job.upscale(), directives);
        case Job::kTokens: return tokens_script(job.tokens(), directives);
        case Job::WORK_NOT_SET: break;
    }
    Event event;
    event.mutable_failed()->set_code(contract::INVALID);
    event.mutable_failed()->set_message("The job has no work.");
    return Script(directives).end(std::move(event));
}

}  // namespace scripted
