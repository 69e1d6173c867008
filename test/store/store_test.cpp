/// \file
/// The store on SQLite, by its interface. The commands, and PostgreSQL, are tested by store_test.py.
#include "store/store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "store/migrations.hpp"
#include "store/overview.hpp"

namespace omen::store {
namespace {

constexpr std::chrono::milliseconds kWait{2000};

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "omen-store-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file() const { return folder_ / "races.db"; }

  Store open() {
    auto store = Store::open(file(), Missing::Create, kWait);
    if (!store) throw std::runtime_error(store.error().text());
    return std::move(*store);
  }

  static Finding finding(const std::string& fingerprint, const std::string& places = "") {
    return {fingerprint, "data-race", "observed", 1, "title of " + fingerprint, "src/a.cpp", 7, "f()", places};
  }

  AddedRun add(Store& store, const std::string& id, const std::vector<Finding>& findings,
               std::optional<Time> time = std::nullopt, const std::optional<CodeOwners>& owners = std::nullopt) {
    const auto added = store.add(
        store::Run{
            .id = id, .time = {}, .commit = "c-" + id, .branch = "", .label = "", .program = "./p", .complete = true},
        time, findings, owners);
    if (!added) throw std::runtime_error(added.error().text());
    return *added;
  }

  static RaceOverview race(const Snapshot& all, const std::string& fingerprint) {
    for (const RaceOverview& one : overview(all)) {
      if (one.fingerprint() == fingerprint) return one;
    }
    throw std::runtime_error("no race " + fingerprint);
  }

  std::filesystem::path folder_;
};

TEST_F(StoreTest, OneRowARace) {
  Store store = open();
  EXPECT_EQ(add(store, "1", {finding("aaaa"), finding("bbbb")}).fresh, 2U);
  const AddedRun second = add(store, "2", {finding("aaaa"), finding("cccc")});
  EXPECT_EQ(second.races, 2U);
  EXPECT_EQ(second.fresh, 1U);
  EXPECT_TRUE(add(store, "2", {finding("dddd")}).was_there);
  const Snapshot all = store.load().value();
  EXPECT_EQ(all.races.size(), 3U);
  EXPECT_EQ(race(all, "aaaa").runs(), 2U);
  EXPECT_EQ(race(all, "aaaa").commits, (std::vector<std::string>{"c-1", "c-2"}));
  EXPECT_EQ(race(all, "bbbb").runs(), 1U);
}

TEST_F(StoreTest, FixedAndSeenAgainIsReopened) {
  Store store = open();
  add(store, "1", {finding("aaaa"), finding("bbbb"), finding("cccc")});
  const Setting fixed{.status = Status::Fixed, .owner = {}, .note = "", .author = "ann"};
  const Setting never{.status = Status::Wontfix, .owner = {}, .note = "", .author = "ann"};
  ASSERT_TRUE(store.set("aaaa", fixed));
  ASSERT_TRUE(store.set("bbbb", fixed));
  ASSERT_TRUE(store.set("cccc", never));
  // A run from before the fix does not reopen it.
  EXPECT_EQ(add(store, "old", {finding("aaaa")}, parse_time("2001-01-01")).reopened, 0U);
  EXPECT_EQ(race(store.load().value(), "aaaa").status, Status::Fixed);
  EXPECT_EQ(add(store, "2", {finding("aaaa"), finding("cccc")}).reopened, 1U);
  EXPECT_EQ(race(store.load().value(), "aaaa").status, Status::Reopened);
  EXPECT_EQ(race(store.load().value(), "aaaa").changes.back()->author, "omen");
  EXPECT_EQ(race(store.load().value(), "bbbb").status, Status::Fixed);
  EXPECT_EQ(race(store.load().value(), "cccc").status, Status::Wontfix);
  EXPECT_EQ(add(store, "3", {finding("aaaa")}).reopened, 0U) << "it is open already";
  EXPECT_EQ(race(store.load().value(), "aaaa").first->id, "old");
}

TEST_F(StoreTest, ChangesOfOneMomentKeepTheirOrder) {
  Store store = open();
  add(store, "1", {finding("aaaa")});
  for (int i = 0; i < 50; ++i) {
    const Status status = i % 2 == 0 ? Status::Wontfix : Status::Confirmed;
    ASSERT_TRUE(store.set("aaaa", {.status = status, .owner = {}, .note = "", .author = "ann"}));
  }
  const Snapshot all = store.load().value();
  EXPECT_EQ(race(all, "aaaa").changes.size(), 50U);
  EXPECT_EQ(race(all, "aaaa").status, Status::Confirmed);
}

TEST_F(StoreTest, AnotherCompilersFingerprintIsFoundByItsLines) {
  Store store = open();
  add(store, "gcc", {finding("aaaa", "p1"), finding("bbbb", "p2")});
  EXPECT_EQ(add(store, "clang", {finding("cccc", "p1"), finding("dddd", "p3"), finding("eeee", "")}).fresh, 2U);
  Snapshot all = store.load().value();
  EXPECT_EQ(race(all, "aaaa").race->aliases, std::vector<std::string>{"cccc"});
  EXPECT_EQ(race(all, "aaaa").runs(), 2U);
  // The lines have moved, but all fingerprints are known.
  EXPECT_EQ(add(store, "clang2", {finding("cccc", "p9")}).fresh, 0U);
  // No race has its latest sighting at the old lines.
  EXPECT_EQ(add(store, "gcc2", {finding("ffff", "p1")}).fresh, 1U);
  all = store.load().value();
  EXPECT_EQ(race(all, "aaaa").runs(), 3U);
  EXPECT_EQ(store.find("cccc").value(), "aaaa");
}

TEST_F(StoreTest, FingerprintsAtOnePlaceAreOneRace) {
  Store store = open();
  const AddedRun both = add(store, "1", {finding("aaaa", "p1"), finding("bbbb", "p1"), finding("cccc", "p2")});
  EXPECT_EQ(both.races, 2U);
  EXPECT_EQ(both.fresh, 2U);
  // One of its fingerprints shows that it has moved; the third fingerprint is found at the new position.
  EXPECT_EQ(add(store, "2", {finding("dddd", "p9"), finding("bbbb", "p9")}).fresh, 0U);
  const Snapshot all = store.load().value();
  EXPECT_EQ(race(all, "aaaa").race->aliases, (std::vector<std::string>{"bbbb", "dddd"}));
  EXPECT_EQ(race(all, "aaaa").runs(), 2U);
  EXPECT_EQ(race(all, "aaaa").seen[0]->count, 2U);
  EXPECT_EQ(race(all, "cccc").runs(), 1U);
}

TEST_F(StoreTest, OwnersOfCodeGiveWayToPeople) {
  Store store = open();
  const auto owners = CodeOwners::parse("/src/ @src\n", "CODEOWNERS");
  add(store, "1", {finding("aaaa"), finding("bbbb")}, std::nullopt, *owners);
  ASSERT_TRUE(store.set("bbbb", {.status = {}, .owner = "@ann", .note = "", .author = "ann"}));
  add(store, "2", {finding("aaaa"), finding("bbbb")}, std::nullopt,
      CodeOwners::parse("* @new\n", "CODEOWNERS").value());
  EXPECT_EQ(race(store.load().value(), "aaaa").owner, "@new");
  EXPECT_EQ(race(store.load().value(), "bbbb").owner, "@ann");
  ASSERT_TRUE(store.set("bbbb", {.status = {}, .owner = "", .note = "", .author = "ann"}));
  EXPECT_EQ(race(store.load().value(), "bbbb").owner, "");
}

TEST_F(StoreTest, BeginningsOfFingerprints) {
  Store store = open();
  add(store, "1", {finding("abcd1"), finding("abcd2"), finding("%_%_%")});
  EXPECT_EQ(store.find("abcd1").value(), "abcd1");
  EXPECT_NE(store.find("abcd").error().text().find("2 races have fingerprints that begin with 'abcd'"),
            std::string::npos);
  EXPECT_NE(store.find("%_%").error().text().find("no race"), std::string::npos) << "too short";
  EXPECT_EQ(store.find("%_%_").value(), "%_%_%");
  EXPECT_NE(store.find("").error().text().find("3 races"), std::string::npos);
}

TEST_F(StoreTest, ImportingTwiceAddsNothing) {
  Store store = open();
  add(store, "1", {finding("aaaa", "p1")});
  add(store, "2", {finding("cccc", "p1")});
  ASSERT_TRUE(store.set("aaaa", {.status = Status::Fixed, .owner = "@x", .note = "n", .author = "ann"}));
  const Snapshot all = store.load().value();
  Store other = Store::open(folder_ / "other.db", Missing::Create, kWait).value();
  EXPECT_EQ(other.import(all).value().changes, 3U);
  EXPECT_EQ(other.load().value(), all);
  const Imported again = other.import(all).value();
  EXPECT_EQ(again.runs + again.races + again.sightings + again.changes, 0U);
}

TEST_F(StoreTest, ImportJoinsWhatBothKnow) {
  Store here = open();
  add(here, "1", {finding("cccc", "")});
  Store there = Store::open(folder_ / "other.db", Missing::Create, kWait).value();
  add(there, "2", {finding("aaaa", "p1")});
  add(there, "3", {finding("cccc", "p1")});
  ASSERT_TRUE(there.set("aaaa", {.status = Status::Wontfix, .owner = {}, .note = "", .author = "ann"}));
  EXPECT_EQ(here.import(there.load().value()).value().races, 0U);
  const Snapshot all = here.load().value();
  ASSERT_EQ(all.races.size(), 1U);
  EXPECT_EQ(race(all, "cccc").runs(), 3U);
  EXPECT_EQ(race(all, "cccc").status, Status::Wontfix);
  EXPECT_EQ(here.find("aaaa").value(), "cccc");
}

TEST_F(StoreTest, MigrationsGoOnFromWhereTheStoreIs) {
  {
    Store store = open();
    add(store, "1", {finding("aaaa")});
  }
  auto database = open_sqlite(file(), Missing::Refuse, kWait).value();
  constexpr std::array<std::string_view, 2> kSecond{
      "ALTER TABLE omen_runs ADD COLUMN machine {text} NOT NULL DEFAULT 'm'", "CREATE TABLE omen_more (x BIGINT)"};
  std::vector<Migration> migrations(all_migrations().begin(), all_migrations().end());
  const int next = migrations.back().version + 1;
  migrations.push_back({next, kSecond});
  // A failing migration leaves nothing behind.
  constexpr std::array<std::string_view, 2> kBroken{"CREATE TABLE omen_half (x BIGINT)",
                                                    "CREATE TABLE omen_runs (x BIGINT)"};
  std::vector<Migration> broken = migrations;
  broken.push_back({next + 1, kBroken});
  EXPECT_FALSE(migrate(*database, Missing::Refuse, broken));
  EXPECT_FALSE(database->has_table("omen_half").value());
  EXPECT_FALSE(database->has_table("omen_more").value());
  ASSERT_TRUE(migrate(*database, Missing::Refuse, migrations));
  ASSERT_TRUE(migrate(*database, Missing::Refuse, migrations)) << "once is enough";
  EXPECT_EQ(database->query("SELECT id, machine FROM omen_runs").value(), (Rows{{"1", "m"}}));
  EXPECT_EQ(database->query("SELECT version FROM omen_schema ORDER BY version").value().size(),
            static_cast<std::size_t>(next));
  const auto old = Store::open(file(), Missing::Refuse, kWait);
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().text(), file() + ": the store has version " + std::to_string(next) + ": expected at most " +
                                    std::to_string(next - 1) + ", as this omen has it; a newer omen made the store");
}

TEST_F(StoreTest, WaitingForAWriterHasAnEnd) {
  Store store = open();
  auto holder = open_sqlite(file(), Missing::Refuse, kWait).value();
  ASSERT_TRUE(holder->begin(Access::Write));
  auto impatient = Store::open(file(), Missing::Create, std::chrono::milliseconds(1)).value();
  const auto added = impatient.add(
      store::Run{.id = "1", .time = {}, .commit = "", .branch = "", .label = "", .program = "", .complete = true},
      std::nullopt, {finding("aaaa")}, std::nullopt);
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().text().find("locked by another writer"), std::string::npos) << added.error().text();
  holder->roll_back();
  EXPECT_EQ(add(impatient, "1", {finding("aaaa")}).fresh, 1U);
}

}  // namespace
}  // namespace omen::store
