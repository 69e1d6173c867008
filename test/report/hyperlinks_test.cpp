/// \file
/// Terminal hyperlinks: which terminals support them, and that no path can terminate one.
#include "report/hyperlinks.hpp"

#include <gtest/gtest.h>

#include <map>

namespace omen::report {
namespace {

LinkForm form(const std::map<std::string, std::string>& environment) {
  return link_form([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Hyperlinks, OnlyTerminalsThatHaveThemGetThem) {
  EXPECT_EQ(form({}), LinkForm::None);
  EXPECT_EQ(form({{"TERM", "xterm-256color"}}), LinkForm::None);  // the terminal is unknown
  EXPECT_EQ(form({{"TERM", "linux"}}), LinkForm::None);
  EXPECT_EQ(form({{"TERM", "xterm-256color"}, {"VTE_VERSION", "7006"}}), LinkForm::File);
  EXPECT_EQ(form({{"TERM", "xterm-256color"}, {"VTE_VERSION", "4602"}}), LinkForm::None);
  EXPECT_EQ(form({{"TERM", "xterm-256color"}, {"KONSOLE_VERSION", "220401"}}), LinkForm::File);
  EXPECT_EQ(form({{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "WezTerm"}}), LinkForm::File);
  EXPECT_EQ(form({{"TERM", "alacritty"}}), LinkForm::File);
  EXPECT_EQ(form({{"TERM", "foot-extra"}}), LinkForm::File);
  EXPECT_EQ(form({{"TERM", "xterm-kitty"}}), LinkForm::FileAndLine);
}

TEST(Hyperlinks, NotThroughAMultiplexerNorWhereTheEditorFindsPlacesItself) {
  EXPECT_EQ(form({{"TERM", "tmux-256color"}, {"VTE_VERSION", "7006"}}), LinkForm::None);
  EXPECT_EQ(form({{"TERM", "screen"}, {"VTE_VERSION", "7006"}}), LinkForm::None);
  EXPECT_EQ(form({{"TERM", "xterm"}, {"TMUX", "/tmp/t"}, {"VTE_VERSION", "7006"}}), LinkForm::None);
  EXPECT_EQ(form({{"TERM", "xterm"}, {"TERM_PROGRAM", "vscode"}, {"VTE_VERSION", "7006"}}), LinkForm::None);
}

TEST(Hyperlinks, TheUserDecides) {
  EXPECT_EQ(form({{"TERM", "xterm"}, {"FORCE_HYPERLINK", "1"}}), LinkForm::File);
  EXPECT_EQ(form({{"TERM", "xterm-kitty"}, {"FORCE_HYPERLINK", "0"}}), LinkForm::None);
  EXPECT_EQ(form({{"TERM", "dumb"}, {"FORCE_HYPERLINK", "1"}}), LinkForm::None);
}

TEST(Hyperlinks, AreTheSequence) {
  EXPECT_EQ(linked({LinkForm::File, "box"}, "/src/a.cpp", 7, "a.cpp:7"),
            "\x1b]8;;file://box/src/a.cpp\x1b\\a.cpp:7\x1b]8;;\x1b\\");
  EXPECT_EQ(linked({LinkForm::FileAndLine, "box"}, "/src/a.cpp", 7, "a.cpp:7"),
            "\x1b]8;;file://box/src/a.cpp#7\x1b\\a.cpp:7\x1b]8;;\x1b\\");
  EXPECT_EQ(linked({LinkForm::FileAndLine, ""}, "/src/a.cpp", 0, "a.cpp"),
            "\x1b]8;;file:///src/a.cpp\x1b\\a.cpp\x1b]8;;\x1b\\");
  EXPECT_EQ(linked({LinkForm::None, "box"}, "/src/a.cpp", 7, "a.cpp:7"), "a.cpp:7");
  EXPECT_EQ(linked({LinkForm::File, "box"}, "../sysdeps/a.c", 7, "a.c:7"), "a.c:7");  // the file's folder is unknown
}

TEST(Hyperlinks, NoPathEndsOne) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string path = std::string("/a") + c + "b;\x1b\\\x07\x9c.cpp";
    const std::string all = linked({LinkForm::File, std::string("h") + c}, path, 1, "shown");
    const std::string target = all.substr(5, all.find("\x1b\\shown") - 5);
    EXPECT_TRUE(target.starts_with("file://h")) << byte;
    for (const char one : target) EXPECT_TRUE(one > ' ' && one < '\x7f' && one != ';' && one != '\\') << byte;
    EXPECT_NE(target.find("%1B%5C%07%9C.cpp"), std::string::npos) << target;
  }
}

}  // namespace
}  // namespace omen::report
