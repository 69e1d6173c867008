#include "report/perfetto.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/explain.hpp"
#include "report/frames.hpp"
#include "report/json_text.hpp"
#include "report/text_parts.hpp"

namespace omen::report {
namespace {

constexpr std::size_t kEnough = std::size_t{1} << 16;

/// One of the two accesses of a race.
struct Mark {
  std::size_t race = 0;
  std::size_t side = 0;
};

class Writer {
 public:
  Writer(const SourceMap& map, const RunReport& report, ByteSink& out)
      : map_(map), trace_(map.trace()), report_(report), out_(out), held_(trace_.threads()), begun_(trace_.threads()) {
    for (std::size_t i = 0; i < report.races.size(); ++i) {
      for (std::size_t side = 0; side < 2; ++side) marks_.emplace(report.races[i].accesses[side].event, Mark{i, side});
    }
  }

  std::expected<void, InputError> write() {
    text_ = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
    const std::string program = report_.command.empty() ? "recorded program" : command_line(report_.command);
    add("M", 0, 0, "process_name", fmt::format("\"args\": {{\"name\": {}}}", json_string(program)));
    for (std::size_t t = 0; t < trace_.threads(); ++t) name_thread(ThreadId{static_cast<std::uint32_t>(t)});
    for (std::uint64_t i = 0; i < trace_.size(); ++i) {
      event(i, trace_.events[i]);
      if (text_.size() >= kEnough) flush();
    }
    for (std::size_t t = 0; t < held_.size(); ++t) {
      while (!held_[t].empty()) close(t, trace_.size());
      if (begun_[t]) add("E", t, trace_.size(), "", "");
    }
    text_ += "\n]}\n";
    flush();
    if (failed_) return std::unexpected(*failed_);
    return out_.commit();
  }

 private:
  void flush() {
    if (!failed_) {
      if (auto written = out_.write(text_); !written) failed_ = std::move(written.error());
    }
    text_.clear();
  }

  /// `more`: further JSON members.
  void add(std::string_view phase, std::size_t thread, std::uint64_t at, std::string_view name, std::string_view more) {
    text_ += std::exchange(separator_, ",\n");
    fmt::format_to(std::back_inserter(text_), R"({{"ph": "{}", "pid": {}, "tid": {}, "ts": {})", phase, report_.process,
                   thread, at);
    if (!name.empty()) text_.append(", \"name\": ").append(json_string(name));
    if (!more.empty()) text_.append(", ").append(more);
    text_ += "}";
  }

  void name_thread(ThreadId thread) {
    std::string name = map_.label(thread);
    if (index(thread) < map_.info().threads.size() && !map_.info().threads[index(thread)].name.empty()) {
      name += " " + map_.info().threads[index(thread)].name;
    }
    add("M", index(thread), 0, "thread_name", fmt::format("\"args\": {{\"name\": {}}}", json_string(name)));
    add("M", index(thread), 0, "thread_sort_index", fmt::format("\"args\": {{\"sort_index\": {}}}", index(thread)));
  }

  std::string at(const Event& event) const {
    return fmt::format(R"("args": {{"at": {}}})", json_string(place_name(map_.user_place(event))));
  }

  void open(std::size_t thread, std::uint64_t time, LockId lock, std::string how) {
    add("B", thread, time, map_.titled(lock), "\"cat\": \"lock\", " + how);
    held_[thread].push_back({lock, std::move(how)});
  }

  void close(std::size_t thread, std::uint64_t time) {
    add("E", thread, time, "", "");
    held_[thread].pop_back();
  }

  void release(std::size_t thread, std::uint64_t time, LockId lock) {
    std::vector<Section> inner;
    auto& mine = held_[thread];
    while (!mine.empty() && mine.back().lock != lock) {
      inner.push_back(std::move(mine.back()));
      close(thread, time);
    }
    if (!mine.empty()) close(thread, time);
    for (std::size_t i = inner.size(); i-- > 0;) open(thread, time, inner[i].lock, std::move(inner[i].how));
  }

  /// One end of an arrow; both ends have the same name and number.
  void arrow(bool begins, std::size_t thread, std::uint64_t time, std::string_view name, std::string_view category,
             std::uint64_t number) {
    add(begins ? "s" : "f", thread, time, name,
        fmt::format(R"("cat": "{}", "id": {}{})", category, number, begins ? "" : R"(, "bp": "e")"));
  }

  void race(std::uint64_t time, std::size_t thread, const Mark& mark) {
    const Race& race = report_.races[mark.race];
    const Access& access = race.accesses[mark.side];
    const std::string name = fmt::format("race: {} {}", name_in(kAccessKindNames, access.kind), subject(race));
    const Frame* const frame = own_place(access.stack);
    const std::string args =
        fmt::format(R"("args": {{"at": {}, "race": {}, "certainty": {}, "fingerprint": {}}})",
                    json_string(frame == nullptr ? "" : place_name(*frame)), json_string(explain(race).what),
                    json_string(certainty_words(race)), json_string(race.fingerprint));
    add("X", thread, time, name, "\"cat\": \"race\", \"dur\": 1, " + args);
    add("i", thread, time, name, "\"cat\": \"race\", \"s\": \"t\", " + args);
    arrow(access.event == std::min(race.accesses[0].event, race.accesses[1].event), thread, time, race.headline(),
          "race", mark.race);
  }

  void event(std::uint64_t time, const Event& event) {
    const std::size_t thread = index(event.thread);
    if (!begun_[thread]) {
      begun_[thread] = true;
      add("B", thread, time, map_.label(event.thread), "\"cat\": \"thread\"");
      if (const auto forked = forks_.find(thread); forked != forks_.end()) {
        arrow(false, thread, time, "fork", "fork", thread);
      }
    }
    switch (event.op) {
      case Op::Acquire:
      case Op::AcquireShared:
      case Op::Wake:
        open(thread, time, event.lock(), at(event));
        break;
      case Op::Release:
      case Op::ReleaseShared:
      case Op::Wait:
        release(thread, time, event.lock());
        break;
      case Op::Fork:
      case Op::Join: {
        const std::string child = map_.label(ThreadId{event.operand});
        add("i", thread, time, (event.op == Op::Fork ? "creates " : "joins ") + child,
            "\"cat\": \"thread\", \"s\": \"t\", " + at(event));
        if (event.op == Op::Fork && forks_.emplace(event.operand, time).second) {
          arrow(true, thread, time, "fork", "fork", event.operand);
        }
        break;
      }
      default:
        break;
    }
    for (auto [mark, end] = marks_.equal_range(time); mark != end; ++mark) race(time, thread, mark->second);
  }

  struct Section {
    LockId lock;
    std::string how;
  };

  const SourceMap& map_;
  const Trace& trace_;
  const RunReport& report_;
  ByteSink& out_;
  std::optional<InputError> failed_;
  std::string text_;
  std::string_view separator_;
  std::vector<std::vector<Section>> held_;      ///< by thread: open slices, outermost first
  std::vector<bool> begun_;                     ///< by thread
  std::map<std::size_t, std::uint64_t> forks_;  ///< by created thread: the time of the fork
  std::multimap<std::uint64_t, Mark> marks_;    ///< by event
};

}  // namespace

std::expected<void, InputError> write_perfetto(const SourceMap& map, const RunReport& report, ByteSink& out) {
  return Writer(map, report, out).write();
}

}  // namespace omen::report
