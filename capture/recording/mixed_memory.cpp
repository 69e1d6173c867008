#include "capture/recording/mixed_memory.hpp"

#include <algorithm>

namespace omen::recording {

void MixedMemory::atomic(std::uint64_t begin, std::uint64_t bytes, std::uint32_t thread) {
  if (bytes == 0) return;
  Users& users = atomics_[{begin, begin + bytes}];
  const bool known = std::ranges::any_of(users, [&](const User& user) { return user.thread == thread; });
  if (!known) users.push_back({thread, users_++});
}

void MixedMemory::seal(MemoryMap& memory, std::vector<Range> freed) {
  // Freeing memory is a plain write to it.
  std::ranges::sort(freed);
  std::uint64_t reach = 0;
  auto next = freed.begin();
  struct Mixed {
    Range range;
    std::uint64_t freed_until;
    const Users* users;
  };
  std::vector<Mixed> mixed;
  for (const auto& [range, users] : atomics_) {
    const auto [begin, end] = range;
    for (; next != freed.end() && next->first <= begin; ++next) reach = std::max(reach, next->second);
    if (begin >= reach && !memory.any_plain(begin, end)) continue;
    // No piece crosses a cell's boundary.
    for (std::uint64_t at = begin; at < end; at = (at / kCell + 1) * kCell) {
      memory.cut(at, std::min(end, (at / kCell + 1) * kCell));
    }
    mixed.push_back({range, reach, &users});
  }
  memory.seal();
  for (const Mixed& object : mixed) {
    memory.for_each_piece(object.range.first, object.range.second,
                          [&](std::uint64_t from, std::uint64_t to, Piece&, MemoryMap::Kind) {
                            if (from >= object.freed_until && !memory.any_plain(from, to)) return;
                            memory.mark_mixed(from, to);
                            add_views(from, to, *object.users);
                          });
  }
  // A thread's views of a cell are created at its first atomic access there, even if that access is not to mixed
  // memory.
  for (const auto& [range, users] : atomics_) order_views(range, users);
  for (auto& [number, views] : cells_) {
    std::ranges::sort(views, {}, [](const View& view) { return std::pair(view.made, view.first); });
  }
  atomics_.clear();
}

/// Atomics of different sizes may share a piece.
void MixedMemory::add_views(std::uint64_t begin, std::uint64_t end, const Users& users) {
  std::vector<View>& views = cells_[begin / kCell];
  const auto first = static_cast<std::uint8_t>(begin % kCell);
  for (const User& user : users) {
    const bool known =
        std::ranges::any_of(views, [&](const View& view) { return view.thread == user.thread && view.first == first; });
    if (known) continue;
    views.push_back({.thread = user.thread,
                     .made = user.since,
                     .first = first,
                     .bytes = static_cast<std::uint8_t>(end - begin),
                     .piece = {}});
  }
}

void MixedMemory::order_views(Range range, const Users& users) {
  for (std::uint64_t number = range.first / kCell; number * kCell < range.second; ++number) {
    const auto cell = cells_.find(number);
    if (cell == cells_.end()) continue;
    for (View& view : cell->second) {
      const auto user = std::ranges::find(users, view.thread, &User::thread);
      if (user != users.end()) view.made = std::min(view.made, user->since);
    }
  }
}

void MixedMemory::forget_lives() {
  for (auto& [number, views] : cells_) {
    for (View& view : views) view.piece = {};
  }
}

}  // namespace omen::recording
