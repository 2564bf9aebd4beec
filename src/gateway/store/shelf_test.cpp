#include "gateway/store/shelf.hpp"

#include <fmt/format.h>

#include <fstream>

#include <gmock/gmock.h>

#include "base/temporary_folder.hpp"

namespace gateway::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t overhead = 4096;

Key key(std::string id, std::string owner = "me", Kind kind = Kind::response) {
    return {.kind = kind, .owner = std::move(owner), .id = std::move(id)};
}

Entry entry(std::string id, std::string previous = {}) {
    return {.key = key(std::move(id)),
            .created = 1000,
            .model = "talker",
            .previous = std::move(previous),
            .metadata = {{"topic", "rivers"}},
            .body = "{}",
            .input = "[]",
            .events = std::string("\0binary", 7)};
}

Shelf in_memory(Bounds bounds = {}) {
    auto shelf = Shelf::open({}, bounds);
    EXPECT_TRUE(shelf) << shelf.error().message;
    return *std::move(shelf);
}

std::vector<std::string> ids(const Page& page) {
    std::vector<std::string> list;
    for (const Entry& one : page.entries)
        list.push_back(one.key.id);
    return list;
}

TEST(Shelf, GivesBackWhatWasPut) {
    Shelf shelf = in_memory();
    ASSERT_TRUE(shelf.put(entry("a")));
    const auto found = shelf.find(key("a"));
    ASSERT_TRUE(found && *found);
    const Entry put = entry("a");
    EXPECT_EQ((*found)->body, put.body);
    EXPECT_EQ((*found)->input, put.input);
    EXPECT_EQ((*found)->events, put.events);
    EXPECT_EQ((*found)->metadata, put.metadata);
    EXPECT_EQ((*found)->created, 1000);
    EXPECT_EQ((*found)->model, "talker");
}

TEST(Shelf, ShowsNobodyWhatIsAnothers) {
    Shelf shelf = in_memory();
    ASSERT_TRUE(shelf.put(entry("a")));
    for (const Key& other : {key("a", "you"), key("a", ""), key("a", "me", Kind::chat_completion)}) {
        EXPECT_FALSE(shelf.find(other)->has_value());
        EXPECT_FALSE(*shelf.remove(other));
        EXPECT_THAT(*shelf.conversation(other), IsEmpty());
        EXPECT_THAT(shelf.list(other.kind, other.owner, {})->entries, IsEmpty());
        Entry changed = entry("a");
        changed.key = other;
        EXPECT_FALSE(*shelf.replace(changed));
    }
    EXPECT_TRUE(shelf.find(key("a"))->has_value());
}

TEST(Shelf, ReplacesWhatIsThereAndOnlyThat) {
    Shelf shelf = in_memory();
    ASSERT_TRUE(shelf.put(entry("a")));
    Entry changed = entry("a");
    changed.body = "more than before";
    EXPECT_TRUE(*shelf.replace(changed));
    EXPECT_EQ((*shelf.find(key("a")))->body, "more than before");
    EXPECT_FALSE(*shelf.replace(entry("b")));
    EXPECT_FALSE(shelf.find(key("b"))->has_value());
    EXPECT_EQ(shelf.size().entries, 1U);
}

TEST(Shelf, RemovesForGood) {
    Shelf shelf = in_memory();
    ASSERT_TRUE(shelf.put(entry("a")));
    EXPECT_TRUE(*shelf.remove(key("a")));
    EXPECT_FALSE(*shelf.remove(key("a")));
    EXPECT_FALSE(shelf.find(key("a"))->has_value());
    EXPECT_EQ(shelf.size().entries, 0U);
    EXPECT_EQ(shelf.size().bytes, 0U);
}

TEST(Shelf, ListsInBothOrdersPageByPage) {
    Shelf shelf = in_memory();
    for (const char* id : {"a", "b", "c", "d"})
        ASSERT_TRUE(shelf.put(entry(id)));
    const auto first = shelf.list(Kind::response, "me", {.limit = 3});
    EXPECT_THAT(ids(*first), ElementsAre("a", "b", "c"));
    EXPECT_TRUE(first->has_more);
    const auto rest = shelf.list(Kind::response, "me", {.after = "c", .limit = 3});
    EXPECT_THAT(ids(*rest), ElementsAre("d"));
    EXPECT_FALSE(rest->has_more);
    const auto back = shelf.list(Kind::response, "me", {.after = "c", .limit = 3, .newest_first = true});
    EXPECT_THAT(ids(*back), ElementsAre("b", "a"));
    const auto unknown = shelf.list(Kind::response, "me", {.after = "nothing"});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().param, "after");
}

TEST(Shelf, ListsByModelAndMetadata) {
    Shelf shelf = in_memory();
    Entry other = entry("b");
    other.model = "thinker";
    other.metadata = {{"topic", "rivers"}, {"a'b", "\"quoted\""}};
    ASSERT_TRUE(shelf.put(entry("a")));
    ASSERT_TRUE(shelf.put(other));
    EXPECT_THAT(ids(*shelf.list(Kind::response, "me", {.model = "thinker"})), ElementsAre("b"));
    EXPECT_THAT(ids(*shelf.list(Kind::response, "me", {.metadata = {{"topic", "rivers"}}})), ElementsAre("a", "b"));
    EXPECT_THAT(ids(*shelf.list(Kind::response, "me", {.metadata = other.metadata})), ElementsAre("b"));
    EXPECT_THAT(ids(*shelf.list(Kind::response, "me", {.metadata = {{"topic", "lakes"}}})), IsEmpty());
}

TEST(Shelf, FollowsAConversationToItsStart) {
    Shelf shelf = in_memory();
    ASSERT_TRUE(shelf.put(entry("a")));
    ASSERT_TRUE(shelf.put(entry("b", "a")));
    ASSERT_TRUE(shelf.put(entry("c", "b")));
    const auto conversation = shelf.conversation(key("c"));
    ASSERT_TRUE(conversation);
    ASSERT_EQ(conversation->size(), 3U);
    EXPECT_EQ(conversation->front().key.id, "a");
    EXPECT_EQ(conversation->back().key.id, "c");
    EXPECT_THAT(*shelf.conversation(key("nothing")), IsEmpty());
    ASSERT_TRUE(*shelf.remove(key("a")));
    const auto broken = shelf.conversation(key("c"));
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, base::ErrorCode::invalid);
}

TEST(Shelf, LetsTheOldestGoWhenThereIsNoRoom) {
    Shelf shelf = in_memory({.bytes = 3 * (overhead + 100)});
    for (const char* id : {"a", "b", "c", "d"})
        ASSERT_TRUE(shelf.put(entry(id)));
    EXPECT_FALSE(shelf.find(key("a"))->has_value());
    EXPECT_TRUE(shelf.find(key("d"))->has_value());
    EXPECT_EQ(shelf.size().entries, 3U);
    EXPECT_LE(shelf.size().bytes, 3 * (overhead + 100));
    Entry grown = entry("d");
    grown.body.assign(overhead, 'x');
    EXPECT_TRUE(*shelf.replace(grown));
    EXPECT_LE(shelf.size().bytes, 3 * (overhead + 100));
    EXPECT_TRUE(shelf.find(key("d"))->has_value());
    Entry huge = entry("e");
    huge.body.assign(20 * overhead, 'x');
    const auto refused = shelf.put(huge);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::too_large);
    EXPECT_TRUE(shelf.find(key("d"))->has_value());
}

TEST(Shelf, LetsGoWhatIsTooOld) {
    Shelf shelf = in_memory({.age = std::chrono::seconds(60)});
    ASSERT_TRUE(shelf.put(entry("old")));
    Entry young = entry("young");
    young.created = 1050;
    ASSERT_TRUE(shelf.put(young));
    ASSERT_TRUE(shelf.expire(1100));
    EXPECT_FALSE(shelf.find(key("old"))->has_value());
    EXPECT_TRUE(shelf.find(key("young"))->has_value());
    EXPECT_EQ(shelf.size().entries, 1U);
}

TEST(Shelf, KeepsOverARestart) {
    const base::TemporaryFolder folder;
    {
        auto shelf = Shelf::open(folder / "store", {});
        ASSERT_TRUE(shelf) << shelf.error().message;
        ASSERT_TRUE(shelf->put(entry("a")));
    }
    auto again = Shelf::open(folder / "store", {});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->find(key("a"))->has_value());
    EXPECT_EQ(again->size().entries, 1U);
    EXPECT_GT(again->size().bytes, overhead);
}

TEST(Shelf, IsReadableByItsOwnerAlone) {
    const base::TemporaryFolder folder;
    auto shelf = Shelf::open(folder / "store", {});
    ASSERT_TRUE(shelf);
    ASSERT_TRUE(shelf->put(entry("a")));
    using std::filesystem::perms;
    constexpr perms others = perms::group_all | perms::others_all;
    for (const auto& file : std::filesystem::directory_iterator(folder / "store"))
        EXPECT_EQ(file.status().permissions() & others, perms::none) << file.path();
    EXPECT_EQ(std::filesystem::status(folder / "store").permissions() & others, perms::none);
}

TEST(Shelf, BelongsToOneGatewayAtATime) {
    const base::TemporaryFolder folder;
    auto first = Shelf::open(folder / "store", {});
    ASSERT_TRUE(first);
    const auto second = Shelf::open(folder / "store", {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, base::ErrorCode::unavailable);
    EXPECT_THAT(second.error().message, HasSubstr("in use"));
}

TEST(Shelf, RefusesFilesOfOthersAndOfLaterVersions) {
    const base::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "store");
    std::ofstream(folder / "store/store.db") << std::string(8192, 'x');
    EXPECT_FALSE(Shelf::open(folder / "store", {}));
    std::filesystem::remove(folder / "store/store.db");
    ASSERT_TRUE(Shelf::open(folder / "store", {}));
    {
        auto database = Database::open(folder / "store/store.db");
        ASSERT_TRUE(database);
        ASSERT_TRUE(database->execute("PRAGMA user_version=999"));
    }
    const auto newer = Shelf::open(folder / "store", {});
    ASSERT_FALSE(newer);
    EXPECT_THAT(newer.error().message, HasSubstr("newer"));
    {
        auto database = Database::open(folder / "store/store.db");
        ASSERT_TRUE(database->execute("PRAGMA application_id=1"));
    }
    const auto foreign = Shelf::open(folder / "store", {});
    ASSERT_FALSE(foreign);
    EXPECT_THAT(foreign.error().message, HasSubstr("not a store"));
}

/// What a crash leaves: the file and its log as they are at that moment, copied while the shelf is open.
TEST(Shelf, IsWholeAfterACrash) {
    const base::TemporaryFolder folder;
    const base::TemporaryFolder crashed;
    auto shelf = Shelf::open(folder / "store", {});
    ASSERT_TRUE(shelf);
    for (int i = 0; i < 50; ++i)
        ASSERT_TRUE(shelf->put(entry(fmt::format("{}", i))));
    std::filesystem::copy(folder / "store", crashed / "store");
    auto again = Shelf::open(crashed / "store", {});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->size().entries, 50U);
    EXPECT_TRUE(again->find(key("49"))->has_value());
}

}  // namespace
}  // namespace gateway::store
