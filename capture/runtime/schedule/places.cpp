#include "capture/runtime/schedule/places.hpp"

#include <dlfcn.h>
#include <link.h>

namespace omen::rt::schedule {
namespace {

const char* base_name(const char* path) {
  const char* base = path;
  for (; *path != 0; ++path) {
    if (*path == '/') base = path + 1;
  }
  return base;
}

}  // namespace

bool Places::prepare(const Plan& plan) {
  plan_ = &plan;
  u32 size = 16;
  while (size < 2 * (plan.place_count + 1)) size *= 2;
  mask_ = size - 1;
  buckets_ = static_cast<u32*>(map_memory(size * sizeof(u32)));
  loaded_ = static_cast<Loaded*>(map_memory((plan.module_count + 1) * sizeof(Loaded)));
  if (buckets_ == nullptr || loaded_ == nullptr) return false;
  for (u32 i = 1; i < plan.place_count; ++i) {
    u32 at = bucket(plan.places[i].offset);
    while (buckets_[at] != kEmpty) at = (at + 1) & mask_;
    buckets_[at] = i;
  }
  // The program has no other threads yet, so no thread holds the loader's lock.
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* self) {
        auto& places = *static_cast<Places*>(self);
        for (u32 module = 0; module < places.plan_->module_count; ++module) {
          if (places.is_module(module, info->dlpi_name)) places.loaded(module, info->dlpi_addr);
        }
        return 0;
      },
      this);
  return true;
}

void Places::loaded(u32 module, uptr bias) {
  loaded_[module].bias.store(bias, std::memory_order_relaxed);
  loaded_[module].known.store(1, std::memory_order_release);
}

bool Places::is_module(u32 module, const char* path) const {
  if (module >= plan_->module_count) return false;
  if (path == nullptr || path[0] == 0) return module == 0;  // the program itself
  return module != 0 && text_equal(base_name(path), base_name(plan_->modules[module]));
}

u32 Places::find(uptr pc) {
  if (pc == 0) return kNoPlace;
  dl_find_object found;
  if (_dl_find_object(reinterpret_cast<void*>(pc), &found) != 0) return kUnplanned;
  const uptr bias = found.dlfo_link_map->l_addr;
  const u64 offset = pc - bias;
  for (u32 at = bucket(offset); buckets_[at] != kEmpty; at = (at + 1) & mask_) {
    const PlannedPlace& place = plan_->places[buckets_[at]];
    if (place.offset != offset || !is_module(place.module, found.dlfo_link_map->l_name)) continue;
    loaded(place.module, bias);
    return buckets_[at];
  }
  return kUnplanned;
}

bool Places::is_known(u32 module) const {
  return module < plan_->module_count && loaded_[module].known.load(std::memory_order_acquire) != 0;
}
uptr Places::bias(u32 module) const {
  return loaded_[module].bias.load(std::memory_order_relaxed);
}

}  // namespace omen::rt::schedule
