#include "symbolize/symbolizer.hpp"

#include <algorithm>
#include <utility>

#include "symbolize/demangle.hpp"
#include "symbolize/module_file.hpp"

namespace omen::symbolize {

Symbolizer::Symbolizer(std::vector<Module> modules) {
  modules_.reserve(modules.size());
  for (Module& module : modules) modules_.push_back({std::move(module), nullptr});
  std::ranges::sort(modules_, {},
                    [](const Loaded& loaded) { return std::pair(loaded.module.begin, loaded.module.end); });
}

Symbolizer::~Symbolizer() = default;

void Symbolizer::add(Module module) {
  const std::lock_guard lock(mutex_);
  std::erase_if(modules_, [&](const Loaded& loaded) {
    return loaded.module.begin <= module.end && module.begin <= loaded.module.end;
  });
  std::erase_if(frames_, [&](const auto& known) { return module.begin <= known.first && known.first <= module.end; });
  const auto at = std::ranges::upper_bound(modules_, module.begin, {}, [](const Loaded& l) { return l.module.begin; });
  modules_.insert(at, {std::move(module), nullptr});
}

Symbolizer::Loaded* Symbolizer::covering(std::uint64_t address) {
  const auto after =
      std::ranges::upper_bound(modules_, address, {}, [](const Loaded& loaded) { return loaded.module.begin; });
  if (after == modules_.begin()) return nullptr;
  Loaded& loaded = *std::prev(after);
  return address <= loaded.module.end ? &loaded : nullptr;
}

ModuleFile& Symbolizer::file(Loaded& loaded) {
  if (!loaded.file) loaded.file = std::make_unique<ModuleFile>(loaded.module);
  return *loaded.file;
}

std::vector<Frame> Symbolizer::frames(std::uint64_t pc, Pc kind) {
  const std::uint64_t address = kind == Pc::ReturnAddress && pc != 0 ? pc - 1 : pc;
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = frames_.try_emplace(address);
  std::vector<Frame>& frames = entry->second;
  if (!is_new) return frames;
  Loaded* loaded = covering(address);
  if (loaded == nullptr) {
    frames.emplace_back();
    frames.back().offset = address;
    return frames;
  }
  const Module& module = loaded->module;
  const std::uint64_t offset = address - module.bias;
  frames = file(*loaded).frames(offset);
  // The runtime calls main (capture/runtime/interceptors/program_end.cpp), and the bodies of OpenMP's regions and tasks
  // (capture/runtime/foreign/libgomp_hooks.cpp). These frames are not part of the program.
  if (!frames.empty() && frames.back().function.contains("__omen_call_")) return frames = {};
  if (frames.empty()) frames.emplace_back();
  for (Frame& frame : frames) {
    frame.module = module.path;
    frame.offset = offset;
    frame.build_id = module.build_id.empty() ? file(*loaded).build_id() : module.build_id;
  }
  return frames;
}

std::optional<Global> Symbolizer::global_at(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  Loaded* loaded = covering(address);
  if (loaded == nullptr) return std::nullopt;
  const std::uint64_t bias = loaded->module.bias;
  const Symbol* symbol = file(*loaded).object_at(address - bias);
  if (symbol == nullptr) return std::nullopt;
  return Global{demangled(symbol->name), symbol->address + bias, symbol->size, loaded->module.path, symbol->address};
}

std::vector<std::string> Symbolizer::notes() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes;
  for (const Loaded& loaded : modules_) {
    if (loaded.file && !loaded.file->note().empty()) notes.push_back(loaded.file->note());
  }
  return notes;
}

}  // namespace omen::symbolize
