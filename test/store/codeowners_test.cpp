/// \file
/// Patterns of CODEOWNERS, as in GitHub's and GitLab's documentation.
#include "store/codeowners.hpp"

#include <gtest/gtest.h>

namespace omen::store {
namespace {

std::string owner(const std::string& rules, const std::string& path) {
  const auto parsed = CodeOwners::parse(rules, "CODEOWNERS");
  if (!parsed) return "error " + parsed.error().text();
  return parsed->owners_of(path);
}

TEST(CodeOwners, TheLastLineThatMatchesDecides) {
  const std::string rules = "* @all\n*.js @js # comment\n/build/logs/ @doctocat\n\n# a comment\n*.js.map\n";
  EXPECT_EQ(owner(rules, "a.c"), "@all");
  EXPECT_EQ(owner(rules, "deep/down/a.js"), "@js");
  EXPECT_EQ(owner(rules, "build/logs/x.js"), "@doctocat");
  EXPECT_EQ(owner(rules, "other/build/logs/x.c"), "@all");
  EXPECT_EQ(owner(rules, "x.js.map"), "");
  EXPECT_EQ(owner("", "a.c"), "");
}

TEST(CodeOwners, PatternsAreThoseOfGitignore) {
  EXPECT_EQ(owner("docs/* @d", "docs/getting-started.md"), "@d");
  EXPECT_EQ(owner("docs/* @d", "docs/build-app/troubleshooting.md"), "");
  EXPECT_EQ(owner("apps/ @a", "some/apps/x/y.c"), "@a");
  EXPECT_EQ(owner("apps/ @a", "apps"), "");
  EXPECT_EQ(owner("/apps/ @a", "some/apps/y.c"), "");
  EXPECT_EQ(owner("**/logs @l", "a/b/logs/x"), "@l");
  EXPECT_EQ(owner("**/logs @l", "logs/x"), "@l");
  EXPECT_EQ(owner("src/**/net @n", "src/net/a.c"), "@n");
  EXPECT_EQ(owner("src/**/net @n", "src/x/y/net/a.c"), "@n");
  EXPECT_EQ(owner("src/**/net @n", "lib/x/net/a.c"), "");
  EXPECT_EQ(owner("/src/*.c @c", "src/a.c"), "@c");
  EXPECT_EQ(owner("/src/*.c @c", "src/x/a.c"), "");
  EXPECT_EQ(owner("/src/p?ol.c @c", "src/pool.c"), "@c");
  EXPECT_EQ(owner("/src/** @c", "src/x/y/a.c"), "@c");
  EXPECT_EQ(owner("a*b*c @c", "axbxbxc"), "@c");
  EXPECT_EQ(owner("a*b*c @c", "axbxbx"), "");
  EXPECT_EQ(owner("/my\\ folder/ @c", "my folder/a.c"), "@c");
  EXPECT_EQ(owner("/src @c", "src/a.c"), "@c");
}

TEST(CodeOwners, SeveralOwnersAndSections) {
  EXPECT_EQ(owner("*.c @a  @org/team me@example.org\r\n", "x.c"), "@a @org/team me@example.org");
  const std::string rules = "[Data][2] @base\n/data/\n/data/own/ @other\n^[Optional]\n/x/\n";
  EXPECT_EQ(owner(rules, "data/a"), "@base");
  EXPECT_EQ(owner(rules, "data/own/a"), "@other");
  EXPECT_EQ(owner(rules, "x/a"), "");
}

TEST(CodeOwners, WhatIsWrongHasItsLine) {
  EXPECT_EQ(owner("* @a\n*.c nobody\n", "x"), "error CODEOWNERS:2: expected @NAME or an address, not 'nobody'");
  EXPECT_EQ(owner("!*.c @a\n", "x"), "error CODEOWNERS:1: expected a pattern without '!'");
  EXPECT_EQ(owner("\n\n[Section\n", "x"), "error CODEOWNERS:3: expected the ']' of a section");
  EXPECT_EQ(owner("[S] nobody\n", "x"), "error CODEOWNERS:1: expected owners behind a section: @NAME or an address");
}

TEST(CodeOwners, ManyStarsTakeNoLongTime) {
  const std::string stars = "a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b @x";
  EXPECT_EQ(owner(stars, std::string(5000, 'a')), "");
  std::string deep = "/";
  for (int i = 0; i < 200; ++i) deep += "**/a/";
  std::string path = "a";
  for (int i = 0; i < 400; ++i) path += "/a";
  EXPECT_EQ(owner(deep + "b @x", path), "");
}

}  // namespace
}  // namespace omen::store
