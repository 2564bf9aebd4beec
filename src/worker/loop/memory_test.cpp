// Whole jobs on a scripted engine: what becomes of memory when there is not enough of it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.hpp"
#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

const std::string system_prompt =
    "a system prompt of a hundred characters or so, that every conversation of one kind shares: ";

engine::scripted::Settings small_cells(std::size_t cells) {
    return {
        .limits =
            {.context_tokens = 256, .cells = cells, .sequences = 8, .slots = 4, .batch_tokens = 64, .restore_cells = 4},
        .end_every = 0};
}

std::string answer_to(const std::string& prompt, std::size_t most) {
    return text_of(engine::scripted::expected_answer(tokens_of(prompt), 0, most, 0));
}

/// Runs one request; how many of its prompt tokens were cached.
std::uint32_t cached_tokens(Bench& bench, const std::string& prompt, std::string salt = "") {
    const auto sink = bench.add({.id = prompt, .prompt = prompt, .max_tokens = 8, .salt = std::move(salt)});
    EXPECT_GT(bench.run(), 0);
    EXPECT_TRUE(sink->finished());
    EXPECT_EQ(sink->text[0], answer_to(prompt, 8));
    EXPECT_EQ(bench.engine.complaint(), "");
    return sink->last()->finished().usage().cached_tokens();
}

TEST(MemoryOfJobs, PromptsXYXReuseX) {
    Bench bench(small_cells(1024));
    cached_tokens(bench, system_prompt + "question one");
    cached_tokens(bench, "something else altogether, that has nothing to do with it");
    EXPECT_EQ(cached_tokens(bench, system_prompt + "Question two"), system_prompt.size());
}

TEST(MemoryOfJobs, WhatHadToLeaveTheCellsComesBackFromMemory) {
    Bench bench(small_cells(256), {.archive = {.memory_bytes = 1 << 20}});
    const std::string one = std::string(150, 'x') + " first";
    const std::string two = std::string(150, 'y') + " second";
    cached_tokens(bench, one);
    cached_tokens(bench, two);
    const std::string later = one + answer_to(one, 8) + " and then?";
    EXPECT_GE(cached_tokens(bench, later), one.size() + 7);
    const auto statistics = bench.loop.statistics();
    EXPECT_GT(statistics.prompt_tokens_from_memory(), 0U);
    EXPECT_EQ(bench.engine.restored_tokens(), statistics.prompt_tokens_from_memory());
    EXPECT_GT(statistics.kv_tokens_evicted(), 0U);
    EXPECT_GT(statistics.saved_memory_bytes(), 0U);
    EXPECT_LE(statistics.saved_memory_bytes(), statistics.saved_memory_limit_bytes());
}

TEST(MemoryOfJobs, AConversationThatGrewIsSavedOnlyInItsNewPart) {
    Bench bench(small_cells(256), {.archive = {.memory_bytes = 1 << 20}});
    const std::string one = std::string(100, 'x') + " first turn of a conversation";
    const std::string filler = std::string(200, 'y');
    cached_tokens(bench, one);
    cached_tokens(bench, filler);
    const auto saved_once = bench.loop.statistics().saved_memory_bytes();
    const std::string later = one + answer_to(one, 8) + " and a second turn, not very long";
    cached_tokens(bench, later);
    cached_tokens(bench, filler);
    const auto& statistics = bench.loop.statistics();
    EXPECT_LT(statistics.saved_memory_bytes(), saved_once + 4 * (filler.size() + 8 + 60));
    EXPECT_GE(cached_tokens(bench, later + "?"), later.size());
}

TEST(MemoryOfJobs, WithoutMemoryBesideTheCellsItIsEvaluatedAgain) {
    Bench bench(small_cells(256));
    const std::string one = std::string(150, 'x') + " first";
    cached_tokens(bench, one);
    cached_tokens(bench, std::string(230, 'y'));
    EXPECT_LT(cached_tokens(bench, one + "?"), one.size());
    EXPECT_EQ(bench.loop.statistics().prompt_tokens_from_memory(), 0U);
}

TEST(MemoryOfJobs, SavedStatesAreNeverSharedAcrossSalts) {
    Bench bench(small_cells(256), {.archive = {.memory_bytes = 1 << 20}});
    const std::string one = std::string(150, 'x') + " first";
    cached_tokens(bench, one, "alice");
    cached_tokens(bench, std::string(240, 'y'), "carol");
    EXPECT_EQ(cached_tokens(bench, one, "bob"), 0U);
    EXPECT_GT(cached_tokens(bench, one, "alice"), 0U);
}

TEST(MemoryOfJobs, ARunningStateComesBackWhole) {
    auto settings = small_cells(256);
    settings.can_go_back = false;
    settings.limits.sequences = 2;
    Bench bench(std::move(settings), {.archive = {.memory_bytes = 1 << 20}});
    const std::string one = "a conversation with a model that cannot go back.";
    cached_tokens(bench, one);
    cached_tokens(bench, "another one, of about the same length, or so");
    cached_tokens(bench, "and a third one, of about the same length, or so");
    EXPECT_GE(cached_tokens(bench, one + answer_to(one, 8) + " and then?"), one.size());
    EXPECT_GT(bench.loop.statistics().prompt_tokens_from_memory(), 0U);
}

TEST(MemoryOfJobs, AnswersThatGaveUpTheirCellsGoOnWhereTheyWere) {
    Bench bench(small_cells(256), {.archive = {.memory_bytes = 1 << 20}, .speculation = Speculation::off});
    std::vector<std::pair<std::string, std::shared_ptr<RecordingSink>>> jobs;
    for (const char letter : {'p', 'q', 'r'}) {
        const std::string prompt(50, letter);
        jobs.emplace_back(prompt, bench.add({.id = prompt, .prompt = prompt, .max_tokens = 120}));
    }
    ASSERT_GT(bench.run(), 0);
    for (auto& [prompt, sink] : jobs) {
        EXPECT_EQ(sink->text[0], answer_to(prompt, 120));
    }
    EXPECT_GT(bench.loop.statistics().preemptions(), 0U);
    // Nothing was evaluated twice but the little that is not worth saving.
    EXPECT_LT(bench.engine.evaluated_tokens(), 3 * (50 + 120) + 16 * bench.loop.statistics().preemptions());
}

TEST(MemoryOfJobs, AStateIsSavedWhereConversationsPartSoThatTheThirdBeginsThere) {
    auto settings = small_cells(1024);
    settings.can_go_back = false;
    settings.limits.sequences = 5;
    Bench bench(std::move(settings), {.archive = {.memory_bytes = 1 << 20}});
    EXPECT_EQ(cached_tokens(bench, system_prompt + "one"), 0U);
    EXPECT_EQ(cached_tokens(bench, system_prompt + "two, which parts from it after the system prompt"), 0U);
    EXPECT_EQ(bench.loop.statistics().prompt_tokens_unshareable(), system_prompt.size());
    EXPECT_EQ(cached_tokens(bench, system_prompt + "and three"), system_prompt.size());
    EXPECT_EQ(bench.loop.statistics().prompt_tokens_from_memory(), system_prompt.size());
}

TEST(MemoryOfJobs, ARunningStateIsSavedAtTheEndOfAPrompt) {
    auto settings = small_cells(1024);
    settings.can_go_back = false;
    settings.limits.sequences = 5;
    Bench bench(std::move(settings), {.archive = {.memory_bytes = 1 << 20}});
    const std::string prompt = "a question whose answer the client changes before it goes on:";
    cached_tokens(bench, prompt);
    const auto saved = bench.loop.statistics().checkpoints_saved();
    EXPECT_GT(saved, 0U);
    EXPECT_EQ(bench.loop.statistics().checkpoints_restored(), 0U);
    EXPECT_EQ(cached_tokens(bench, prompt + "CHANGED and then?"), prompt.size());
    EXPECT_EQ(bench.loop.statistics().checkpoints_restored(), 1U);
    EXPECT_GT(bench.loop.statistics().checkpoints_saved(), saved);
}

TEST(MemoryOfJobs, PinnedPromptsAreEvaluatedWhileIdleAndNeverLeave) {
    Bench bench(small_cells(512));
    bench.loop.add(PinOrder{.tokens = tokens_of(system_prompt)});
    ASSERT_GT(bench.run(), 0);
    EXPECT_EQ(bench.loop.statistics().kv_cells_pinned(), system_prompt.size());
    for (int number = 0; number < 10; ++number) {
        cached_tokens(bench, std::to_string(number) + std::string(200, 'z'), "alice");
    }
    EXPECT_EQ(cached_tokens(bench, system_prompt + "hello", "alice"), system_prompt.size());
    EXPECT_EQ(cached_tokens(bench, system_prompt + "hello", "bob"), system_prompt.size());
    EXPECT_EQ(bench.loop.statistics().kv_cells_pinned(), system_prompt.size());
}

TEST(MemoryOfJobs, PinnedPromptsWaitForRequestsAndTakeAQuarterOfTheCellsAtMost) {
    Bench bench(small_cells(512));
    bench.loop.add(PinOrder{.tokens = tokens_of(std::string(120, 'p'))});
    bench.loop.add(PinOrder{.tokens = tokens_of(std::string(120, 'q'))});
    const auto sink = bench.add({.prompt = "hello", .max_tokens = 4});
    bench.loop.step();
    EXPECT_EQ(bench.loop.statistics().kv_cells_pinned(), 0U);
    ASSERT_GT(bench.run(), 0);
    EXPECT_TRUE(sink->finished());
    EXPECT_EQ(bench.loop.statistics().kv_cells_pinned(), 120U);
}

// Requests as large as what pinned prompts leave, some with several answers: each waits its turn, none fails.
TEST(MemoryOfJobs, LargeRequestsBesideAPinnedPromptWaitAndFinish) {
    Bench bench(small_cells(384), {.archive = {.memory_bytes = 1 << 16}});
    bench.loop.add(PinOrder{.tokens = tokens_of(system_prompt)});
    ASSERT_GT(bench.run(), 0);
    std::vector<std::pair<std::string, std::shared_ptr<RecordingSink>>> jobs;
    for (const char letter : {'p', 'q', 'r', 's'}) {
        const std::string prompt(180, letter);
        jobs.emplace_back(prompt, bench.add({.id = prompt, .prompt = prompt, .max_tokens = 60, .choices = 3}));
    }
    ASSERT_GT(bench.run(), 0);
    EXPECT_EQ(bench.engine.complaint(), "");
    for (auto& [prompt, sink] : jobs) {
        ASSERT_TRUE(sink->finished());
        for (std::uint32_t choice = 0; choice < 3; ++choice) {
            EXPECT_EQ(sink->text[choice], text_of(engine::scripted::expected_answer(tokens_of(prompt), choice, 60, 0)));
        }
    }
    EXPECT_EQ(bench.loop.statistics().kv_cells_pinned(), system_prompt.size());
}

// What is pinned must not make the context smaller than the model says it is.
TEST(MemoryOfJobs, ARequestThatNeedsAllCellsMakesPinnedPromptsGiveWayUntilItIsOver) {
    Bench bench(small_cells(256), {.archive = {.memory_bytes = 1 << 16}});
    bench.loop.add(PinOrder{.tokens = tokens_of(std::string(60, 'p'))});
    ASSERT_GT(bench.run(), 0);
    const std::string large(240, 'z');
    const auto sink = bench.add({.id = "large", .prompt = large, .max_tokens = 10});
    ASSERT_GT(bench.run(), 0);
    ASSERT_TRUE(sink->finished());
    EXPECT_EQ(sink->text[0], answer_to(large, 10));
    EXPECT_EQ(bench.loop.statistics().kv_cells_pinned(), 60U);
    EXPECT_EQ(bench.engine.complaint(), "");
}

class MemoryOnDisk : public testing::Test {
protected:
    Archive::Limits limits(std::size_t memory_bytes, std::size_t disk_bytes = 1 << 20) const {
        auto folder = spill::StateFolder::open(root / "states", spill::digest_of("model"));
        EXPECT_TRUE(folder);
        return {.memory_bytes = memory_bytes, .disk_bytes = disk_bytes, .folder = std::move(*folder)};
    }

    base::TemporaryFolder root;
};

TEST_F(MemoryOnDisk, AConversationIsFoundAgainAfterARestart) {
    const std::string one = system_prompt + "what is it?";
    const std::string other = system_prompt + "and another one, which goes on for a while.";
    {
        Bench bench(small_cells(512), {.archive = limits(1 << 20)});
        cached_tokens(bench, one, "alice");
        cached_tokens(bench, other, "alice");
    }
    Bench bench(small_cells(512), {.archive = limits(1 << 20)});
    EXPECT_EQ(cached_tokens(bench, one + "?", "bob"), 0U);
    EXPECT_EQ(cached_tokens(bench, one + "?", "alice"), one.size());
    EXPECT_EQ(cached_tokens(bench, other + "?", "alice"), other.size());
    EXPECT_GT(bench.loop.statistics().prompt_tokens_from_disk(), 0U);
    EXPECT_EQ(bench.loop.statistics().prompt_tokens_from_memory(), 0U);
}

TEST_F(MemoryOnDisk, WhatMemoryGivesUpIsStillOnDiskWithinItsBound) {
    Bench bench(small_cells(256), {.archive = limits(0, 4096)});
    const std::string one = std::string(150, 'x') + " first";
    cached_tokens(bench, one);
    cached_tokens(bench, std::string(200, 'y'));
    EXPECT_EQ(cached_tokens(bench, one + "?"), one.size());
    EXPECT_GT(bench.loop.statistics().prompt_tokens_from_disk(), 0U);
    for (int number = 0; number < 30; ++number) {
        cached_tokens(bench, std::to_string(number) + std::string(200, 'z'));
        ASSERT_LE(bench.loop.statistics().saved_disk_bytes(), 4096U);
    }
}

TEST_F(MemoryOnDisk, ADamagedFileCostsOnlyTheWorkOfEvaluatingAgain) {
    const std::string one = system_prompt + "what is it?";
    {
        Bench bench(small_cells(512), {.archive = limits(1 << 20)});
        cached_tokens(bench, one);
    }
    for (const auto& entry : std::filesystem::directory_iterator(root / "states")) {
        std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(-1, std::ios::end);
        file.put('!');
    }
    Bench bench(small_cells(512), {.archive = limits(1 << 20)});
    EXPECT_EQ(cached_tokens(bench, one + "?"), 0U);
    EXPECT_EQ(bench.loop.statistics().saved_disk_bytes(), 0U);
}

// A pipe in the place of a file: who reads it is held up until what the file contained is written to it.
class HeldUpFile {
public:
    explicit HeldUpFile(const std::filesystem::path& folder) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            path_ = entry.path();
        }
        std::ifstream file(path_, std::ios::binary);
        contents_.assign(std::istreambuf_iterator<char>(file), {});
        std::filesystem::remove(path_);
        EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
    }
    ~HeldUpFile() { let_go(); }

    // Whether somebody waits for the pipe, or is about to open it, or nobody will: opened for reading and writing, a pipe
    // never blocks, and who comes later finds the file.
    void let_go() {
        if (contents_.empty()) {
            return;
        }
        const int pipe = ::open(path_.c_str(), O_RDWR);
        EXPECT_EQ(::write(pipe, contents_.data(), contents_.size()), static_cast<ssize_t>(contents_.size()));
        const auto file = path_.string() + ".whole";
        std::ofstream(file, std::ios::binary) << contents_;
        std::filesystem::rename(file, path_);
        ::close(pipe);
        contents_.clear();
    }

private:
    std::filesystem::path path_;
    std::string contents_;
};

TEST_F(MemoryOnDisk, OthersAreServedWhileAFileIsRead) {
    const std::string one = system_prompt + "what is it?";
    {
        Bench bench(small_cells(512), {.archive = limits(1 << 20)});
        cached_tokens(bench, one);
    }
    Bench bench(small_cells(512), {.archive = limits(1 << 20)});
    HeldUpFile file(root / "states");
    const auto waiting = bench.add({.id = "waiting", .prompt = one + "?", .max_tokens = 8});
    const auto other = bench.add({.id = "other", .prompt = "something else altogether", .max_tokens = 8});
    while (!other->finished()) {
        ASSERT_TRUE(bench.loop.step());
    }
    EXPECT_TRUE(waiting->events.empty());
    EXPECT_FALSE(bench.loop.step());
    EXPECT_TRUE(bench.loop.reading());
    file.let_go();
    ASSERT_GT(bench.run(), 0);
    ASSERT_TRUE(waiting->finished());
    EXPECT_EQ(waiting->last()->finished().usage().cached_tokens(), one.size());
    EXPECT_EQ(waiting->text[0], answer_to(one + "?", 8));
    EXPECT_FALSE(bench.loop.reading());
}

TEST_F(MemoryOnDisk, AJobThatIsCancelledWhileAFileIsReadLetsGoOfIt) {
    const std::string one = system_prompt + "what is it?";
    {
        Bench bench(small_cells(512), {.archive = limits(1 << 20)});
        cached_tokens(bench, one);
    }
    Bench bench(small_cells(512), {.archive = limits(1 << 20)});
    HeldUpFile file(root / "states");
    const auto sink = bench.add({.id = "leaving", .prompt = one + "?", .max_tokens = 8});
    EXPECT_FALSE(bench.loop.step());
    EXPECT_TRUE(bench.loop.reading());
    bench.cancellations.request("leaving");
    EXPECT_FALSE(bench.loop.step());
    EXPECT_EQ(sink->failure(), rpc::contract::CANCELLED);
    EXPECT_FALSE(bench.loop.reading());
}

// Two conversations take turns, each too large to stay in the cells beside the other.
TEST(MemoryOfJobs, _29_AlternatingPromptsStayWithinEveryBoundAndTheStatisticsShowIt) {
    constexpr std::size_t most = 3000;
    Bench bench(small_cells(256), {.archive = {.memory_bytes = most}});
    std::string one = "the first conversation " + std::string(100, 'o');
    std::string other = "and the other one, about something else " + std::string(100, 'p');
    for (int turn = 0; turn < 200; ++turn) {
        auto& conversation = turn % 2 == 0 ? one : other;
        conversation.replace(conversation.size() - 20, 20, std::string(20, static_cast<char>('a' + turn % 26)));
        cached_tokens(bench, conversation);
        const auto statistics = bench.loop.statistics();
        ASSERT_EQ(statistics.saved_memory_limit_bytes(), most);
        ASSERT_LE(statistics.saved_memory_bytes(), most);
        ASSERT_EQ(statistics.kv_cells(), 256U);
        ASSERT_LE(statistics.kv_cells_used(), 256U);
    }
    EXPECT_GT(bench.loop.statistics().saved_bytes_written(), 0U);
    EXPECT_GT(bench.loop.statistics().prompt_tokens_from_memory(), 0U) << "both were of use";
}

// BEHAVIOURS 27, in small: prompts of half the cells, one after another.
TEST(MemoryOfJobs, FiveHundredLargePromptsInAFewCellsAndBoundedMemory) {
    Bench bench(small_cells(256), {.archive = {.memory_bytes = 4096}});
    for (int number = 0; number < 500; ++number) {
        cached_tokens(bench, std::to_string(number) + std::string(120, 'z'));
        ASSERT_LE(bench.loop.statistics().saved_memory_bytes(), 4096U);
    }
    EXPECT_LE(bench.loop.statistics().kv_cells_used(), 256U);
}

}  // namespace
}  // namespace worker::loop
