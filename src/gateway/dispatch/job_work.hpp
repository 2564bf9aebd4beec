#pragma once

/// How much work a job will be, before it is known: from what the job says, and from what jobs of the model turned out to
/// be. Pure.

#include <cstddef>

#include "engine.pb.h"

namespace gateway::dispatch {

inline constexpr double generated_token = 4;
/// So that jobs whose work nobody can tell count as jobs.
inline constexpr double least_work = 1.0 / 1024;

/// Of text in tokens: one for an evaluated token, four for a generated one, as in the worker's own line. Of anything else
/// in seconds.
double work_of(const llm_gateway::engine::v1::Finished& finished);

/// What a job says about its size.
struct JobSize {
    bool text = false;
    std::size_t prompt_bytes = 0;
    std::size_t prompt_tokens = 0;  ///< of prompts that come as tokens
    double most_tokens = 0;         ///< of all its answers; 0: as many as there is room for
    double answers = 1;
    /// Of image jobs: pixels times steps, as far as the job says.
    double pixel_steps = 0;
};
JobSize size_of(const llm_gateway::engine::v1::Job& job);

/// What is left to do of one job.
struct WorkLeft {
    double before_the_answer = 0;
    double answer = 0;

    double total() const { return before_the_answer + answer; }
};

class JobWork {
public:
    WorkLeft expected(const JobSize& size) const;
    void learn(const JobSize& size, const llm_gateway::engine::v1::Finished& finished);

private:
    /// Sums in which old jobs fade.
    struct Ratio {
        double over = 0;
        double under = 0;

        void add(double one, double other);
        double value(double otherwise) const { return under > 0 ? over / under : otherwise; }
    };

    Ratio evaluated_per_byte_;
    Ratio tokens_per_answer_;
    Ratio seconds_per_pixel_step_;
    Ratio work_per_job_;
};

}  // namespace gateway::dispatch
