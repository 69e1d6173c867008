#include "capture/runtime/foreign/known_modules.hpp"

namespace omen::rt {

bool describe_module(const dl_phdr_info& info, LoadedModule& module) {
  module = {};
  module.name = info.dlpi_name == nullptr ? "" : info.dlpi_name;
  module.bias = info.dlpi_addr;
  module.whole.begin = ~uptr{0};
  for (u32 i = 0; i < info.dlpi_phnum; ++i) {
    const auto& part = info.dlpi_phdr[i];
    const uptr begin = info.dlpi_addr + part.p_vaddr;
    const uptr end = begin + part.p_memsz;
    switch (part.p_type) {
      case PT_LOAD:
        if (begin < module.whole.begin) module.whole.begin = begin;
        if (end > module.whole.end) module.whole.end = end;
        if ((part.p_flags & PF_X) == 0) break;
        module.unreadable |= (part.p_flags & PF_R) == 0 || module.codes == LoadedModule::kCodes;
        if (module.codes < LoadedModule::kCodes) module.code[module.codes++] = {begin, end};
        break;
      case PT_GNU_RELRO:
        module.relro = {begin, end};
        break;
      case PT_DYNAMIC:
        module.dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
        break;
      default:
        break;
    }
  }
  return module.whole.begin < module.whole.end && module.dynamic != nullptr;
}

bool KnownModules::is_known(const LoadedModule& module) {
  for (u32 i = 0; i < count_.load(std::memory_order_relaxed); ++i) {
    Entry& entry = entries_[i];
    if (entry.state.load(std::memory_order_relaxed) == State::Gone || entry.begin != module.whole.begin ||
        entry.end != module.whole.end) {
      continue;
    }
    entry.round = round_;
    return true;
  }
  return false;
}

bool KnownModules::add(const LoadedModule& module, State state) {
  const u32 count = count_.load(std::memory_order_relaxed);
  u32 at = 0;
  while (at < count && entries_[at].state.load(std::memory_order_relaxed) != State::Gone) ++at;
  if (at == kMost) return false;
  Entry& entry = entries_[at];
  entry.begin.store(module.whole.begin, std::memory_order_relaxed);
  entry.end.store(module.whole.end, std::memory_order_relaxed);
  entry.round = round_;
  entry.state.store(state, std::memory_order_release);
  if (at == count) count_.store(count + 1, std::memory_order_release);
  return true;
}

void KnownModules::set(uptr begin, State state) {
  for (u32 i = 0; i < count_.load(std::memory_order_relaxed); ++i) {
    if (entries_[i].begin.load(std::memory_order_relaxed) == begin) {
      entries_[i].state.store(state, std::memory_order_release);
    }
  }
}

KnownModules::State KnownModules::state_at(uptr address) const {
  const u32 count = count_.load(std::memory_order_acquire);
  for (u32 i = 0; i < count; ++i) {
    const Entry& entry = entries_[i];
    const uptr begin = entry.begin.load(std::memory_order_relaxed);
    if (address - begin >= entry.end.load(std::memory_order_relaxed) - begin) continue;
    if (const State state = entry.state.load(std::memory_order_acquire); state != State::Gone) return state;
  }
  return State::Foreign;
}

void KnownModules::end_round() {
  for (u32 i = 0; i < count_.load(std::memory_order_relaxed); ++i) {
    if (entries_[i].round != round_) entries_[i].state.store(State::Gone, std::memory_order_relaxed);
  }
}

}  // namespace omen::rt
