/// \file
/// Opening and creating traces by path: the choice of the format, and that no incomplete file remains.
#include "trace/formats/format.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "test/trace/trace_text.hpp"
#include "trace/formats/omen_layout.hpp"

namespace omen {
namespace {

namespace fs = std::filesystem;

const std::string kText = "A|r(x)|1\nB|w(x)|2\n";

class FormatTest : public testing::Test {
 protected:
  FormatTest() : folder_(fs::temp_directory_path() / ("omen-format-test-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~FormatTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  static std::string content(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }
  static std::string read(const std::string& path, Format format = Format::Auto) {
    auto source = open_trace(path, format);
    if (!source) return source.error().text();
    auto text = test::to_std(std::move(*source));
    return text ? *text : text.error().text();
  }
  static void write(const std::string& path, Format format = Format::Auto) {
    auto sink = create_trace(path, format);
    ASSERT_TRUE(sink) << sink.error().text();
    ASSERT_TRUE(test::copy(*read_std(kText), **sink));
  }

 private:
  fs::path folder_;
};

TEST_F(FormatTest, ContentDecidesNotTheName) {
  const std::string omen = *test::to_omen(read_std(kText));
  EXPECT_EQ(read(file("a.std", omen)), kText);
  EXPECT_EQ(read(file("b.omen", kText)), kText);
  EXPECT_EQ(format_of(path("a.std")), Format::Omen);
  EXPECT_EQ(format_of(path("b.omen")), Format::Std);
}

TEST_F(FormatTest, AGivenFormatIsObeyed) {
  EXPECT_EQ(read(file("a.omen", kText), Format::Omen),
            path("a.omen") + ":offset 0: expected an .omen trace, not a file that begins with 'A|r(x)|1'");
}

TEST_F(FormatTest, EmptyFiles) {
  EXPECT_EQ(read(file("a.std", "")), "");
  EXPECT_EQ(read(file("a.omen", "")), path("a.omen") + ":offset 0: expected an .omen trace, not an empty file");
}

TEST_F(FormatTest, ShortFilesThatBeginLikeOmen) {
  EXPECT_EQ(read(file("a", "\x89OM")), path("a") +
                                           ":offset 3: expected the header, but the file ends here, before its "
                                           "index; the 0 events before are intact");
}

TEST_F(FormatTest, MissingFilesAndFolders) {
  EXPECT_EQ(read(path("none")), path("none") + ": cannot open: No such file or directory");
  EXPECT_EQ(read(path("")), path("") + ": cannot read: Is a directory");
  const auto sink = create_trace(path("none/t.std"));
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().text(), path("none/t.std") + ": cannot create: No such file or directory");
}

TEST_F(FormatTest, TheNameDecidesWhatIsWritten) {
  write(path("a.std"));
  write(path("a.txt"));
  write(path("a.omen"));
  write(path("b.std"), Format::Omen);
  EXPECT_EQ(content(path("a.std")), kText);
  EXPECT_EQ(content(path("a.txt")), kText);
  EXPECT_TRUE(content(path("a.omen")).starts_with(std::string(layout::kMagic.begin(), layout::kMagic.end())));
  EXPECT_EQ(content(path("a.omen")), content(path("b.std")));
  EXPECT_EQ(files(), 4U);
}

TEST_F(FormatTest, WithoutFinishNothingAppears) {
  for (const char* name : {"a.std", "a.omen"}) {
    auto sink = create_trace(path(name));
    ASSERT_TRUE(sink);
    auto source = read_std(kText);
    const auto block = source->next();
    ASSERT_TRUE((*sink)->write(*block, source->names()));
    EXPECT_FALSE(fs::exists(path(name)));
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(FormatTest, WithoutFinishAnOldFileStays) {
  file("a.std", "old");
  {
    auto sink = create_trace(path("a.std"));
  }
  EXPECT_EQ(content(path("a.std")), "old");
  write(path("a.std"));
  EXPECT_EQ(content(path("a.std")), kText);
  EXPECT_EQ(files(), 1U);
}

TEST_F(FormatTest, ALinkToAnOutputStaysALink) {
  file("real.std", "old");
  fs::create_symlink(path("real.std"), path("link.std"));
  write(path("link.std"));
  EXPECT_TRUE(fs::is_symlink(path("link.std")));
  EXPECT_EQ(content(path("real.std")), kText);
}

TEST_F(FormatTest, DevicesAreWrittenNotReplaced) {
  write("/dev/null");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  auto sink = create_trace("/dev/full");
  ASSERT_TRUE(sink);
  const auto copied = test::copy(*read_std(kText), **sink);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().text(), "/dev/full: cannot write: No space left on device");
}

TEST_F(FormatTest, ProgressEndsAtOne) {
  for (const char* name : {"a.std", "a.omen"}) {
    write(path(name));
    auto source = open_trace(path(name));
    ASSERT_TRUE(source);
    while (!(*source)->next()->empty()) continue;
    EXPECT_DOUBLE_EQ((*source)->progress(), 1.0);
  }
}

}  // namespace
}  // namespace omen
