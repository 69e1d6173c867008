#include "report/describe.hpp"

#include <algorithm>
#include <numeric>

#include "report/system_objects.hpp"

namespace omen::report {

std::vector<std::optional<std::size_t>> find_blocks(std::span<const HeapBlock> blocks,
                                                    std::span<const AddressAt> questions) {
  std::vector<std::optional<std::size_t>> answers(questions.size());
  std::vector<std::size_t> by_address(questions.size());
  std::iota(by_address.begin(), by_address.end(), std::size_t{0});
  const auto address = [&](std::size_t i) { return questions[i].address; };
  std::ranges::sort(by_address, {}, address);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const HeapBlock& block = blocks[b];
    auto at = std::ranges::lower_bound(by_address, block.address, {}, address);
    for (; at != by_address.end() && questions[*at].address - block.address < block.size; ++at) {
      if (block.event > questions[*at].event) continue;
      std::optional<std::size_t>& best = answers[*at];
      if (!best || blocks[*best].event <= block.event) best = b;
    }
  }
  return answers;
}

Variable describe_variable(const SourceMap& map, VariableId id, std::optional<std::size_t> block,
                           std::span<const ThreadStack> stacks) {
  Variable variable;
  const std::string& name = map.trace().names.of(id);
  const auto place = parse_place(name);
  if (!place) {
    variable.name = name;
    return variable;
  }
  variable.address = place->address;
  variable.size = place->size;
  if (const auto global = map.global_at(place->address)) {
    variable.kind = LocationKind::Global;
    variable.name = global->name;
    variable.address = global->address;
    variable.size = global->size;
    variable.module = global->module;
    variable.offset = global->offset;
    return variable;
  }
  if (auto object = system_object(place->address)) {
    variable.name = std::move(*object);
    return variable;
  }
  if (block) {
    const HeapBlock& heap = map.info().blocks[*block];
    variable.kind = LocationKind::Heap;
    variable.address = heap.address;
    variable.size = heap.size;
    variable.thread = static_cast<std::uint32_t>(heap.thread);
    variable.allocated = map.stack_of_node(heap.stack);
    return variable;
  }
  if (is_on_first_stack(map.info(), place->address)) {
    variable.kind = LocationKind::OnStack;
    variable.thread = 0;
  }
  for (const ThreadStack& stack : stacks) {
    if (place->address < stack.begin || place->address >= stack.end) continue;
    variable.kind = LocationKind::OnStack;
    variable.thread = static_cast<std::uint32_t>(stack.thread);
  }
  return variable;
}

std::vector<Thread> describe_threads(const SourceMap& map, std::vector<std::uint32_t> ids,
                                     const std::vector<bool>& finished) {
  const std::vector<ThreadInfo>& known = map.info().threads;
  std::vector<Thread> threads;
  for (std::size_t i = 0; i < ids.size(); ++i) {  // the loop appends creators to `ids`
    const std::uint32_t id = ids[i];
    if (std::ranges::find(threads, id, &Thread::id) != threads.end()) continue;
    if (id >= known.size() && id >= map.trace().threads()) continue;  // the recorder's table is damaged
    Thread thread;
    thread.id = id;
    thread.label = map.label(ThreadId{id});
    thread.main = map.is_main(ThreadId{id});
    thread.finished = id < finished.size() && finished[id];
    if (id < known.size()) {
      thread.name = known[id].name;
      thread.system_id = known[id].system_id;
      if (const auto creator = known[id].creator) {
        thread.creator = static_cast<std::uint32_t>(*creator);
        thread.creation = map.stack_of_node(known[id].creation_stack);
        ids.push_back(*thread.creator);
      }
    }
    threads.push_back(std::move(thread));
  }
  std::ranges::sort(threads, {}, &Thread::id);
  return threads;
}

}  // namespace omen::report
