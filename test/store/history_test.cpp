/// \file
/// Facts derived from records: overview, trend, and the writers that show them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "store/csv.hpp"
#include "store/exchange.hpp"
#include "store/html/dashboard.hpp"
#include "store/overview.hpp"
#include "store/text.hpp"
#include "store/trend.hpp"

namespace omen::store {
namespace {

Time at(const std::string& text) {
  return parse_time(text).value();
}

/// Race "aa" is seen on three days, set to fixed on the second and seen again on the third; "bb" is seen once and
/// closed.
Snapshot history() {
  Snapshot all;
  all.runs = {{"r3", at("2026-03-04T10:00:00Z"), "c3", "main", "", "./t", true},
              {"r1", at("2026-03-01T10:00:00Z"), "c1", "main", "gcc", "./t", true},
              {"r2", at("2026-03-02T10:00:00Z"), "c2", "main", "", "./t", false}};
  all.races = {{"bb", {}, "deadlock", ""}, {"aa", {"cc", "ab"}, "data-race", "@net @all"}};
  for (const std::string run : {"r1", "r2", "r3"}) {
    all.sightings.push_back(
        {run, "aa", "aa", "observed", 2, "'x' is read in " + run, "src/net/pool.cpp", 12, "go()", ""});
  }
  all.sightings.push_back({"r2", "bb", "bb", "confirmed", 1, "threads wait", "main.cpp", 3, "main", ""});
  all.changes = {{"aa", at("2026-03-02T12:00:00Z"), "ann", What::Status, "fixed"},
                 {"aa", at("2026-03-04T10:00:00.001Z"), "omen", What::Status, "reopened"},
                 {"bb", at("2026-03-05"), "ann", What::Owner, "@ann"},
                 {"bb", at("2026-03-05"), "ann", What::Status, "wontfix"},
                 {"bb", at("2026-03-05"), "ann", What::Note, "only in tests"}};
  sort(all);
  return all;
}

TEST(Times, OnlyMomentsAreTimes) {
  EXPECT_EQ(time_text(at("2026-03-01")), "2026-03-01T00:00:00.000Z");
  EXPECT_EQ(time_text(at("2024-02-29T23:59:59Z")), "2024-02-29T23:59:59.000Z");
  EXPECT_EQ(time_text(at("2026-03-01T09:30:00.125Z")), "2026-03-01T09:30:00.125Z");
  for (const char* wrong :
       {"", "2026", "2026-3-1", "2026-02-29", "2026-13-01", "2026-03-01T09:30", "2026-03-01T24:00:00Z",
        "2026-03-01T09:30:00", "2026-03-01T09:30:00.5Z", "2026-03-01T09:30:00Zx", "x026-03-01", "2026-03-01Z",
        "2026-03-01TZ", "2026-03-01T09:30:00.1234Z"}) {
    EXPECT_FALSE(parse_time(wrong).has_value()) << wrong;
  }
}

TEST(Times, WeeksBeginOnMonday) {
  EXPECT_EQ(period_of(at("2026-03-01T23:00:00Z"), Period::Week), "2026-02-23");
  EXPECT_EQ(period_of(at("2026-03-02"), Period::Week), "2026-03-02");
  EXPECT_EQ(period_of(at("2026-03-31"), Period::Month), "2026-03-01");
}

TEST(Overview, FollowsFromTheRecords) {
  const Snapshot all = history();
  const auto races = overview(all);
  ASSERT_EQ(races.size(), 2U);
  const RaceOverview& one = races[0];
  EXPECT_EQ(one.fingerprint(), "aa");
  EXPECT_EQ(one.race->aliases, (std::vector<std::string>{"ab", "cc"}));
  EXPECT_EQ(one.status, Status::Reopened);
  EXPECT_EQ(one.owner, "@net @all");
  EXPECT_EQ(one.first->id, "r1");
  EXPECT_EQ(one.last->id, "r3");
  EXPECT_EQ(one.latest->title, "'x' is read in r3");
  EXPECT_EQ(one.commits, (std::vector<std::string>{"c1", "c2", "c3"}));
  EXPECT_EQ(races[1].status, Status::Wontfix);
  EXPECT_EQ(races[1].owner, "@ann");
}

TEST(Trend, CountsByPeriod) {
  const std::vector<TrendRow> days{{"2026-03-01", 1, 1, 1, 0, 0, 1},
                                   {"2026-03-02", 1, 2, 1, 1, 0, 1},
                                   {"2026-03-04", 1, 1, 0, 0, 1, 2},
                                   {"2026-03-05", 0, 0, 0, 1, 0, 1}};
  EXPECT_EQ(trend(history(), Period::Day), days);
  const std::vector<TrendRow> weeks{{"2026-02-23", 1, 1, 1, 0, 0, 1}, {"2026-03-02", 2, 2, 1, 2, 1, 1}};
  EXPECT_EQ(trend(history(), Period::Week), weeks);
  EXPECT_TRUE(trend(Snapshot{}, Period::Day).empty());
}

TEST(Exchange, ReadsWhatItWrites) {
  const auto read = read_exchange(as_json(history()).dump(), "x.json");
  ASSERT_TRUE(read.has_value()) << read.error().text();
  EXPECT_EQ(*read, history());
}

TEST(Exchange, WhatIsWrongHasItsPlace) {
  const auto said = [](auto change) {
    nlohmann::ordered_json json = as_json(history());
    change(json);
    const auto read = read_exchange(json.dump(), "x.json");
    return read ? "nothing" : read.error().text();
  };
  using J = nlohmann::ordered_json;
  EXPECT_EQ(said([](J& j) { j["omen_store"] = 2; }), "x.json:omen_store: expected version 1");
  EXPECT_EQ(said([](J& j) { j.erase("races"); }), "x.json:races: expected an array");
  EXPECT_EQ(said([](J& j) { j["runs"][1]["time"] = "yesterday"; }),
            "x.json:runs[1].time: expected a time such as 2026-03-01T09:30:00.000Z");
  EXPECT_EQ(said([](J& j) { j["sightings"][0]["race"] = "zz"; }),
            "x.json:sightings[0].race: expected one that the document has");
  EXPECT_EQ(said([](J& j) { j["sightings"][3]["race"] = "aa"; }),
            "x.json:sightings[3].race: expected one that was not there before");
  EXPECT_EQ(said([](J& j) { j["sightings"].erase(3); }), "x.json:sightings: expected one for every race");
  EXPECT_EQ(said([](J& j) { j["sightings"][0]["line"] = -1; }),
            "x.json:sightings[0].line: expected a number from 0 on");
  EXPECT_EQ(said([](J& j) { j["sightings"][0]["line"] = 1ULL << 32; }),
            "x.json:sightings[0].line: expected a number up to 4294967295");
  EXPECT_EQ(said([](J& j) { j["changes"][0]["value"] = "solved"; }),
            "x.json:changes[0].value: expected new, confirmed, fixed, wontfix or reopened");
  EXPECT_EQ(said([](J& j) { j["races"][1] = 7; }), "x.json:races[1]: expected an object");
  EXPECT_EQ(said([](J& j) { j["races"].push_back(j["races"][0]); }),
            "x.json:races[2].fingerprint: expected one that was not there before");
  EXPECT_EQ(read_exchange("{\"omen_store\":", "x.json").error().text(), "x.json:offset 15: expected JSON");
  EXPECT_EQ(read_exchange("[]", "x.json").error().text(),
            "x.json: expected the document that `omen store export --json` writes");
}

TEST(Records, WhatADatabaseCannotKeepIsReplaced) {
  EXPECT_EQ(storable(std::string_view("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(storable("\xff\xc3"), "\uFFFD\uFFFD");
  EXPECT_EQ(storable("Größe 'x' \" \\ \n"), "Größe 'x' \" \\ \n");
}

TEST(Csv, FormulasBecomeText) {
  for (const std::string text :
       {"=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "  =1", "\uFF1D1", "\uFF0B1", "\uFF0D1", "\uFF201"}) {
    EXPECT_EQ(csv_field(text), "\"'" + text + "\"");
  }
  EXPECT_EQ(csv_field("a=b"), "\"a=b\"");
  EXPECT_EQ(csv_field(""), "\"\"");
  EXPECT_EQ(csv_field("say \"x\", y\nz"), "\"say \"\"x\"\", y\nz\"");
}

TEST(Csv, OneLineARace) {
  const Snapshot all = history();
  EXPECT_EQ(as_csv(overview(all)).substr(0, 14), "\"fingerprint\",");
  EXPECT_NE(
      as_csv(overview(all))
          .find("\"bb\",\"deadlock\",\"wontfix\",\"'@ann\",\"threads wait\",\"main.cpp\",\"3\",\"main\",\"confirmed\","
                "\"2026-03-02T10:00:00.000Z\",\"2026-03-02T10:00:00.000Z\",\"1\",\"c2\",\"c2\",\"only in tests\"\r\n"),
      std::string::npos);
}

TEST(Text, ControlCharactersAreSpeltOut) {
  Snapshot all = history();
  for (Sighting& one : all.sightings) one.title = "\x1b]0;title\x07";
  all.changes[0].value = "fixed";
  all.changes[0].author = "a\nb";
  const auto races = overview(all);
  const std::string text = list_text(races, 2) + race_text(races[0], all);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("\\x1b]0;title"), std::string::npos);
  EXPECT_NE(text.find("(a\\nb)"), std::string::npos);
}

TEST(Dashboard, DataCannotEndItsElement) {
  Snapshot all = history();
  for (Sighting& one : all.sightings) one.title = "</script><!--<script>";
  const std::string html = as_html(all, "0");
  EXPECT_NE(html.find("\\u003c/script\\u003e"), std::string::npos);
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  EXPECT_EQ(html.find("{{"), std::string::npos);
  EXPECT_NE(as_html(Snapshot{}, "0").find("\"races\":[]"), std::string::npos);
}

}  // namespace
}  // namespace omen::store
