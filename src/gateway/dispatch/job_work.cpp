#include "gateway/dispatch/job_work.hpp"

#include <algorithm>

namespace gateway::dispatch {

namespace engine = llm_gateway::engine::v1;

namespace {

constexpr double keeps = 0.9;
// Before anything is known of a model: English text, and an answer of some paragraphs.
constexpr double usual_tokens_per_byte = 0.25;
constexpr double usual_answer = 256;
// A picture is read as some hundreds of tokens.
constexpr std::size_t usual_media_bytes = 1024;

std::size_t bytes_of(const engine::Chat& chat) {
    std::size_t bytes = 0;
    for (const auto& message : chat.messages()) {
        bytes += message.reasoning().size();
        for (const auto& part : message.content()) {
            bytes += part.text().size() + (part.has_text() ? 0 : usual_media_bytes);
        }
        for (const auto& call : message.tool_calls()) {
            bytes += call.name().size() + call.arguments().size();
        }
    }
    for (const auto& tool : chat.tools()) {
        bytes += tool.name().size() + tool.description().size() + tool.parameters_schema().size();
    }
    return bytes;
}

}  // namespace

double work_of(const engine::Finished& finished) {
    const auto& usage = finished.usage();
    if (usage.prompt_tokens() > 0) {
        return usage.prompt_tokens() - std::min(usage.cached_tokens(), usage.prompt_tokens()) +
               generated_token * usage.completion_tokens();
    }
    return std::max(finished.timings().total_seconds() - finished.timings().queue_seconds(), 0.0);
}

JobSize size_of(const engine::Job& job) {
    JobSize size;
    if (job.has_text()) {
        const auto& text = job.text();
        size.text = true;
        size.prompt_bytes = text.text().size() + bytes_of(text.chat());
        size.prompt_tokens = static_cast<std::size_t>(text.tokens().ids_size());
        size.answers = std::max(text.choices(), 1U);
        size.most_tokens = text.has_max_tokens() ? size.answers * text.max_tokens() : 0;
    } else if (job.has_embedding()) {
        size.text = true;
        size.answers = 0;
        for (const auto& input : job.embedding().inputs()) {
            size.prompt_bytes += input.text().size();
            size.prompt_tokens += static_cast<std::size_t>(input.tokens().ids_size());
        }
    } else if (job.has_image()) {
        const auto& image = job.image();
        size.pixel_steps =
            static_cast<double>(image.width()) * image.height() * image.steps() * std::max(image.count(), 1U);
    }
    return size;
}

void JobWork::Ratio::add(double one, double other) {
    over = keeps * over + one;
    under = keeps * under + other;
}

WorkLeft JobWork::expected(const JobSize& size) const {
    if (size.text) {
        const double answers = size.answers * tokens_per_answer_.value(usual_answer);
        return {.before_the_answer =
                    evaluated_per_byte_.value(usual_tokens_per_byte) * static_cast<double>(size.prompt_bytes) +
                    static_cast<double>(size.prompt_tokens),
                .answer = generated_token * (size.most_tokens > 0 ? std::min(size.most_tokens, answers) : answers)};
    }
    const double usual = work_per_job_.value(least_work);
    return {.before_the_answer = size.pixel_steps > 0
                                     ? seconds_per_pixel_step_.value(usual / size.pixel_steps) * size.pixel_steps
                                     : usual,
            .answer = 0};
}

void JobWork::learn(const JobSize& size, const engine::Finished& finished) {
    const double work = std::max(work_of(finished), least_work);
    work_per_job_.add(work, 1);
    if (size.pixel_steps > 0) {
        seconds_per_pixel_step_.add(work, size.pixel_steps);
    }
    const auto& usage = finished.usage();
    if (size.prompt_bytes > 0 && size.prompt_tokens == 0) {
        evaluated_per_byte_.add(usage.prompt_tokens() - std::min(usage.cached_tokens(), usage.prompt_tokens()),
                                static_cast<double>(size.prompt_bytes));
    }
    if (size.answers > 0 && size.text) {
        tokens_per_answer_.add(usage.completion_tokens(), size.answers);
    }
}

}  // namespace gateway::dispatch
