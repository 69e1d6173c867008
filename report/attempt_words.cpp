#include "report/attempt_words.hpp"

#include <fmt/format.h>

#include <string_view>

namespace omen::report {
namespace {

struct Parts {
  std::string object;
  std::string thread;
};

/// Splits `OBJECT held by THREAD` at the words in the middle.
std::optional<Parts> split(const std::string& name, std::string_view middle) {
  const std::size_t at = name.find(middle);
  if (at == std::string::npos) return std::nullopt;
  return Parts{name.substr(0, at), name.substr(at + middle.size())};
}

std::string lock_title(const SourceMap& map, const std::string& name) {
  const auto lock = map.trace().names.of(OperandKind::Lock).find(name);
  return lock ? map.titled(LockId{*lock}) : "lock " + name;
}

std::string thread_label(const SourceMap& map, const std::string& name) {
  const auto thread = map.trace().names.of(OperandKind::Thread).find(name);
  return thread ? map.label(ThreadId{*thread}) : name;
}

}  // namespace

std::optional<std::string> attempt_words(const SourceMap& map, const Event& event) {
  if (traits(event.op).operand != OperandKind::Atomic) return std::nullopt;
  const std::string& name = map.trace().names.of(OperandKind::Atomic)[event.operand];
  if (const auto held = split(name, " held by ")) {
    const std::string lock = lock_title(map, held->object);
    if (event.op == Op::AtomicLoad) return fmt::format("finds {} taken by {}", lock, thread_label(map, held->thread));
    return fmt::format("holds {} {}", lock, releases(event.order) ? "from here" : "until here");
  }
  if (const auto taken = split(name, " taken by ")) {
    const std::string object = map.titled_object(taken->object);
    if (event.op != Op::AtomicLoad) return fmt::format("takes from {}", object);
    return fmt::format("finds {} as {} has left it", object, thread_label(map, taken->thread));
  }
  return std::nullopt;
}

}  // namespace omen::report
