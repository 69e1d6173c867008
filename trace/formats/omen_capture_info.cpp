#include "trace/formats/omen_capture_info.hpp"

#include <algorithm>
#include <cstring>

namespace omen {

using layout::Kind;

namespace {

constexpr std::size_t kProcessBytes = 1U << 20;  // a section is split at this size
constexpr std::size_t kPerSection = 1U << 16;    // nodes, blocks or points: at most 3 MiB
constexpr std::size_t kPointBytes = 8 + 4 + 4 + 1;

void put(std::vector<char>& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

void put(std::vector<char>& out, const std::string& text) {
  const std::size_t length = std::min<std::size_t>(text.size(), 65535);
  put(out, length, 2);
  out.insert(out.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
}

/// Reads what `put` wrote. After the end it returns zeros, and `ok` is false.
class Decoder {
 public:
  explicit Decoder(std::span<const char> bytes) : bytes_(bytes) {}

  std::uint64_t number(std::size_t bytes) {
    if (bytes_.size() < bytes) {
      ok_ = false;
      bytes_ = {};
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[i])) << (8 * i);
    }
    bytes_ = bytes_.subspan(bytes);
    return value;
  }
  std::uint32_t number32() { return static_cast<std::uint32_t>(number(4)); }

  std::string text(std::size_t length_bytes = 2) {
    const std::size_t length = number(length_bytes);
    if (bytes_.size() < length) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    std::string result(bytes_.data(), length);
    bytes_ = bytes_.subspan(length);
    return result;
  }

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && bytes_.empty(); }

 private:
  std::span<const char> bytes_;
  bool ok_ = true;
};

/// The kind of an item of the Process section.
enum class Item : std::uint8_t {
  Process = 1,
  Argument = 2,
  Module = 3,
  Thread = 4,
  Note = 5,
  Vptr = 6,
  ThreadStack = 7,
  Options = 8,
  Benign = 9
};

void put_process(const CaptureInfo& info, std::vector<CaptureSection>& sections) {
  CaptureSection section{.kind = Kind::Process};
  auto& out = section.raw;
  const auto item = [&](Item kind) {
    if (out.size() > kProcessBytes) {
      sections.push_back(std::move(section));
      section = {.kind = Kind::Process, .first = sections.back().first + sections.back().count};
    }
    put(out, static_cast<std::uint64_t>(kind), 1);
    ++section.count;
  };
  item(Item::Process);
  put(out, info.process, 8);
  if (!info.options.empty()) {
    item(Item::Options);
    put(out, info.options);
  }
  for (const std::string& argument : info.command) {
    item(Item::Argument);
    put(out, argument);
  }
  for (const std::string& note : info.notes) {
    item(Item::Note);
    put(out, note);
  }
  for (const Module& module : info.modules) {
    item(Item::Module);
    put(out, module.begin, 8);
    put(out, module.end, 8);
    put(out, module.bias, 8);
    put(out, module.path);
    put(out, module.build_id);
  }
  for (const std::uint32_t node : info.vptr_writes) {
    item(Item::Vptr);
    put(out, node, 4);
  }
  for (const AddressRange& range : info.benign) {
    item(Item::Benign);
    put(out, range.begin, 8);
    put(out, range.end, 8);
  }
  for (const ThreadStack& stack : info.thread_stacks) {
    item(Item::ThreadStack);
    put(out, index(stack.thread), 4);
    put(out, stack.begin, 8);
    put(out, stack.end, 8);
  }
  for (const ThreadInfo& thread : info.threads) {
    item(Item::Thread);
    put(out, thread.creator ? index(*thread.creator) + 1 : 0, 4);
    put(out, thread.creation_stack, 4);
    put(out, thread.system_id, 8);
    put(out, thread.name);
  }
  sections.push_back(std::move(section));
}

CaptureSection outcome(const CaptureInfo& info) {
  CaptureSection section{.kind = Kind::Outcome, .count = 1};
  auto& out = section.raw;
  put(out, info.complete ? 1 : 0, 1);
  put(out, info.end ? 1 : 0, 1);
  put(out, info.end ? info.end->code : 0, 4);
  put(out, info.end ? info.end->signal : 0, 4);
  put(out, info.synchronisations, 8);
  const std::size_t length = std::min(info.suppressions.size(), kProcessBytes);
  put(out, length, 4);
  out.insert(out.end(), info.suppressions.begin(), info.suppressions.begin() + static_cast<std::ptrdiff_t>(length));
  return section;
}

void decode_outcome(Decoder& in, CaptureInfo& info) {
  info.complete = in.number(1) != 0;
  const bool ended = in.number(1) != 0;
  ProcessEnd end;
  end.code = in.number32();
  end.signal = in.number32();
  if (ended) info.end = end;
  info.synchronisations = in.number(8);
  info.suppressions = in.text(4);
}

/// Columns of bytes: first the lowest bytes of all differences between one point's event and the next one's, and so on.
void put_points(const CaptureInfo& info, std::vector<CaptureSection>& sections) {
  for (std::size_t first = 0; first < info.points.size(); first += kPerSection) {
    const std::span points =
        std::span(info.points).subspan(first).first(std::min(kPerSection, info.points.size() - first));
    CaptureSection section{.kind = Kind::Points, .count = static_cast<std::uint32_t>(points.size()), .first = first};
    const auto column = [&](std::size_t bytes, auto value) {
      for (std::size_t byte = 0; byte < bytes; ++byte) {
        for (std::size_t i = 0; i < points.size(); ++i) {
          section.raw.push_back(static_cast<char>(std::uint64_t{value(i)} >> (8 * byte)));
        }
      }
    };
    column(8, [&](std::size_t i) { return points[i].event - (i == 0 ? 0 : points[i - 1].event); });
    column(4, [&](std::size_t i) { return points[i].events; });
    column(4, [&](std::size_t i) { return index(points[i].thread); });
    column(1, [&](std::size_t i) { return static_cast<std::uint8_t>(points[i].kind); });
    sections.push_back(std::move(section));
  }
}

std::expected<void, std::string> decode_points(std::uint32_t count, std::span<const char> raw, CaptureInfo& info) {
  if (raw.size() != std::size_t{count} * kPointBytes) return std::unexpected("expected 17 bytes for each point");
  const auto at = [&](std::size_t plane, std::size_t bytes, std::size_t i) {
    std::uint64_t value = 0;
    for (std::size_t byte = 0; byte < bytes; ++byte) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(raw[(plane + byte) * count + i])) << (8 * byte);
    }
    return value;
  };
  std::uint64_t event = 0;
  for (std::size_t i = 0; i < count; ++i) {
    event += at(0, 8, i);
    const std::uint64_t kind = at(16, 1, i);
    if (kind >= kPointNames.size()) return std::unexpected("expected a kind of scheduling point");
    info.points.push_back({.event = event,
                           .events = static_cast<std::uint32_t>(at(8, 4, i)),
                           .thread = ThreadId{static_cast<std::uint32_t>(at(12, 4, i))},
                           .kind = static_cast<PointKind>(kind)});
  }
  return {};
}

void decode_item(Decoder& in, CaptureInfo& info) {
  switch (static_cast<Item>(in.number(1))) {
    case Item::Process:
      info.process = in.number(8);
      return;
    case Item::Argument:
      info.command.push_back(in.text());
      return;
    case Item::Options:
      info.options = in.text();
      return;
    case Item::Note:
      info.notes.push_back(in.text());
      return;
    case Item::Module: {
      Module module{.begin = in.number(8), .end = in.number(8), .bias = in.number(8), .path = {}, .build_id = {}};
      module.path = in.text();
      module.build_id = in.text();
      info.modules.push_back(std::move(module));
      return;
    }
    case Item::Vptr:
      info.vptr_writes.push_back(in.number32());
      return;
    case Item::Benign: {
      AddressRange range;
      range.begin = in.number(8);
      range.end = in.number(8);
      info.benign.push_back(range);
      return;
    }
    case Item::ThreadStack: {
      ThreadStack stack;
      stack.thread = ThreadId{in.number32()};
      stack.begin = in.number(8);
      stack.end = in.number(8);
      info.thread_stacks.push_back(stack);
      return;
    }
    case Item::Thread: {
      ThreadInfo thread;
      if (const std::uint32_t creator = in.number32(); creator != 0) thread.creator = ThreadId{creator - 1};
      thread.creation_stack = in.number32();
      thread.system_id = in.number(8);
      thread.name = in.text();
      info.threads.push_back(std::move(thread));
      return;
    }
  }
  in.number(~std::size_t{0});  // unknown item: nothing after it can be read
}

}  // namespace

bool is_capture_section(Kind kind) {
  return kind == Kind::Process || kind == Kind::Stacks || kind == Kind::Blocks || kind == Kind::Outcome ||
         kind == Kind::Points;
}

std::vector<CaptureSection> encode_capture_info(const CaptureInfo& info) {
  std::vector<CaptureSection> sections;
  put_process(info, sections);
  for (std::size_t first = 0; first < info.stacks.size(); first += kPerSection) {
    CaptureSection section{.kind = Kind::Stacks, .first = first};
    for (std::size_t i = first; i < std::min(first + kPerSection, info.stacks.size()); ++i, ++section.count) {
      put(section.raw, info.stacks[i].parent, 4);
      put(section.raw, info.stacks[i].pc, 8);
    }
    sections.push_back(std::move(section));
  }
  for (std::size_t first = 0; first < info.blocks.size(); first += kPerSection) {
    CaptureSection section{.kind = Kind::Blocks, .first = first};
    for (std::size_t i = first; i < std::min(first + kPerSection, info.blocks.size()); ++i, ++section.count) {
      const HeapBlock& block = info.blocks[i];
      put(section.raw, block.event, 8);
      put(section.raw, block.address, 8);
      put(section.raw, block.size, 8);
      put(section.raw, index(block.thread), 4);
      put(section.raw, block.stack, 4);
    }
    sections.push_back(std::move(section));
  }
  sections.push_back(outcome(info));
  put_points(info, sections);
  return sections;
}

std::expected<void, std::string> decode_capture_section(Kind kind, std::uint32_t count, std::span<const char> raw,
                                                        CaptureInfo& info) {
  if (kind == Kind::Points) return decode_points(count, raw, info);
  Decoder in(raw);
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    if (kind == Kind::Process) {
      decode_item(in, info);
    } else if (kind == Kind::Outcome) {
      decode_outcome(in, info);
    } else if (kind == Kind::Stacks) {
      const std::uint32_t parent = in.number32();
      const std::uint64_t pc = in.number(8);
      if (parent != 0 && parent >= info.stacks.size()) return std::unexpected("expected a stack behind its caller's");
      info.stacks.push_back({parent, pc});
    } else {
      HeapBlock block;
      block.event = in.number(8);
      block.address = in.number(8);
      block.size = in.number(8);
      block.thread = ThreadId{in.number32()};
      block.stack = in.number32();
      info.blocks.push_back(block);
    }
  }
  if (!in.at_end()) return std::unexpected("expected what a recorder writes beside the events");
  return {};
}

}  // namespace omen
