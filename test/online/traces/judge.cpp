/// \file
/// Judges the detector of the running program on random programs: batches in processes of their own, each judged
/// against the definitions. One batch of eight is recorded too, and one is counted: these are other paths through the
/// detector. The first program that is judged wrong is made as short as it can be, and printed.
///
/// Usage: judge ANALYSIS TRACES [SEED]      random programs
///        judge ANALYSIS --again FILE...    written ones, as they are printed
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "test/online/traces/comparison.hpp"
#include "test/online/traces/generator.hpp"

namespace omen::traces {
namespace {

constexpr std::size_t kBatch = 250;

struct Analysis {
  const char* name;
  Relation relation;
};
constexpr std::array<Analysis, 4> kAnalyses{{
    {"fto-hb", Relation::Hb},
    {"st-wcp", Relation::Wcp},
    {"st-dc", Relation::Dc},
    {"st-wdc", Relation::Wdc},
}};

/// The contents of the programs: a test without any event of a kind does not cover it.
struct Seen {
  std::size_t programs = 0;
  std::size_t steps = 0;
  std::size_t racy = 0;
  std::size_t unlike_hb = 0;  ///< the first race is not that of happens-before
  std::size_t reports = 0;
  std::size_t predicted = 0;
  std::array<std::size_t, kOpCount> with{};  ///< by operation: programs with it
  std::size_t with_attempt = 0;
  std::size_t with_mixed = 0;   ///< memory that is accessed plainly and atomically
  std::size_t with_parts = 0;   ///< accesses that overlap, and are not of the same bytes
  std::size_t with_across = 0;  ///< an access in two lines
  std::size_t with_nested = 0;  ///< a section in a section

  void add(const Seen& other) {
    const auto* const from = reinterpret_cast<const std::size_t*>(&other);
    auto* const to = reinterpret_cast<std::size_t*>(this);
    for (std::size_t i = 0; i < sizeof *this / sizeof(std::size_t); ++i) to[i] += from[i];
  }
};

/// The result of a batch's process.
struct Result {
  bool done;
  std::size_t wrong;  ///< which program; `kNone`: none
  std::array<char, 2000> why;
  Seen seen;
  static constexpr std::size_t kNone = ~std::size_t{0};
};

void count(const Program& program, Seen& seen) {
  ++seen.programs;
  seen.steps += program.steps.size();
  std::array<bool, kOpCount> with{};
  bool attempt = false;
  bool mixed = false;
  bool parts = false;
  bool across = false;
  bool nested = false;
  std::array<int, kMostThreads> depth{};
  for (const Step& step : program.steps) {
    if (step.refused) {
      attempt = true;
      continue;
    }
    with[static_cast<std::size_t>(step.op)] = true;
    if (step.op == Op::Acquire || step.op == Op::AcquireShared) nested |= ++depth[step.thread] > 1;
    if (step.op == Op::Release || step.op == Op::ReleaseShared) --depth[step.thread];
    if (!is_memory(step.op)) continue;
    across |= step.offset % 64 + step.bytes > 64;
    for (const Step& other : program.steps) {
      if (!is_memory(other.op) || other.offset >= step.offset + step.bytes || step.offset >= other.offset + other.bytes)
        continue;
      mixed |= is_atomic(step.op) != is_atomic(other.op);
      parts |= step.offset != other.offset || step.bytes != other.bytes;
    }
  }
  for (std::size_t i = 0; i < kOpCount; ++i) seen.with[i] += with[i];
  seen.with_attempt += attempt;
  seen.with_mixed += mixed;
  seen.with_parts += parts;
  seen.with_across += across;
  seen.with_nested += nested;
}

class Judge {
 public:
  explicit Judge(const Analysis& analysis) : analysis_(analysis) {
    std::string pattern = (std::filesystem::temp_directory_path() / "omen-traces-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
    result_ = new (mmap(nullptr, sizeof(Result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Result;
  }
  ~Judge() { std::filesystem::remove_all(folder_); }
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  /// One program of each file.
  int again(const std::vector<std::string>& files) {
    bool all_right = true;
    for (const std::string& file : files) {
      std::ifstream in(file);
      const std::string text((std::istreambuf_iterator<char>(in)), {});
      const std::string why = judged({possible_part(parse(text))});
      if (!why.empty()) fmt::print("{}, {}: {}\n", analysis_.name, file, why);
      all_right &= !text.empty() && why.empty();
    }
    return all_right ? 0 : 1;
  }

  int run(std::size_t traces, std::uint64_t seed) {
    const auto start = std::chrono::steady_clock::now();
    Seen seen;
    for (std::size_t done = 0; done < traces; done += kBatch) {
      how_.records = done / kBatch % 8 == 3;
      how_.counts = done / kBatch % 8 == 6;
      const std::vector<Program> programs = batch(seed + done, std::min(kBatch, traces - done));
      judge(programs);
      if (!is_right()) return tell(programs, seed + done);
      seen.add(result_->seen);
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    print(seen, seed);
    fmt::print("{:.1f} s\n", seconds.count());
    return is_vacuous(seen) ? 1 : 0;
  }

 private:
  std::vector<Program> batch(std::uint64_t seed, std::size_t count) const {
    std::vector<Program> programs;
    programs.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      programs.push_back(generate(seed + i, analysis_.relation));
      programs.back().recorded = how_.records;
    }
    return programs;
  }

  bool is_right() const { return result_->done && result_->wrong == Result::kNone; }

  /// In a process of its own.
  void judge(const std::vector<Program>& programs) {
    new (result_) Result{.done = false, .wrong = Result::kNone, .why = {}, .seen = {}};
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) std::abort();
    if (child == 0) {
      judge_here(programs);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    for (const auto& file : std::filesystem::directory_iterator(folder_)) std::filesystem::remove_all(file.path());
    if (!result_->done) wrong(result_->wrong, fmt::format("the process ended with status {:#x}", status));
  }
  void wrong(std::size_t which, const std::string& why) {
    result_->wrong = which == Result::kNone ? 0 : which;
    std::snprintf(result_->why.data(), result_->why.size(), "%s", why.c_str());
  }

  void judge_here(const std::vector<Program>& programs) {
    Detector detector(how_, folder_);
    std::vector<std::size_t> first;
    std::size_t next = 1;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      first.push_back(next);
      result_->wrong = i;  // if the process ends here
      detector.run(programs[i], next);
      next += programs[i].steps.size();
    }
    result_->wrong = Result::kNone;
    std::vector<std::vector<Report>> reports(programs.size());
    for (Report report : detector.reports()) {
      const auto program = std::ranges::upper_bound(first, report.now) - first.begin() - 1;
      const auto which = static_cast<std::size_t>(program);
      if (report.now == Report::kUnknown || program < 0) {
        wrong(0, "reports a race of no step");
        break;
      }
      report.now -= first[which];
      if (report.earlier != Report::kUnknown) report.earlier -= first[which];
      reports[which].push_back(report);
    }
    if (const std::string why = detector.incomplete(); !why.empty()) wrong(programs.size() - 1, why);
    for (std::size_t i = 0; i < programs.size() && result_->wrong == Result::kNone; ++i) {
      judge_one(programs[i], reports[i], i);
    }
    result_->done = true;
  }

  void judge_one(const Program& program, const std::vector<Report>& reports, std::size_t which) {
    const Verdict truth = define(program, analysis_.relation);
    if (const std::string why = disagreement(program, analysis_.relation, truth, reports); !why.empty()) {
      return wrong(which, why);
    }
    Seen& seen = result_->seen;
    count(program, seen);
    seen.racy += truth.has_race();
    seen.unlike_hb += !reports.empty() && !reports.front().observed;
    seen.reports += reports.size();
    seen.predicted += static_cast<std::size_t>(std::ranges::count(reports, false, &Report::observed));
  }

  // ---- Failures.

  std::string judged(const std::vector<Program>& programs) {
    judge(programs);
    return is_right() ? "" : result_->why.data();
  }

  int tell(std::vector<Program> programs, std::uint64_t seed) {
    const std::size_t which = result_->wrong;
    fmt::print("{}{}{}, seed {}: {}\n", analysis_.name, how_.records ? ", recording" : "",
               how_.counts ? ", counting" : "", seed + which, result_->why.data());
    programs.resize(which + 1);
    // By itself, or after some of those before it?
    std::vector<Program> few{programs.back()};
    std::string why = judged(few);
    for (std::size_t n = 1; why.empty() && n < programs.size(); n *= 2) {
      few.assign(programs.end() - static_cast<std::ptrdiff_t>(std::min(2 * n, programs.size())), programs.end());
      why = judged(few);
    }
    if (why.empty()) {
      fmt::print("not again with the same programs\n");
      return 1;
    }
    shrink(few);
    why = judged(few);
    if (few.size() > 1) fmt::print("only after {} other programs in the same process\n", few.size() - 1);
    for (const Program& program : few) fmt::print("{}\n", to_text(program));
    fmt::print("{}: {}\n", analysis_.name, why);
    return 1;
  }

  /// Leaves out and simplifies as long as something is wrong.
  void shrink(std::vector<Program>& programs) {
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (std::size_t p = 0; p + 1 < programs.size(); ++p) {
        std::vector<Program> fewer = programs;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(p));
        smaller |= keep_if_wrong(programs, std::move(fewer));
      }
      for (std::size_t p = programs.size(); p-- > 0;) smaller |= shrink_one(programs, p);
    }
  }
  bool shrink_one(std::vector<Program>& programs, std::size_t p) {
    bool smaller = false;
    for (std::size_t length = programs[p].steps.size() / 2; length > 0; length /= 2) {
      for (std::size_t at = programs[p].steps.size(); at-- > 0;) {
        if (at + length > programs[p].steps.size()) continue;
        std::vector<Program> fewer = programs;
        auto& steps = fewer[p].steps;
        steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(at),
                    steps.begin() + static_cast<std::ptrdiff_t>(at + length));
        fewer[p] = possible_part(fewer[p]);
        if (fewer[p].steps.size() < programs[p].steps.size()) smaller |= keep_if_wrong(programs, std::move(fewer));
      }
    }
    for (std::size_t at = 0; at < programs[p].steps.size(); ++at) {
      smaller |= simplify(programs, p, at);
    }
    return smaller;
  }
  /// A step by the plainest function, of as few bytes as can be.
  bool simplify(std::vector<Program>& programs, std::size_t p, std::size_t at) {
    const Step& step = programs[p].steps[at];
    if (!is_access(step.op) || step.op == Op::Free) return false;
    for (std::uint16_t bytes = 1; bytes <= 8; bytes = static_cast<std::uint16_t>(2 * bytes)) {
      if (step.form == Form::Sized && step.bytes <= bytes) return false;
      std::vector<Program> simpler = programs;
      Step& other = simpler[p].steps[at];
      other.bytes = bytes;
      other.form = Form::Sized;
      other.mask = 0;
      if (step.offset % bytes == 0 && keep_if_wrong(programs, std::move(simpler))) return true;
    }
    return false;
  }
  bool keep_if_wrong(std::vector<Program>& programs, std::vector<Program> other) {
    if (judged(other).empty() || result_->wrong != other.size() - 1) return false;
    programs = std::move(other);
    return true;
  }

  // ---- Coverage.

  void print(const Seen& seen, std::uint64_t seed) const {
    fmt::print(
        "{}: {} programs (seeds {} to {}), {} steps, {} racy, {} where happens-before has "
        "another first race, {} races "
        "reported, {} of "
        "them predicted; programs with failed attempts {}, mixed memory {}, accesses that overlap in part {}, accesses "
        "across lines {}, nested sections {}",
        analysis_.name, seen.programs, seed, seed + seen.programs - 1, seen.steps, seen.racy, seen.unlike_hb,
        seen.reports, seen.predicted, seen.with_attempt, seen.with_mixed, seen.with_parts, seen.with_across,
        seen.with_nested);
    for (const OpTraits& op : kOpTraits) fmt::print(", {} {}", op.name, seen.with[static_cast<std::size_t>(op.op)]);
    fmt::print("\n");
  }

  bool is_vacuous(const Seen& seen) const {
    if (seen.programs < 2000) return false;  // too few to say what they exercise
    const auto rare = [&](const char* what, std::size_t there, std::size_t of) {
      const bool is_rare = there * of < seen.programs;
      if (is_rare) fmt::print("fewer than one program of {} has {}\n", of, what);
      return is_rare;
    };
    bool vacuous = rare("a race", seen.racy, 4) | rare("no race", seen.programs - seen.racy, 4) |
                   rare("a failed attempt", seen.with_attempt, 50) | rare("mixed memory", seen.with_mixed, 50) |
                   rare("accesses that overlap in part", seen.with_parts, 10) |
                   rare("accesses across lines", seen.with_across, 20) | rare("nested sections", seen.with_nested, 10);
    for (const OpTraits& op : kOpTraits) {
      if (op.op != Op::Begin) vacuous |= rare(op.name.data(), seen.with[static_cast<std::size_t>(op.op)], 200);
    }
    if (analysis_.relation != Relation::Hb) {
      vacuous |= rare("a first race that happens-before orders", seen.unlike_hb, 40);
    }
    return vacuous;
  }

  const Analysis& analysis_;
  Detector::How how_{analysis_.name};
  std::string folder_;
  Result* result_;
};

}  // namespace
}  // namespace omen::traces

int main(int count, char** words) {
  using namespace omen::traces;
  const auto analysis = std::ranges::find_if(
      kAnalyses, [&](const auto& known) { return count > 1 && std::strcmp(known.name, words[1]) == 0; });
  if (count < 3 || analysis == kAnalyses.end()) {
    fmt::print(stderr, "usage: judge fto-hb|st-wcp|st-dc|st-wdc TRACES [SEED] | --again FILE...\n");
    return 64;
  }
  Judge judge(*analysis);
  if (std::strcmp(words[2], "--again") == 0) return judge.again({words + 3, words + count});
  return judge.run(std::strtoull(words[2], nullptr, 10), count > 3 ? std::strtoull(words[3], nullptr, 10) : 1);
}
