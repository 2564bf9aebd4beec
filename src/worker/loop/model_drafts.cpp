#include "worker/loop/model_drafts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace worker::loop {

using speculation::Draft;
using speculation::Source;

namespace {

// A model that is a few times faster than the engine's pays for a few tokens, or not at all.
constexpr std::size_t longest_draft = 8;
// What an answer and its drafts add between two steps; more is to be read.
constexpr std::size_t at_hand = 2 * longest_draft;
// Read in one step. The streams of others wait for it.
constexpr std::size_t piece = 64;
constexpr std::size_t piece_beside_others = 16;
// Assumed while it is not known, in parts of a step: that models read faster than they say is all that is sure.
constexpr double assumed_reading = 0.04;

}  // namespace

ModelDrafts::ModelDrafts(engine::TextEngine& engine, const base::Clock& clock)
    : model_(engine.draft_model()), clock_(clock), rounds_(engine.limits().slots + 1) {}

void ModelDrafts::plan(std::span<const std::unique_ptr<Run>> runs, std::span<Draft> guesses,
                       std::span<const std::size_t> most, const Stake& stake) {
    took_ = {};
    promised_.assign(guesses.size(), false);
    const auto answers = static_cast<std::size_t>(std::ranges::count_if(most, [](auto tokens) { return tokens > 0; }));
    if (model_ == nullptr || answers == 0) {
        return;
    }
    const double making = round_seconds(answers) / static_cast<double>(answers);
    const double plain = stake.cost.seconds(stake.step);
    for (std::size_t slot = 0; slot < guesses.size(); ++slot) {
        if (most[slot] == 0 || !runs[slot]->job->media.empty()) {
            continue;  // it reads text only
        }
        auto planned = runs[slot]->drafter->planned(Source::model, std::min(most[slot], longest_draft), making);
        const double gain = speculation::gain_of(planned, stake.step, stake.room, stake.cost);
        if (gain > speculation::gain_of(guesses[slot], stake.step, stake.room, stake.cost) &&
            ready(*runs[slot], gain, plain)) {
            guesses[slot] = std::move(planned);
            promised_[slot] = true;
        }
    }
}

// Measured for as many, or for the next larger number that was; 0 while there is none.
double ModelDrafts::round_seconds(std::size_t answers) const {
    for (; answers < rounds_.size(); ++answers) {
        if (!rounds_[answers].empty()) {
            return rounds_[answers].value();
        }
    }
    return 0;
}

// Whoever has to decide between paying at once and paying a little more each day, and does not know how many days are to
// come, pays at most twice the best when the large sum is paid once the small ones have reached it.
bool ModelDrafts::ready(const Run& run, double gain, double plain_seconds) {
    const auto missing = model_->missing(*run.sequence, run.tokens);
    if (missing <= at_hand) {
        return true;
    }
    const double each = reading_seconds_ > 0 ? reading_seconds_ : assumed_reading * plain_seconds;
    const double lost = plain_seconds * (1 - std::exp(-gain)) * run.generated;
    if (lost >= static_cast<double>(missing) * each) {
        catch_up(run, missing - 1);
    }
    return false;
}

void ModelDrafts::catch_up(const Run& run, std::size_t tokens) {
    tokens = std::min(tokens, promised_.size() > 1 ? piece_beside_others : piece);
    const auto begin = clock_.now();
    model_->catch_up(*run.sequence, run.tokens, tokens);
    const auto took = clock_.now() - begin;
    took_ += took;
    const double each = base::seconds(took) / static_cast<double>(tokens);
    reading_seconds_ = reading_seconds_ > 0 ? 0.7 * reading_seconds_ + 0.3 * each : each;
}

void ModelDrafts::make(std::span<const std::unique_ptr<Run>> runs, std::span<Draft> guesses,
                       std::span<const std::size_t> lengths) {
    std::vector<engine::DraftModel::Request> requests;
    std::vector<std::size_t> slots;
    for (std::size_t slot = 0; slot < guesses.size(); ++slot) {
        if (promised_[slot] && lengths[slot] > 0) {
            requests.push_back(
                {.sequence = *runs[slot]->sequence, .tokens = runs[slot]->tokens, .most = lengths[slot]});
            slots.push_back(slot);
        } else if (promised_[slot]) {
            guesses[slot] = {};
        }
    }
    if (requests.empty()) {
        return;
    }
    const auto begin = clock_.now();
    auto drafts = model_->draft(requests);
    const auto took = clock_.now() - begin;
    took_ += took;
    std::size_t rounds = 1;
    for (std::size_t index = 0; index < slots.size(); ++index) {
        rounds = std::max(rounds, drafts[index].size());
        auto& drafter = *runs[slots[index]]->drafter;
        if (drafts[index].size() < requests[index].most) {
            drafter.gave_up(Source::model, drafts[index].size());
        }
        guesses[slots[index]] = drafter.draft_of(Source::model, std::move(drafts[index]));
    }
    rounds_[requests.size()].add(base::seconds(took) / static_cast<double>(rounds));
}

}  // namespace worker::loop
