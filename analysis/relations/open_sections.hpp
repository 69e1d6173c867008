/// \file
/// Sections that were open when hard order left them: at a fork, a barrier, a releasing atomic or fence. A thread that
/// knows by hard order that such a section has begun, and is or will be in a rival section on the same lock, is ordered
/// after its end (docs/event-model.md, "Thread order").
///
/// So knowledge that flows along a hard edge includes the sections that its thread was in, and those that the thread
/// itself had learned of in this way and does not know to have ended. They are referenced; what the end of a section
/// publishes is filled in when it ends.
///
/// Invariant: a list has no section whose end its owner knows. So it contains, for each thread, at most the sections
/// that this thread was in at one moment, and is nearly always empty.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "analysis/clocks/epoch.hpp"
#include "analysis/clocks/vector_clock.hpp"
#include "analysis/memory.hpp"
#include "analysis/relations/section_mode.hpp"
#include "trace/ids.hpp"

namespace omen {

template <class Known>
class OpenSectionPool;

/// `Known`: the relation's representation of a thread's knowledge.
template <class Known>
struct OpenSection {
  LockId lock{};
  SectionMode mode{};
  ThreadId thread{};
  Time began = 0;  ///< the thread's time before it took the lock
  Epoch released;  ///< this and the next are set at its end
  Known known;
  std::atomic<bool> ended = false;  ///< written by its thread, read by others
  std::atomic<std::uint32_t> owners = 0;
  OpenSectionPool<Known>* pool = nullptr;

  bool has_ended() const { return ended.load(std::memory_order_acquire); }
  void end(Epoch now, const Known& knowledge) {
    released = now;
    known = knowledge;
    ended.store(true, std::memory_order_release);
  }
};

/// One owner of such a section.
template <class Known>
class OpenSectionRef {
 public:
  using Section = OpenSection<Known>;

  OpenSectionRef() = default;
  explicit OpenSectionRef(Section* section) : section_(section) { take(); }
  OpenSectionRef(const OpenSectionRef& other) : section_(other.section_) {
    if (section_ != nullptr) take();
  }
  OpenSectionRef(OpenSectionRef&& other) noexcept : section_(std::exchange(other.section_, nullptr)) {}
  OpenSectionRef& operator=(OpenSectionRef other) noexcept {
    std::swap(section_, other.section_);
    return *this;
  }
  ~OpenSectionRef() {
    if (section_ != nullptr && section_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      section_->pool->give_back(section_);
    }
  }

  explicit operator bool() const { return section_ != nullptr; }
  Section& operator*() const { return *section_; }
  Section* operator->() const { return section_; }
  bool operator==(const OpenSectionRef&) const = default;

 private:
  void take() { section_->owners.fetch_add(1, std::memory_order_relaxed); }

  Section* section_ = nullptr;
};

/// All sections with references. It must outlive the references.
template <class Known>
class OpenSectionPool {
 public:
  using Section = OpenSection<Known>;
  using Ref = OpenSectionRef<Known>;

  OpenSectionPool() = default;
  OpenSectionPool(const OpenSectionPool&) = delete;
  OpenSectionPool& operator=(const OpenSectionPool&) = delete;
  ~OpenSectionPool() {
    for (Section* slab : slabs_) {
      std::destroy_n(slab, kSlab);
      Allocator<Section>().deallocate(slab, kSlab);
    }
  }

  Ref make(ThreadId t, LockId m, SectionMode mode, Time began) {
    Section* const section = take();
    section->lock = m;
    section->mode = mode;
    section->thread = t;
    section->began = began;
    section->released = {};
    section->ended.store(false, std::memory_order_relaxed);
    return Ref(section);
  }
  void give_back(Section* section) {
    const DataGuard guard(lock_);
    free_.push_back(section);
  }

  template <class Visit>
  void for_each_ended(Visit visit) const {
    for (const Section* slab : slabs_) {
      for (std::size_t i = 0; i < kSlab; ++i) {
        if (slab[i].owners != 0 && slab[i].has_ended()) visit(slab[i]);
      }
    }
  }

 private:
  static constexpr std::size_t kSlab = 64;

  Section* take() {
    const DataGuard guard(lock_);
    if (free_.empty()) grow();
    Section* const section = free_.back();
    free_.pop_back();
    return section;
  }
  void grow() {
    Section* const slab = Allocator<Section>().allocate(kSlab);
    std::uninitialized_default_construct_n(slab, kSlab);
    slabs_.push_back(slab);
    for (std::size_t i = kSlab; i-- > 0;) {
      slab[i].pool = this;
      free_.push_back(&slab[i]);
    }
  }

  DataLock lock_;  ///< guards the rest
  Vector<Section*> slabs_;
  Vector<Section*> free_;
};

/// The open sections that are part of knowledge.
template <class Known>
class OpenSections {
 public:
  using Ref = OpenSectionRef<Known>;

  bool empty() const { return sections_.empty(); }
  void clear() { sections_.clear(); }
  auto begin() const { return sections_.begin(); }
  auto end() const { return sections_.end(); }

  void add(const Ref& section) {
    for (const Ref& known : sections_) {
      if (known == section) return;
    }
    sections_.push_back(section);
  }
  template <class Which>
  void remove(Which which) {
    std::erase_if(sections_, which);
  }
  /// Drops the sections whose end `clock` covers.
  void drop_known(const VectorClock& clock) {
    remove([&](const Ref& section) { return section->has_ended() && clock.covers(section->released); });
  }

 private:
  Vector<Ref> sections_;
};

}  // namespace omen
