#include "capture/recording/survey.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "capture/recording/lock_tracker.hpp"
#include "capture/recording/merge.hpp"

namespace omen::recording {

using raw::RawOp;

namespace {

/// Stacks, modules, names: what the records define besides events.
class Definitions {
 public:
  Definitions(CaptureInfo& info, std::string& suppressions, std::uint64_t most)
      : info_(info), suppressions_(suppressions), most_(most) {
    info_.stacks.resize(1);
  }

  void take(std::uint32_t thread, const Entry& entry, ThreadCursor& cursor) {
    switch (entry.op) {
      case RawOp::DefineNode:
        define(entry.node, cursor.more(), entry.address);
        return;
      case RawOp::Module: {
        Module module;
        module.begin = entry.address;
        module.end = cursor.more();
        module.bias = cursor.more();
        module.path = cursor.text();
        module.build_id = cursor.text();
        const bool known = std::ranges::any_of(info_.modules, [&](const Module& other) {
          return other.begin == module.begin && other.path == module.path;
        });
        if (!known) info_.modules.push_back(std::move(module));
        return;
      }
      case RawOp::ThreadName:
        this->thread(entry.address).name = cursor.text();
        return;
      case RawOp::ThreadSystemId:
        this->thread(entry.address).system_id = cursor.more();
        return;
      case RawOp::Fork: {
        ThreadInfo& child = this->thread(entry.address);
        child.creator = ThreadId{thread};
        child.creation_stack = entry.node;
        return;
      }
      case RawOp::FirstFrame:
        info_.first_frame = entry.address;
        return;
      case RawOp::Note:
        note(cursor.text());
        return;
      case RawOp::Options:
        info_.options = cursor.text();
        return;
      case RawOp::Suppressions:
        suppressions_.clear();
        for (std::uint64_t i = 0; i < std::min(entry.address, most_); ++i) suppressions_ += cursor.text();
        return;
      case RawOp::Command:
        info_.command.clear();
        for (std::uint64_t i = 0; i < std::min(entry.address, most_); ++i) {
          info_.command.push_back(cursor.text());
        }
        return;
      default:
        return;
    }
  }

 private:
  void note(std::string text) {
    if (std::ranges::find(info_.notes, text) == info_.notes.end()) info_.notes.push_back(std::move(text));
  }
  void define(std::uint32_t node, std::uint64_t parent, std::uint64_t pc) {
    if (node == 0 || node >= most_ || parent >= node) return;
    if (node >= info_.stacks.size()) info_.stacks.resize(node + 1);
    info_.stacks[node] = {static_cast<std::uint32_t>(parent), pc};
  }
  ThreadInfo& thread(std::uint64_t id) {
    static ThreadInfo nobody;
    if (id >= most_) return nobody;
    if (id >= info_.threads.size()) info_.threads.resize(id + 1);
    return info_.threads[id];
  }

  CaptureInfo& info_;
  std::string& suppressions_;
  std::uint64_t most_;  ///< a greater number is damage, for which nothing is allocated
};

std::string stop_note(const raw::RawFileHeader& header) {
  switch (header.stop) {
    case raw::Stop::SizeLimit:
      return "recording stopped at the size limit (max_trace_mb); what the program did after that was not seen";
    case raw::Stop::NoSpace:
      return "recording stopped, the disk was full; what the program did after that was not seen";
    case raw::Stop::Reserve:
      return "recording stopped, the disk was nearly full; what the program did after that was not seen";
    case raw::Stop::NoFile:
      return "recording stopped, its file could not be opened any more; what the program did after that was not seen";
    default:
      return "recording stopped, there was no memory left; what the program did after that was not seen";
  }
}

/// Follows the locks that had failed attempts.
class RefusalPass {
 public:
  RefusalPass(Refusals& refusals, std::size_t threads) : refusals_(refusals), latest_(threads) {}

  void take(std::uint32_t thread, const Entry& entry, LockTracker& locks) {
    if (entry.op == RawOp::DefineNode) return;  // not an operation of the thread
    const std::uint64_t before = std::exchange(latest_[thread], entry.number);
    if (is_lock_step(entry.op)) step(thread, entry, before, locks);
    refusals_.goes_on(thread);
    if (entry.op == RawOp::Refused) {
      refusals_.attempt(thread, entry.address, entry.number, before, entry.length != 0, entry.node);
    }
  }

 private:
  void step(std::uint32_t thread, const Entry& entry, std::uint64_t before, LockTracker& locks) {
    if (!refusals_.expected(entry.address)) {
      locks.step(thread, entry.op, entry.address);
      return;
    }
    const bool held = locks.holds(thread, entry.address);
    locks.step(thread, entry.op, entry.address);
    const bool holds = locks.holds(thread, entry.address);
    if (!held && holds) {
      refusals_.section_begins({.thread = thread,
                                .lock = entry.address,
                                .number = entry.number,
                                .before = before,
                                .shared = entry.op == RawOp::AcquireShared,
                                .by_attempt = entry.length != 0 && entry.op != RawOp::Wake,
                                .after_wait = entry.op == RawOp::Wake});
    } else if (held && !holds) {
      refusals_.section_ends(thread, entry.address, entry.number);
    }
  }

  Refusals& refusals_;
  std::vector<std::uint64_t> latest_;  ///< by thread: the number of its latest record
};

}  // namespace

void Survey::end_before(std::uint64_t number) {
  end_number = number;
  stopped = true;
  info.notes.emplace_back("the analysis was interrupted; what the program did after that was not looked at");
}

Survey survey(const RawFile& file, Stop& stop) {
  Survey result;
  if (file.header().stop != raw::Stop::None) {
    result.end_number = file.header().stop_number + 1;
    result.stopped = true;
    result.info.notes.push_back(stop_note(file.header()));
  }
  result.info.process = file.header().process;
  Definitions definitions(result.info, result.suppressions, file.records());
  LockTracker locks;
  std::set<std::uint32_t> vptr_writes;
  bool has_values = false;
  // Definitions count wherever they are: another thread may use a node before it appears in the order of the run.
  for (std::uint32_t thread = 0; thread < file.threads().size(); ++thread) {
    ThreadCursor cursor(file.threads()[thread]);
    Entry entry;
    while (cursor.next_long(entry)) {
      definitions.take(thread, entry, cursor);
      if (entry.op == RawOp::Refused) result.refusals.expect(entry.address);
      if (entry.op == RawOp::Value) has_values = true;
      if (entry.op == RawOp::SyncRefused) result.found_empty.insert(entry.address);
    }
  }
  result.nodes.learn(result.info.stacks);
  std::vector<MixedMemory::Range> freed;
  RefusalPass refusals(result.refusals, file.threads().size());
  const bool any_refused = result.refusals.any_expected();
  for_each_entry(file, result.end_number, [&](std::uint32_t thread, const Entry& entry, ThreadCursor&) {
    if (stop.is_now()) [[unlikely]] {
      result.end_before(entry.number);
      return false;
    }
    const std::uint64_t begin = entry.address;
    if (touches_memory(entry.op) && entry.length > kLongestAccess) return true;
    locks.before(thread, entry.op, entry.address);
    if (any_refused) refusals.take(thread, entry, locks);
    if (is_plain_access(entry.op)) {
      result.memory.plain(begin, begin + entry.length, thread);
      if (entry.op == RawOp::VptrWrite) vptr_writes.insert(entry.node);
    } else if (is_atomic_access(entry.op)) {
      result.mixed.atomic(begin, raw::bytes_of_atomic(entry.length), thread);
    } else if (is_lock_step(entry.op)) {
      if (entry.op == RawOp::Acquire || entry.op == RawOp::AcquireShared) result.mixed.atomic(begin, 1, thread);
      if (!any_refused) locks.step(thread, entry.op, entry.address);
    } else if (entry.op == RawOp::NewMemory && entry.node == 0) {
      // Only a thread's own stack comes without a code location.
      result.info.thread_stacks.push_back({ThreadId{thread}, begin, begin + entry.length});
    } else if (entry.op == RawOp::Allocate || entry.op == RawOp::NewMemory) {
      result.memory.touch(begin, begin + std::min(entry.length, kAllocatedBytes), thread);
    } else if (entry.op == RawOp::Free) {
      freed.emplace_back(begin, begin + entry.length);
      result.memory.touch(begin, begin + std::min(entry.length, kFreedBytes), thread);
    } else if (entry.op == RawOp::Opaque) {
      result.hidden_locks.insert(begin);
    } else if (entry.op == RawOp::AcquireAll) {
      result.acquires_all = true;
    } else if (entry.op == RawOp::Benign) {
      result.memory.cut(begin, begin + entry.length);
      result.info.benign.push_back({begin, begin + entry.length});
    }
    return true;
  });
  if (has_values) result.memory.cut_to_widths();
  result.mixed.seal(result.memory, std::move(freed));
  result.info.vptr_writes.assign(vptr_writes.begin(), vptr_writes.end());
  result.irregular_locks = locks.irregular();
  result.interrupted_waits = locks.interrupted();
  result.threads = static_cast<std::uint32_t>(std::max(file.threads().size(), result.info.threads.size()));
  result.info.threads.resize(result.threads);
  return result;
}

}  // namespace omen::recording
