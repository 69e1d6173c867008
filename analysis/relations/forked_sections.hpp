/// \file
/// Sections that were open at a fork: they end before any section of the new thread, or of threads that it forks in
/// turn, on the same lock begins, unless both are shared (docs/event-model.md, "Thread order"). That is hard order, of
/// which program order, forks and locks are the reason.
///
/// A thread *inherits* at its fork the open sections of its creator, and what that one has inherited. When it acquires
/// a lock of one of them, it learns what the section's end published. Hardly any program forks in a section, so nearly
/// always there is nothing, and an acquire looks at one empty list.
///
/// Invariant: inherited(t) names the sections that were open at the fork of t, or of an ancestor, and that t has not
/// come after by this rule.
#pragma once

#include <cstdint>
#include <utility>

#include "analysis/memory.hpp"
#include "analysis/relations/section_mode.hpp"
#include "trace/ids.hpp"

namespace omen {

template <class Knowledge>
class ForkedSections {
 public:
  using Number = std::uint32_t;
  static constexpr Number kNone = ~Number{0};

  /// Before t's fork.
  void begin(ThreadId t) {
    if (index(t) >= inherited_.size()) return;
    for (const Number number : inherited_[index(t)]) leave(number);
    inherited_[index(t)].clear();
  }

  /// A section that is open at a fork. Its owner holds on to the number until the section ends.
  Number open(LockId m, SectionMode mode) {
    if (free_.empty()) {
      free_.push_back(static_cast<Number>(sections_.size()));
      sections_.emplace_back();
    }
    const Number number = free_.back();
    free_.pop_back();
    Section& section = sections_[number];
    section.lock = m;
    section.mode = mode;
    section.ended = false;
    section.owners = 1;
    return number;
  }
  void end(Number number, const Knowledge& known) {
    sections_[number].ended = true;
    sections_[number].known = known;
    leave(number);
  }

  void inherit(ThreadId child, Number number) {
    of(child).push_back(number);
    ++sections_[number].owners;
  }
  /// What the creator has inherited itself.
  void inherit(ThreadId child, ThreadId creator) {
    if (!has_inherited(creator)) return;
    of(child);  // the lists do not move any more
    for (const Number number : of(creator)) inherit(child, number);
  }

  [[gnu::always_inline]] bool has_inherited(ThreadId t) const {
    return index(t) < inherited_.size() && !inherited_[index(t)].empty();
  }
  /// t acquires m: `learn(knowledge)` is called with what each inherited section on m published at its end.
  template <class Learn>
  void acquire(ThreadId t, LockId m, SectionMode mode, Learn learn) {
    std::erase_if(inherited_[index(t)], [&](Number number) {
      const Section& section = sections_[number];
      if (section.lock != m || !section.ended || !rivals(mode, section.mode)) return false;
      learn(section.known);
      leave(number);
      return true;
    });
  }

  /// What somebody may still learn.
  template <class Visit>
  void for_each_knowledge(Visit visit) const {
    for (const Section& section : sections_) {
      if (section.owners != 0 && section.ended) visit(section.known);
    }
  }

  /// The lock is gone: its number may be another lock's later.
  void forget(LockId m) {
    for (auto& list : inherited_) {
      std::erase_if(list, [&](Number number) {
        if (sections_[number].lock != m) return false;
        leave(number);
        return true;
      });
    }
  }
  bool empty() const { return sections_.size() == free_.size(); }

 private:
  struct Section {
    LockId lock{};
    SectionMode mode{};
    bool ended = false;
    std::uint32_t owners = 0;  ///< threads that have inherited it, and the one that is in it
    Knowledge known;           ///< at its end
  };

  Vector<Number>& of(ThreadId t) {
    if (index(t) >= inherited_.size()) inherited_.resize(index(t) + 1);
    return inherited_[index(t)];
  }
  void leave(Number number) {
    if (--sections_[number].owners == 0) free_.push_back(number);
  }

  Vector<Section> sections_;
  Vector<Number> free_;
  Vector<Vector<Number>> inherited_;  ///< by thread
};

}  // namespace omen
