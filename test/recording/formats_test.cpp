/// \file
/// The accesses that the runtime derives from the formats of `printf` and `scanf`, against the C library itself: random
/// formats, with positions and without. Texts are placed before an unreadable page; targets are filled with two
/// patterns, and a byte that keeps both was not written.
#include "capture/runtime/interceptors/formats.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define OMEN_TEST_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OMEN_TEST_ADDRESS_SANITIZER
#endif
#endif
#ifdef OMEN_TEST_ADDRESS_SANITIZER
/// AddressSanitizer's own check of formats reads beyond texts that a precision truncates.
extern "C" const char* __asan_default_options() {
  return "check_printf=0";
}
#endif

namespace omen::formats {
namespace {

/// The arguments of a call, all on the stack, as x86-64 passes those that do not fit into registers.
class Arguments {
 public:
  void add(std::uint64_t word) { words_.push_back(word); }
  void add(const void* pointer) { add(reinterpret_cast<std::uint64_t>(pointer)); }
  void add(double value) {
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    add(word);
  }
  void add(long double value) {
    if (words_.size() % 2 != 0) words_.push_back(0);
    std::uint64_t two[2] = {};
    std::memcpy(two, &value, 10);
    add(two[0]);
    add(two[1]);
  }
  /// Passes `call` a fresh argument list.
  template <class Call>
  auto with_list(Call call) {
    alignas(16) std::uint64_t memory[256] = {};
    std::copy(words_.begin(), words_.end(), memory);
    va_list list;
    // 48 and 176: all registers are used up.
    const struct {
      unsigned general;
      unsigned floating;
      void* rest;
      void* registers;
    } stack{48, 176, memory, nullptr};
    static_assert(sizeof stack == sizeof(va_list));
    std::memcpy(static_cast<void*>(&list), &stack, sizeof stack);
    return call(list);
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Memory that ends at an unreadable page.
class Edge {
 public:
  Edge()
      : memory_(
            static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(memory_ + kPage, kPage, PROT_NONE);
  }
  ~Edge() { munmap(memory_, 2 * kPage); }
  Edge(const Edge&) = delete;
  Edge& operator=(const Edge&) = delete;
  char* last(std::size_t bytes) { return memory_ + kPage - bytes; }

 private:
  static constexpr std::size_t kPage = 4096;
  char* memory_;
};

using Random = std::mt19937_64;
std::size_t pick(Random& random, std::size_t count) {
  return static_cast<std::size_t>(random() % count);
}

struct Range {
  const void* memory;
  std::size_t bytes;
  bool operator==(const Range&) const = default;
};

/// A format for `printf`, its arguments, and their expected accesses.
struct PrintCase {
  std::string format;
  Arguments arguments;
  std::vector<Range> texts;
  std::vector<Range> counts;
};

PrintCase make_print(Random& random, std::vector<Edge>& edges, std::vector<std::uint64_t>& counts) {
  PrintCase made;
  const bool by_position = pick(random, 3) == 0;
  const std::size_t conversions = 1 + pick(random, edges.size());
  std::size_t position = 0;
  for (std::size_t i = 0; i < conversions; ++i) {
    made.format += pick(random, 2) == 0 ? "text " : "%%";
    std::string precision;
    // Arguments before the conversion's own one come from lower positions.
    if (const std::size_t kind = pick(random, 6); kind == 0) {
      made.arguments.add(std::uint64_t{3});
      ++position;
      precision = by_position ? "*" + std::to_string(position) + "$" : "*";
    } else if (kind == 1) {
      precision = std::to_string(1 + pick(random, 9));
    }
    std::string bound;
    std::size_t most = kUnlimited;
    const std::size_t what = pick(random, 8);
    if (what < 3 && pick(random, 2) == 0) {
      most = pick(random, 6);
      if (pick(random, 2) == 0) {
        made.arguments.add(std::uint64_t{most});
        ++position;
        bound = by_position ? ".*" + std::to_string(position) + "$" : ".*";
      } else {
        bound = "." + std::to_string(most);
      }
    }
    ++position;
    made.format += "%" + (by_position ? std::to_string(position) + "$" : "") +
                   (what < 7 && pick(random, 4) == 0 ? "-" : "") + (what < 7 ? precision : "");
    if (what >= 7 && precision.starts_with('*')) made.format += precision;  // a width that %n ignores
    made.format += bound;
    if (what < 2) {
      const std::size_t length = pick(random, 8);
      // Without a terminator if the precision makes the function stop before it.
      const bool ends = most > length;
      const std::size_t bytes = ends ? length + 1 : most;
      char* const text = edges[i].last(bytes);
      std::memset(text, 'x', bytes);
      if (ends) text[length] = 0;
      made.arguments.add(text);
      made.texts.push_back({text, bytes});
      made.format += "s";
    } else if (what == 2) {
      const std::size_t length = pick(random, 8);
      const bool ends = most > length;
      const std::size_t characters = ends ? length + 1 : most;
      char* const text = edges[i].last(characters * sizeof(wchar_t));
      for (std::size_t k = 0; k < characters; ++k) {
        const wchar_t c = ends && k == length ? L'\0' : L'w';
        std::memcpy(text + k * sizeof c, &c, sizeof c);
      }
      made.arguments.add(text);
      made.texts.push_back({text, characters * sizeof(wchar_t)});
      made.format += pick(random, 2) == 0 ? "ls" : "S";
    } else if (what == 3) {
      made.arguments.add(2.5);
      made.format += std::string(1, "eEfFgGaA"[pick(random, 8)]);
    } else if (what == 4) {
      made.arguments.add(2.5L);
      made.format += "L" + std::string(1, "efga"[pick(random, 4)]);
    } else if (what == 5) {
      made.arguments.add(std::uint64_t{65});
      made.format += pick(random, 2) == 0 ? "c" : "d";
    } else if (what == 6) {
      const char* const lengths[] = {"hh", "h", "", "l", "ll", "j", "z", "t"};
      made.arguments.add(std::uint64_t{7});
      made.format += lengths[pick(random, 8)] + std::string(1, "diouxX"[pick(random, 6)]);
    } else {
      const std::pair<const char*, std::size_t> lengths[] = {{"hh", 1}, {"h", 2},  {"", 4},
                                                             {"l", 8},  {"ll", 8}, {"z", 8}};
      const auto& [name, bytes] = lengths[pick(random, 6)];
      made.arguments.add(&counts[i]);
      made.counts.push_back({&counts[i], bytes});
      made.format += std::string(name) + "n";
    }
  }
  return made;
}

TEST(Formats, PrintfReadsTextsAndWritesCounts) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  std::size_t texts = 0;
  std::size_t counts_seen = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Edge> edges(6);
    std::vector<std::uint64_t> counts(6);
    PrintCase made = make_print(random, edges, counts);
    SCOPED_TRACE(made.format);
    std::vector<Range> read;
    std::vector<Range> counted;
    made.arguments.with_list([&](va_list list) {
      const Printed<char> printed(made.format.c_str(), list);
      printed.for_each_text([&](const void* memory, std::size_t bytes) {
        if (bytes != 0) read.push_back({memory, bytes});
      });
      printed.for_each_count([&](void* memory, std::size_t bytes) { counted.push_back({memory, bytes}); });
    });
    std::erase_if(made.texts, [](const Range& range) { return range.bytes == 0; });
    ASSERT_EQ(read, made.texts);
    ASSERT_EQ(counted, made.counts);
    // The C library agrees: it reads no more, and writes as many bytes of each count.
    std::vector<std::uint64_t> kept(counts.size(), ~std::uint64_t{0});
    for (const std::uint64_t fill : {0xaaaaaaaaaaaaaaaaULL, 0x5555555555555555ULL}) {
      std::ranges::fill(counts, fill);
      char room[4096];
      ASSERT_GE(made.arguments.with_list(
                    [&](va_list list) { return std::vsnprintf(room, sizeof room, made.format.c_str(), list); }),
                0);
      for (std::size_t i = 0; i < counts.size(); ++i) {
        for (int byte = 0; byte < 8; ++byte) {
          const std::uint64_t mask = std::uint64_t{0xff} << (8 * byte);
          if ((counts[i] & mask) != (fill & mask)) kept[i] &= ~mask;
        }
      }
    }
    for (const Range& range : counted) {
      const auto& count =
          kept[static_cast<std::size_t>(static_cast<const std::uint64_t*>(range.memory) - counts.data())];
      ASSERT_EQ(count, range.bytes == 8 ? 0 : ~std::uint64_t{0} << (8 * range.bytes));
    }
    texts += read.size();
    counts_seen += counted.size();
  }
  EXPECT_GT(texts, 1000U);
  EXPECT_GT(counts_seen, 300U);
}

TEST(Formats, ScanfWritesItsTargets) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  struct Piece {
    const char* conversion;
    const char* text;
    bool counts;  // %n
    bool suppressed;
  };
  const Piece pieces[] = {
      {"%d", "12 ", false, false},       {"%hd", "13 ", false, false},   {"%hhu", "14 ", false, false},
      {"%ld", "15 ", false, false},      {"%llx", "ff ", false, false},  {"%zu", "5 ", false, false},
      {"%f", "1.5 ", false, false},      {"%lf", "2.5 ", false, false},  {"%Lf", "3.5 ", false, false},
      {"%s", "word ", false, false},     {"%3s", "four", false, false},  {" %[a-f]", "abc ", false, false},
      {" %[^]x]", "yz] ", false, false}, {"%ls", "wide ", false, false}, {" %c", "c ", false, false},
      {" %4c", "four", false, false},    {"%p", "0x10 ", false, false},  {"%n", "", true, false},
      {"%*d", "77 ", false, true},       {" y", "y ", false, true},      {" %%", "% ", false, true},
      {"%a", "0x1p3 ", false, false}};
  constexpr std::size_t kTargets = 8;
  constexpr std::size_t kBytes = 64;
  std::size_t exact = 0;
  std::size_t stopped = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string format;
    std::string text;
    std::vector<bool> counts;
    for (std::size_t i = 0; i < kTargets; ++i) {
      const Piece& piece = pieces[pick(random, std::size(pieces))];
      format += piece.conversion;
      text += piece.text;
      if (!piece.suppressed) counts.push_back(piece.counts);
    }
    if (pick(random, 2) == 0) text.resize(pick(random, text.size() + 1));
    SCOPED_TRACE(format + " of " + text);
    alignas(16) unsigned char targets[2][kTargets][kBytes];
    bool written[kTargets][kBytes] = {};
    bool said[kTargets][kBytes] = {};
    int result = 0;
    for (int pass = 0; pass < 2; ++pass) {
      const int fill = pass == 0 ? 0xaa : 0x55;
      std::memset(targets[pass], fill, sizeof targets[pass]);
      Arguments arguments;
      for (std::size_t i = 0; i < kTargets; ++i) arguments.add(targets[pass][i]);
      result = arguments.with_list([&](va_list list) { return std::vsscanf(text.c_str(), format.c_str(), list); });
      for (std::size_t i = 0; i < kTargets; ++i) {
        for (std::size_t k = 0; k < kBytes; ++k) written[i][k] |= targets[pass][i][k] != fill;
      }
      if (pass == 0) continue;
      arguments.with_list([&](va_list list) {
        const Scanned<char> scanned(format.c_str(), list, false);
        scanned.for_each_written(result, [&](void* memory, std::size_t bytes) {
          const auto at = static_cast<std::size_t>(static_cast<unsigned char*>(memory) - targets[1][0]);
          for (std::size_t k = 0; k < bytes; ++k) said[at / kBytes][at % kBytes + k] = true;
        });
      });
    }
    std::size_t last = kTargets;  // the target that was assigned last
    for (std::size_t i = 0, assigned = 0; i < counts.size() && result > 0; ++i) {
      if (!counts[i] && ++assigned == static_cast<std::size_t>(result)) last = i;
    }
    for (std::size_t i = 0; i < kTargets; ++i) {
      for (std::size_t k = 0; k < kBytes; ++k) {
        // A long double may be stored with or without its padding.
        if (said[i][k] && !written[i][k]) {
          ASSERT_TRUE(k >= 10 && k < 16) << "target " << i << " byte " << k;
        }
        if (written[i][k] && !said[i][k]) {
          // The result does not tell whether a %n with no assignment after it is reached, nor how many characters the
          // last conversion found.
          ASSERT_TRUE(i >= counts.size() || counts[i] || i == last) << "target " << i << " byte " << k;
          ++stopped;
        }
      }
    }
    ++exact;
  }
  EXPECT_EQ(exact, 5000U);
  EXPECT_GT(stopped, 0U);
}

TEST(Formats, WideFormatsAndThoseThatEndEarly) {
  wchar_t wide[] = L"wide";
  char narrow[] = "narrow";
  Arguments arguments;
  arguments.add(wide);
  arguments.add(narrow);
  arguments.with_list([&](va_list list) {
    std::vector<Range> read;
    const Printed<wchar_t> printed(L"%ls %s %", list);
    printed.for_each_text([&](const void* memory, std::size_t bytes) { read.push_back({memory, bytes}); });
    EXPECT_EQ(read, (std::vector<Range>{{wide, sizeof wide}, {narrow, sizeof narrow}}));
    // An unknown conversion: the arguments after it are ignored.
    read.clear();
    const Printed<char> unknown("%Q %s", list);
    unknown.for_each_text([&](const void* memory, std::size_t bytes) { read.push_back({memory, bytes}); });
    EXPECT_TRUE(read.empty());
  });
}

}  // namespace
}  // namespace omen::formats
