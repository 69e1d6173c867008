#include "capture/runtime/schedule/plan.hpp"

#include "capture/runtime/base/mapped_file.hpp"

namespace omen::rt::schedule {
namespace {

/// Splits the file into lines and words. The words stay in the file's buffer.
class Reader {
 public:
  explicit Reader(char* text) : at_(text) {}

  /// The first word of the next line; null at the end.
  const char* line() {
    while (!ended_ && *at_ != 0 && *at_ != '\n') ++at_;  // words of the previous line that were not read
    while (*at_ == '\n') ++at_;
    ended_ = false;
    return *at_ == 0 ? nullptr : word();
  }
  const char* word() {
    if (ended_) return "";
    char* const begin = at_;
    while (*at_ != 0 && *at_ != ' ' && *at_ != '\n') ++at_;
    end_word();
    return begin;
  }
  const char* rest() {
    if (ended_) return "";
    char* const begin = at_;
    while (*at_ != 0 && *at_ != '\n') ++at_;
    end_word();
    return begin;
  }
  u64 number() {
    const char* digit = word();
    u64 value = 0;
    for (; *digit >= '0' && *digit <= '9'; ++digit) value = value * 10 + static_cast<u64>(*digit - '0');
    return value;
  }
  u32 small() { return static_cast<u32>(number()); }

 private:
  void end_word() {
    if (*at_ == 0) {
      ended_ = true;
      return;
    }
    ended_ = *at_ == '\n';
    *at_++ = 0;
  }

  char* at_;
  bool ended_ = true;  ///< the line is
};

template <class T>
T* array(u64 count) {
  return static_cast<T*>(map_memory((count + 1) * sizeof(T)));
}

PlannedMemory memory(Reader& reader) {
  PlannedMemory memory;
  const u32 kind = reader.small();
  memory.kind = kind <= static_cast<u32>(MemoryKind::Stack) ? static_cast<MemoryKind>(kind) : MemoryKind::Any;
  memory.owner = reader.small();
  memory.place = reader.small();
  memory.nth = reader.small();
  memory.offset = reader.number();
  memory.bytes = reader.number();
  return memory;
}

/// A step, before the steps are sorted by thread.
struct Turn {
  u32 thread;
  u32 place;
  PointKind kind;
};

/// Stores each thread's steps contiguously.
bool lay_out(Plan& plan, const Turn* turns) {
  Step* const steps = array<Step>(plan.steps);
  plan.owners = array<u32>(plan.steps);
  if (steps == nullptr || plan.owners == nullptr) return false;
  for (u32 i = 0; i < plan.steps; ++i) {
    if (turns[i].thread >= plan.thread_count) return false;
    plan.owners[i] = turns[i].thread;
    ++plan.threads[turns[i].thread].route.count;
  }
  u32 begin = 0;
  for (u32 i = 0; i < plan.thread_count; ++i) {
    Route& route = plan.threads[i].route;
    route.steps = steps + begin;
    begin += route.count;
    route.count = 0;
  }
  for (u32 i = 0; i < plan.steps; ++i) {
    Route& route = plan.threads[turns[i].thread].route;
    steps[route.steps - steps + route.count++] = {i, turns[i].place, turns[i].kind};
  }
  return true;
}

}  // namespace

bool Plan::read(const char* path) {
  char* text = nullptr;
  {
    const MappedFile file(path);
    const char* const bytes = file.at<char>(0, file.bytes());
    if (bytes == nullptr || file.bytes() == 0) return false;
    text = array<char>(file.bytes());
    if (text == nullptr) return false;
    copy_bytes(text, bytes, file.bytes());
  }
  Reader reader(text);
  const char* const head = reader.line();
  if (head == nullptr || !text_equal(head, "omen-replay") || reader.number() != 1) return false;
  u32 modules_room = 0;
  u32 places_room = 0;
  u32 threads_room = 0;
  Turn* turns = nullptr;
  u32 turns_room = 0;
  u32 waits_room = 0;
  while (const char* const key = reader.line()) {
    if (text_equal(key, "log")) {
      log = reader.rest();
    } else if (text_equal(key, "first")) {
      first = reader.small() & 1;
    } else if (text_equal(key, "hold")) {
      hold = reader.small() != 0;
    } else if (text_equal(key, "patience")) {
      patience = reader.small();
    } else if (text_equal(key, "counts")) {
      modules = array<const char*>(modules_room = reader.small());
      places = array<PlannedPlace>(places_room = reader.small());
      threads = array<Thread>(threads_room = reader.small());
      turns = array<Turn>(turns_room = reader.small());
      waits = array<PlannedWait>(waits_room = reader.small());
      if (modules == nullptr || places == nullptr || threads == nullptr || turns == nullptr || waits == nullptr) {
        return false;
      }
      place_count = 1;
    } else if (turns == nullptr) {
      return false;
    } else if (text_equal(key, "module") && module_count < modules_room) {
      modules[module_count++] = reader.rest();
    } else if (text_equal(key, "place") && place_count <= places_room) {
      places[place_count].module = reader.small();
      places[place_count++].offset = reader.number();
    } else if (text_equal(key, "thread") && thread_count < threads_room) {
      threads[thread_count].creator = reader.small();
      threads[thread_count++].nth = reader.small();
    } else if (text_equal(key, "step") && steps < turns_room) {
      Turn& turn = turns[steps++];
      turn.thread = reader.small();
      turn.place = reader.small();
      const u32 kind = reader.small();
      turn.kind = kind < kPointNames.size() ? static_cast<PointKind>(kind) : PointKind::None;
    } else if (text_equal(key, "wait") && wait_count < waits_room) {
      waits[wait_count].thread = reader.small();
      waits[wait_count].place = reader.small();
      if (waits[wait_count++].thread >= thread_count) return false;
    } else if (text_equal(key, "target")) {
      Target& target = targets[reader.small() & 1];
      target.thread = reader.small();
      target.place = reader.small();
      target.at_point = reader.small() != 0;
      target.passes = reader.small() != 0;
      target.memory = memory(reader);
    } else {
      return false;
    }
  }
  if (wait_count != 0) {
    if (log == nullptr || thread_count == 0 || !lay_out(*this, turns)) return false;
    for (Target& target : targets) target.thread = kNone;
    return true;
  }
  return log != nullptr && thread_count != 0 && targets[0].thread < thread_count && targets[1].thread < thread_count &&
         lay_out(*this, turns);
}

}  // namespace omen::rt::schedule
