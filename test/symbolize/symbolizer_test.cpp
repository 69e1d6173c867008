/// \file
/// Real binaries: GCC and clang, optimised with inlining, position-independent or not, DWARF 4 and 5, stripped, with
/// separate debug files, damaged and missing.
#include "symbolize/symbolizer.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

#include "symbolize/demangle.hpp"
#include "test/symbolize/compiled_program.hpp"

namespace omen::symbolize {
namespace {

using test::CompiledProgram;
using test::Scratch;

constexpr const char* kSource = R"(int plain = 1;
static int hidden[4];
namespace space {
struct Counter {
  int value = 0;
  inline __attribute__((always_inline)) void add(int by) {
    here("add");
    value += by;
  }
};
Counter counter;
namespace {
inline __attribute__((always_inline)) void inner(int by) {
  counter.add(by);
}
__attribute__((noinline)) void local(int by) {
  inner(by);
  here("local"); ++plain;
}
}  // namespace
}  // namespace space
template <class T> __attribute__((noinline)) void generic(T by) {
  auto call = [&] { here("lambda"); plain += by; };
  call();
  here("generic"); ++plain;
}
extern "C" __attribute__((noinline)) void plain_c() {
  here("c");
  plain = 2;
}
int main() {
  say_modules();
  static int counted = 7;
  there("plain", &plain);
  there("hidden", &hidden[2]);
  there("counted", &counted);
  there("counter", &space::counter.value);
  space::local(3);
  generic<short>(4);
  plain_c();
  here("main");
  return hidden[1] + (plain == 77);
}
)";

std::vector<std::string> functions(const std::vector<Frame>& frames) {
  std::vector<std::string> names;
  for (const Frame& frame : frames) names.push_back(frame.function);
  return names;
}

std::string base(const std::string& path) {
  return std::filesystem::path(path).filename();
}

void expect_frames(Symbolizer& symbolizer, const CompiledProgram& program) {
  const auto add = symbolizer.frames(program.at("add"));
  ASSERT_EQ(add.size(), 3U);
  EXPECT_EQ(functions(add), (std::vector<std::string>{"space::Counter::add(int)", add[1].function,
                                                      "space::(anonymous namespace)::local(int)"}));
  EXPECT_TRUE(add[1].function.starts_with("space::(anonymous namespace)::inner")) << add[1].function;
  EXPECT_EQ(add[0].line, 7U);
  EXPECT_EQ(add[1].line, 14U);
  EXPECT_EQ(add[2].line, 17U);
  EXPECT_GT(add[0].column, 0U);
  EXPECT_GT(add[1].column, 0U);
  EXPECT_TRUE(add[0].inlined);
  EXPECT_TRUE(add[1].inlined);
  EXPECT_FALSE(add[2].inlined);
  for (const Frame& frame : add) {
    EXPECT_EQ(base(frame.file), "program.cpp");
    EXPECT_EQ(frame.module, program.path);
    EXPECT_EQ(frame.offset, program.at("add") - 1 - program.at("bias"));
  }

  const auto local = symbolizer.frames(program.at("local"));
  ASSERT_EQ(local.size(), 1U);
  EXPECT_EQ(local[0].line, 18U);

  const auto lambda = symbolizer.frames(program.at("lambda"));
  ASSERT_GE(lambda.size(), 1U);
  EXPECT_EQ(lambda[0].line, 23U);
  EXPECT_EQ(functions(symbolizer.frames(program.at("generic"))),
            std::vector<std::string>{"void generic<short>(short)"});
  EXPECT_EQ(functions(symbolizer.frames(program.at("c"))), std::vector<std::string>{"plain_c"});
  EXPECT_EQ(functions(symbolizer.frames(program.at("main"))), std::vector<std::string>{"main"});
}

void expect_globals(Symbolizer& symbolizer, const CompiledProgram& program) {
  const auto plain = symbolizer.global_at(program.at("plain"));
  ASSERT_TRUE(plain);
  EXPECT_EQ(*plain, (Global{"plain", program.at("plain"), 4, program.path, program.at("plain") - program.at("bias")}));
  EXPECT_TRUE(symbolizer.global_at(program.at("plain") + 3));
  const auto hidden = symbolizer.global_at(program.at("hidden"));
  ASSERT_TRUE(hidden);
  EXPECT_EQ(hidden->name, "hidden");
  EXPECT_EQ(hidden->address, program.at("hidden") - 8);
  EXPECT_EQ(hidden->size, 16U);
  const auto counted = symbolizer.global_at(program.at("counted"));
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->name, "main::counted");
  const auto counter = symbolizer.global_at(program.at("counter"));
  ASSERT_TRUE(counter);
  EXPECT_EQ(counter->name, "space::counter");
  EXPECT_FALSE(symbolizer.global_at(program.at("begin")));
  EXPECT_FALSE(symbolizer.global_at(0));
}

class SymbolizerCompilers
    : public testing::TestWithParam<std::tuple<const char*, const char*, const char*, const char*>> {};

TEST_P(SymbolizerCompilers, NamesInlinedFramesAndGlobals) {
  const auto& [compiler, optimise, dwarf, layout] = GetParam();
  if (!test::has_compiler(compiler)) GTEST_SKIP() << "no " << compiler;
  const Scratch scratch;
  const CompiledProgram program(scratch, kSource, std::string(compiler) + " " + optimise + " " + dwarf + " " + layout);
  ASSERT_TRUE(program.ran());
  Symbolizer symbolizer({program.module()});
  expect_frames(symbolizer, program);
  expect_globals(symbolizer, program);
  EXPECT_TRUE(symbolizer.notes().empty());
}

INSTANTIATE_TEST_SUITE_P(All, SymbolizerCompilers,
                         testing::Combine(testing::Values("g++-12", "clang++-19"), testing::Values("-O2", "-O0"),
                                          testing::Values("-gdwarf-4", "-gdwarf-5"),
                                          testing::Values("-fPIE -pie", "-fno-pie -no-pie")));

TEST(Symbolizer, FollowsSplitDebuggingInformation) {
  for (const char* compiler : {"g++-12", "clang++-19"}) {
    if (!test::has_compiler(compiler)) continue;
    SCOPED_TRACE(compiler);
    const Scratch scratch;
    const CompiledProgram program(scratch, kSource, std::string(compiler) + " -O2 -gdwarf-5 -gsplit-dwarf");
    ASSERT_TRUE(program.ran());
    Symbolizer symbolizer({program.module()});
    expect_frames(symbolizer, program);
  }
}

TEST(Symbolizer, RelativeFilesAreBelowTheFolderOfTheCompilation) {
  constexpr const char* kElsewhere = R"(
#line 7 "../src/part.cpp"
__attribute__((noinline)) int work() {
  here("work"); return 3;
}
int main() { say_modules(); return work() == 4; }
)";
  for (const char* compiler : {"g++-12", "clang++-19"}) {
    if (!test::has_compiler(compiler)) continue;
    for (const char* dwarf : {" -gdwarf-4", " -gdwarf-5"}) {
      SCOPED_TRACE(std::string(compiler) + dwarf);
      const Scratch scratch;
      const CompiledProgram program(scratch, kElsewhere, std::string(compiler) + dwarf + " -O0");
      ASSERT_TRUE(program.ran());
      Symbolizer symbolizer({program.module()});
      const auto frames = symbolizer.frames(program.at("work"));
      ASSERT_FALSE(frames.empty());
      const auto folder = std::filesystem::path(program.path).parent_path();
      EXPECT_EQ(frames[0].file, (folder.parent_path() / "src/part.cpp").string());
      EXPECT_EQ(frames[0].line, 8U);
    }
  }
}

TEST(Symbolizer, AStrippedProgramStillHasModuleAndOffset) {
  const Scratch scratch;
  const CompiledProgram program(scratch, kSource, "g++-12 -O2 -g", "strip $P");
  ASSERT_TRUE(program.ran());
  Symbolizer symbolizer({program.module()});
  const auto frames = symbolizer.frames(program.at("local"));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].function, "");
  EXPECT_EQ(frames[0].file, "");
  EXPECT_EQ(frames[0].module, program.path);
  EXPECT_EQ(frames[0].offset, program.at("local") - 1 - program.at("bias"));
  EXPECT_FALSE(frames[0].build_id.empty());
  EXPECT_FALSE(symbolizer.global_at(program.at("hidden")));
}

TEST(Symbolizer, WithoutDebuggingInformationFunctionsKeepTheirNames) {
  const Scratch scratch;
  const CompiledProgram program(scratch, kSource, "g++-12 -O2");
  ASSERT_TRUE(program.ran());
  Symbolizer symbolizer({program.module()});
  const auto frames = symbolizer.frames(program.at("local"));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].function, "space::(anonymous namespace)::local(int)");
  EXPECT_EQ(frames[0].line, 0U);
  expect_globals(symbolizer, program);
}

TEST(Symbolizer, FindsTheSeparateDebugFile) {
  const Scratch scratch;
  const CompiledProgram program(scratch, kSource, "g++-12 -O2 -g",
                                "objcopy --only-keep-debug $P program.debug && strip $P && "
                                "objcopy --add-gnu-debuglink=program.debug $P");
  ASSERT_TRUE(program.ran());
  Symbolizer symbolizer({program.module()});
  expect_frames(symbolizer, program);
  expect_globals(symbolizer, program);
}

TEST(Symbolizer, AnotherBuildIdIsSaid) {
  const Scratch scratch;
  const CompiledProgram program(scratch, kSource, "g++-12 -O2 -g");
  ASSERT_TRUE(program.ran());
  std::string own;
  {
    Symbolizer symbolizer({program.module()});
    own = symbolizer.frames(program.at("main"))[0].build_id;
    ASSERT_EQ(own.size(), 40U);
  }
  Symbolizer same({program.module(own)});
  EXPECT_EQ(same.frames(program.at("main"))[0].function, "main");
  EXPECT_TRUE(same.notes().empty());
  Symbolizer other({program.module("00ff")});
  const auto frames = other.frames(program.at("main"));
  EXPECT_EQ(frames[0].function, "");
  EXPECT_EQ(frames[0].build_id, "00ff");
  ASSERT_EQ(other.notes().size(), 1U);
  EXPECT_NE(other.notes()[0].find("changed since the run"), std::string::npos);
}

TEST(Symbolizer, ExactAddressesAreNotMoved) {
  const Scratch scratch;
  const CompiledProgram program(scratch, kSource, "g++-12 -O0 -g");
  ASSERT_TRUE(program.ran());
  Symbolizer symbolizer({program.module()});
  EXPECT_EQ(symbolizer.frames(program.at("c"), Pc::Exact)[0].line, 29U);
  EXPECT_EQ(symbolizer.frames(program.at("c"))[0].line, 28U);
}

TEST(Symbolizer, AddressesOutsideOfModules) {
  Symbolizer none({});
  const auto frames = none.frames(0x1234);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].offset, 0x1233U);
  EXPECT_EQ(frames[0].module, "");
  EXPECT_FALSE(none.global_at(0x1234));
  EXPECT_EQ(none.frames(0).size(), 1U);

  const Scratch scratch;
  Symbolizer gone({{0x1000, 0x1fff, 0x1000, scratch.file("gone"), "ab"}, {0x2000, 0x2fff, 0, "[vdso]", ""}});
  EXPECT_EQ(gone.frames(0x1801)[0].offset, 0x800U);
  EXPECT_EQ(gone.frames(0x2801)[0].module, "[vdso]");
  ASSERT_EQ(gone.notes().size(), 1U);
  EXPECT_NE(gone.notes()[0].find("no such file"), std::string::npos);
}

TEST(Symbolizer, ModulesMayComeLater) {
  const Scratch scratch;
  const CompiledProgram program(scratch, kSource, "g++-12 -O1 -g");
  ASSERT_TRUE(program.ran());
  Module wrong = program.module();
  wrong.path = "/no/such/file";
  Symbolizer symbolizer({});
  EXPECT_EQ(symbolizer.frames(program.at("c")).front().module, "");
  symbolizer.add(wrong);
  EXPECT_EQ(symbolizer.frames(program.at("c")).front().module, "/no/such/file");
  symbolizer.add(program.module());  // replaces the modules at its addresses
  EXPECT_EQ(symbolizer.frames(program.at("c")).front().function, "plain_c");
  EXPECT_EQ(symbolizer.global_at(program.at("plain"))->name, "plain");
}

TEST(Symbolizer, SeveralThreadsMayAsk) {
  const Scratch scratch;
  const CompiledProgram program(scratch, kSource, "g++-12 -O2 -g");
  ASSERT_TRUE(program.ran());
  Symbolizer symbolizer({program.module()});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { expect_frames(symbolizer, program); });
  for (std::thread& thread : threads) thread.join();
}

/// Truncated and modified copies: any result is acceptable, as long as nothing crashes.
TEST(Symbolizer, DamagedFilesGiveFewerNames) {
  constexpr std::uint32_t kSeed = 7'100;
  constexpr int kCopies = 300;
  for (const char* compiler : {"g++-12", "clang++-19"}) {
    if (!test::has_compiler(compiler)) continue;
    SCOPED_TRACE(compiler);
    const Scratch scratch;
    const CompiledProgram program(scratch, kSource, std::string(compiler) + " -O2 -g");
    ASSERT_TRUE(program.ran());
    std::ifstream file(program.path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    std::mt19937 random(kSeed);
    for (int i = 0; i < kCopies; ++i) {
      std::string damaged = whole;
      if (i % 3 == 0) damaged.resize(random() % whole.size());
      for (std::size_t n = 1 + random() % 64; n > 0 && i % 3 != 0; --n) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      const std::string path = scratch.file("damaged");
      std::ofstream(path, std::ios::binary).write(damaged.data(), static_cast<std::streamsize>(damaged.size()));
      Module module = program.module();
      module.path = path;
      Symbolizer symbolizer({module});
      for (const auto& [name, address] : program.addresses) {
        EXPECT_FALSE(symbolizer.frames(address).empty());
        symbolizer.global_at(address);
      }
    }
  }
}

TEST(Demangle, LeavesOutWhatTheCompilerAppended) {
  EXPECT_EQ(demangled("_Z1fi"), "f(int)");
  EXPECT_EQ(demangled("_Z1fi.cold"), "f(int)");
  EXPECT_EQ(demangled("_Z1fi.constprop.0.isra.0"), "f(int)");
  EXPECT_EQ(demangled("memcpy@@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(demangled("f.part.0"), "f");
  EXPECT_EQ(demangled("counted.0"), "counted.0");
  EXPECT_EQ(demangled("_Zbroken"), "_Zbroken");
  EXPECT_EQ(demangled(""), "");
}

}  // namespace
}  // namespace omen::symbolize
