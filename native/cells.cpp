#include "native/cells.hpp"

#include <algorithm>
#include <array>

namespace omen::native {

using values::Width;

class Cells::Finder {
 public:
  Finder(const Program& program, const Recording& recording, const Run& run)
      : program_(program), recording_(recording), run_(run) {
    cells_.resize(recording.variables.size());
    for (std::size_t i = 0; i < cells_.size(); ++i) initial(cells_[i], program, recording.variables[i]);
    atomics_.resize(recording.atomics.size());
  }

  std::expected<Cells, std::string> find() {
    mark_mixed();
    mark_widths();
    for (bool changed = true; changed;) {
      changed = false;
      if (auto ok = simulate(changed); !ok) return std::unexpected(std::move(ok.error()));
    }
    Cells result;
    result.variables.assign(cells_.begin(), cells_.end());
    result.atomics.assign(atomics_.begin(), atomics_.end());
    add_addresses(result);
    add_history(result);
    return result;
  }

 private:
  struct Cell : MemoryCell {
    // While the recorded order is gone through.
    bool known = true;  ///< `content` is what it holds; `content` empty: what it holds at first, which nobody has read
    std::optional<std::uint64_t> content;
    std::uint32_t writer = kNobody;         ///< the thread that wrote it last, if that was interpreted code
    std::optional<std::uint64_t> previous;  ///< what it held before that write
  };

  /// Memory that was allocated begins with nothing that is known; a program's variable with what its file says.
  static void initial(Cell& cell, const Program& program, const Place& place) {
    if (!place.view && place.bytes != 0) cell.initial = program.initial(place.address, place.bytes);
  }

  /// Memory that is accessed both plainly and atomically.
  void mark_mixed() {
    std::map<std::uint64_t, std::uint64_t> views;  // where they begin, where they end
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const Place& place = recording_.variables[i];
      if (!place.view) continue;
      cells_[i].opaque = true;
      std::uint64_t& end = views[place.address];
      end = std::max(end, place.address + place.bytes);
    }
    const auto overlaps = [&](std::uint64_t begin, std::uint64_t bytes) {
      return std::ranges::any_of(views, [&](const auto& view) {
        return view.first < begin + std::max<std::uint64_t>(bytes, 1) && begin < view.second;
      });
    };
    if (views.empty()) return;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (overlaps(recording_.variables[i].address, recording_.variables[i].bytes)) cells_[i].opaque = true;
    }
    for (std::size_t i = 0; i < atomics_.size(); ++i) {
      if (overlaps(recording_.atomics[i].address, 8)) atomics_[i].opaque = true;
    }
  }

  /// Every access of interpreted code says the width; if they differ, or somebody else uses an atomic, there is none.
  void mark_widths() {
    for (std::size_t i = 0; i < recording_.trace.size(); ++i) {
      const Event& e = recording_.trace.events[i];
      const Note& note = run_.notes[i];
      if (!touches(e.op)) continue;
      Cell& cell = cell_of(e);
      const auto thread = static_cast<std::uint32_t>(index(e.thread));
      cell.shared = cell.shared || (cell.user != kNobody && cell.user != thread);
      cell.user = thread;
      if (note.role == Role::Unknown) {
        if (traits(e.op).operand == OperandKind::Atomic) cell.opaque = true;
        continue;
      }
      if (note.width == 0 || (cell.width != 0 && cell.width != note.width)) cell.opaque = true;
      if (cell.width == 0 && traits(e.op).operand == OperandKind::Atomic) {
        cell.initial = program_.initial(recording_.atomics[e.operand].address, note.width / 8);
      }
      cell.width = note.width;
    }
  }

  /// The recorded order, once. A cell that turns out to be opaque changes nothing of others.
  std::expected<void, std::string> simulate(bool& changed) {
    for (auto* const cells : {&cells_, &atomics_}) {
      for (Cell& cell : *cells) {
        cell.opaque = cell.opaque || cell.width == 0;
        cell.known = true;
        cell.content = cell.initial;
        cell.previous.reset();
        cell.writer = kNobody;
      }
    }
    for (std::size_t i = 0; i < recording_.trace.size(); ++i) {
      const Event& e = recording_.trace.events[i];
      if (!touches(e.op)) continue;
      Cell& cell = cell_of(e);
      if (cell.opaque) continue;
      const Note& note = run_.notes[i];
      if (note.role == Role::Unknown) {
        if (e.op == Op::Read) {
          // Somebody reads it who does not say what: it must be known.
          if (!cell.known || !cell.content) changed = cell.opaque = true;
          continue;
        }
        cell.known = false;
        cell.writer = kNobody;
        cell.content.reset();
        continue;
      }
      if (note.role != Role::Write) {
        const bool is_first = cell.known && !cell.content;
        const bool explained = read(cell, note.recorded);
        const bool too_late =
            !explained && cell.writer != kNobody && cell.writer != index(e.thread) && cell.previous == note.recorded;
        if (too_late || ((is_first || !explained) && is_written_meanwhile(i))) {
          return std::unexpected(run_.trace.names.text(note.location) +
                                 ": a read and a write of another thread may have happened in another order than the "
                                 "recording has; record again");
        }
        if (!explained) {
          changed = cell.opaque = true;
          continue;
        }
      }
      if (note.role != Role::Read) {
        cell.previous = cell.content;
        cell.known = true;
        cell.content = note.role == Role::Rmw ? note.stored : note.recorded;
        cell.writer = static_cast<std::uint32_t>(index(e.thread));
      }
    }
    return {};
  }

  /// An access has its place in the recording before it happens. So a read may see a write that has its place behind
  /// it, but none behind the next event of its own thread.
  bool is_written_meanwhile(std::size_t read) const {
    const Event& r = recording_.trace.events[read];
    for (std::size_t i = read + 1; i < recording_.trace.size(); ++i) {
      const Event& e = recording_.trace.events[i];
      if (e.thread == r.thread) return false;
      const Note& note = run_.notes[i];
      if (e.op == Op::Write && r.op == Op::Read && e.operand == r.operand && note.role == Role::Write &&
          note.recorded == run_.notes[read].recorded) {
        return true;
      }
    }
    return false;
  }

  static bool read(Cell& cell, std::uint64_t value) {
    if (!cell.known) return false;
    if (!cell.content) cell.initial = cell.content = value;
    return *cell.content == value;
  }

  void add_addresses(Cells& result) const {
    for (std::uint32_t i = 0; i < cells_.size(); ++i) {
      const Place& place = recording_.variables[i];
      if (place.view) {
        result.atomic_memory_.emplace_back(place.address, place.address + place.bytes);
      } else if (place.bytes != 0) {
        result.by_address_[place.address] = {place.bytes, i};
      }
    }
    for (std::uint32_t i = 0; i < atomics_.size(); ++i) {
      const std::uint64_t address = recording_.atomics[i].address;
      if (address == 0) continue;
      result.atomic_by_address_[address] = i;
      const std::uint64_t bytes = atomics_[i].width == 0 ? 8 : atomics_[i].width / 8;
      result.atomic_memory_.emplace_back(address, address + bytes);
    }
  }

  void add_history(Cells& result) const {
    result.variable_history_.resize(cells_.size());
    result.atomic_history_.resize(atomics_.size());
    for (std::size_t i = 0; i < recording_.trace.size(); ++i) {
      const Event& e = recording_.trace.events[i];
      const Note& note = run_.notes[i];
      if (!touches(e.op) || e.op == Op::Read || e.op == Op::AtomicLoad) continue;
      const bool is_atomic = traits(e.op).operand == OperandKind::Atomic;
      std::optional<std::uint64_t> now;
      if (note.role == Role::Write) now = note.recorded;
      if (note.role == Role::Rmw) now = note.stored;
      (is_atomic ? result.atomic_history_ : result.variable_history_)[e.operand].push_back({i, now});
    }
  }

  Cell& cell_of(const Event& e) {
    return traits(e.op).operand == OperandKind::Atomic ? atomics_[e.operand] : cells_[e.operand];
  }

  const Program& program_;
  const Recording& recording_;
  const Run& run_;
  std::vector<Cell> cells_;
  std::vector<Cell> atomics_;
};

std::expected<Cells, std::string> Cells::of(const Program& program, const Recording& recording, const Run& run) {
  return Finder(program, recording, run).find();
}

std::optional<std::vector<CellPart>> Cells::parts(std::uint64_t address, std::uint64_t bytes) const {
  const auto overlaps = [&](const std::pair<std::uint64_t, std::uint64_t>& memory) {
    return memory.first < address + bytes && address < memory.second;
  };
  if (std::ranges::any_of(atomic_memory_, overlaps)) return std::nullopt;
  std::vector<CellPart> parts;
  auto at = by_address_.upper_bound(address);
  if (at != by_address_.begin()) {
    const auto& [begin, extent] = *std::prev(at);
    if (begin == address) {
      --at;
    } else if (begin + extent.bytes > address) {
      return std::nullopt;
    }
  }
  std::uint64_t covered = 0;
  for (; at != by_address_.end() && at->first < address + bytes; ++at) {
    const auto& [begin, extent] = *at;
    if (begin + extent.bytes > address + bytes) return std::nullopt;
    parts.push_back({extent.id, begin - address, extent.bytes});
    covered += extent.bytes;
  }
  if (!parts.empty() && covered != bytes) return std::nullopt;
  return parts;
}

std::optional<std::uint32_t> Cells::atomic(std::uint64_t address, Width width) const {
  const auto found = atomic_by_address_.find(address);
  if (found == atomic_by_address_.end()) return std::nullopt;
  const MemoryCell& cell = atomics[found->second];
  return cell.opaque || cell.width != width ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint64_t> Cells::content(bool is_atomic, std::uint32_t id, std::uint64_t event) const {
  const std::vector<Change>& history = (is_atomic ? atomic_history_ : variable_history_)[id];
  const auto after = std::ranges::lower_bound(history, event, {}, &Change::event);
  return after == history.begin() ? (is_atomic ? atomics : variables)[id].initial : std::prev(after)->now;
}

}  // namespace omen::native
