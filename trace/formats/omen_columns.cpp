#include "trace/formats/omen_columns.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "trace/error.hpp"

namespace omen {

using layout::Column;
using layout::EventsHeader;

namespace {

static_assert(kOpCount <= 32 && kMemoryOrderCount <= 8, "an operation and its order share a byte");

/// Parts of updates have numbers of their own, after those of the operations.
struct UpdateCode {
  Op op;
  std::uint8_t code;
};
constexpr std::array kUpdateCodes{UpdateCode{Op::Read, 28}, UpdateCode{Op::Write, 29}, UpdateCode{Op::AtomicRmw, 30}};
static_assert(kOpCount <= kUpdateCodes.front().code);

constexpr std::uint8_t code_of(const Event& event) {
  auto op = static_cast<unsigned>(event.op);
  if (event.update) op = std::ranges::find(kUpdateCodes, event.op, &UpdateCode::op)->code;
  return static_cast<std::uint8_t>(op | static_cast<unsigned>(event.order) << 5);
}

/// The last of an event's four words, for each operation byte.
constexpr std::uint32_t word_of(std::uint32_t code) {
  std::uint32_t op = code & 31U;
  std::uint32_t update = 0;
  for (const UpdateCode& each : kUpdateCodes) {
    if (each.code != op) continue;
    op = static_cast<std::uint32_t>(each.op);
    update = 1;
  }
  return op | (code >> 5U) << 8U | update << 24U;
}
constexpr auto kWords = [] {
  std::array<std::uint32_t, 256> words{};
  for (std::uint32_t code = 0; code < words.size(); ++code) words[code] = word_of(code);
  return words;
}();
constexpr Op op_of(std::uint32_t code) {
  return static_cast<Op>(kWords[code] & 0xff);
}

std::uint8_t planes_for(std::uint64_t range) {
  std::uint8_t planes = 0;
  for (; range != 0; range >>= 8) ++planes;
  return planes;
}

/// Chooses between values and differences, whichever need fewer planes. Replaces `values` by the stored values.
Column choose(std::vector<std::uint32_t>& values) {
  std::uint32_t low = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t high = 0;
  std::int64_t low_step = std::numeric_limits<std::int64_t>::max();
  std::int64_t high_step = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < values.size(); ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
    if (i == 0) continue;
    const std::int64_t step = std::int64_t{values[i]} - std::int64_t{values[i - 1]};
    low_step = std::min(low_step, step);
    high_step = std::max(high_step, step);
  }
  Column column;
  column.planes = planes_for(high - low);
  column.base = low;
  const bool has_steps = values.size() > 1;
  const std::uint8_t step_planes =
      has_steps ? planes_for(static_cast<std::uint64_t>(high_step - low_step)) : column.planes;
  if (step_planes < column.planes) {
    column.delta = 1;
    column.planes = step_planes;
    column.base = static_cast<std::uint32_t>(low_step);
    column.previous = values.front() - column.base;  // so that the first difference is stored as 0
    std::uint32_t before = column.previous;
    for (std::uint32_t& value : values) value -= std::exchange(before, value);
  }
  for (std::uint32_t& value : values) value -= column.base;
  return column;
}

void append_planes(const Column& column, const std::vector<std::uint32_t>& values, std::vector<char>& out) {
  for (unsigned plane = 0; plane < column.planes; ++plane) {
    const std::size_t at = out.size();
    out.resize(at + values.size());
    for (std::size_t i = 0; i < values.size(); ++i) out[at + i] = static_cast<char>(values[i] >> (8 * plane));
  }
}

/// Assembles values of `planes` bytes each, `stride` apart. A template, so that each loop is simple enough to
/// vectorise.
template <unsigned kPlanes>
void gather(const unsigned char* planes, std::size_t stride, std::size_t n, std::uint32_t base, std::uint32_t* out) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t value = 0;
    for (unsigned plane = 0; plane < kPlanes; ++plane) {
      value |= std::uint32_t{planes[plane * stride + i]} << (8 * plane);
    }
    out[i] = base + value;
  }
}

}  // namespace

void encode_events(std::span<const Event> events, std::vector<char>& out) {
  const std::size_t n = events.size();
  std::vector<std::uint32_t> threads(n);
  std::vector<std::uint32_t> operands(n);
  std::vector<std::uint32_t> locations(n);
  for (std::size_t i = 0; i < n; ++i) {
    threads[i] = static_cast<std::uint32_t>(events[i].thread);
    operands[i] = events[i].operand;
    locations[i] = static_cast<std::uint32_t>(events[i].location);
  }
  const EventsHeader header{choose(threads), choose(operands), choose(locations)};
  const std::size_t at = out.size();
  out.resize(at + sizeof header + n);
  std::memcpy(out.data() + at, &header, sizeof header);
  for (std::size_t i = 0; i < n; ++i) out[at + sizeof header + i] = static_cast<char>(code_of(events[i]));
  append_planes(header.thread, threads, out);
  append_planes(header.operand, operands, out);
  append_planes(header.location, locations, out);
}

std::expected<void, std::string> EventDecoder::start(std::span<const char> payload, std::uint32_t count,
                                                     const Names& names) {
  count_ = 0;
  done_ = 0;
  EventsHeader header;
  if (payload.size() < sizeof header) return std::unexpected("expected three column headers");
  std::memcpy(&header, payload.data(), sizeof header);
  std::uint64_t planes = 1;
  for (const Column* column : {&header.thread, &header.operand, &header.location}) {
    if (column->planes > 4 || column->delta > 1 || column->reserved != 0) {
      return std::unexpected("expected a column of at most 4 planes, as values or differences");
    }
    planes += column->planes;
  }
  if (payload.size() != sizeof header + planes * count) {
    return std::unexpected("expected " + std::to_string(sizeof header + planes * count) + " bytes of columns, not " +
                           std::to_string(payload.size()));
  }
  const char* at = payload.data() + sizeof header;
  codes_ = at;
  at += count;
  const auto place = [&](ColumnState& state, const Column& column) {
    state = {column, at, column.previous};
    at += std::size_t{column.planes} * count;
  };
  place(thread_, header.thread);
  place(operand_, header.operand);
  place(location_, header.location);

  operand_limit_.fill(0);
  for (const OpTraits& op : kOpTraits) {
    const std::size_t limit = op.operand == OperandKind::None ? 1 : names.of(op.operand).size();
    for (std::size_t order = 0; order < kMemoryOrderCount; ++order) {
      if (!order_fits(op.op, static_cast<MemoryOrder>(order))) continue;
      Event event;
      event.op = op.op;
      event.order = static_cast<MemoryOrder>(order);
      operand_limit_[code_of(event)] = static_cast<std::uint32_t>(limit);
      event.update = can_be_update(op.op);
      operand_limit_[code_of(event)] = static_cast<std::uint32_t>(limit);
    }
  }
  threads_ = static_cast<std::uint32_t>(names.of(OperandKind::Thread).size());
  locations_ = static_cast<std::uint32_t>(names.locations().size());
  count_ = count;
  return {};
}

void EventDecoder::widen(ColumnState& state, std::size_t n, Values& out) const {
  const auto* planes = reinterpret_cast<const unsigned char*>(state.planes) + done_;
  const std::uint32_t base = state.column.base;
  switch (state.column.planes) {
    case 0:
      std::fill_n(out.begin(), n, base);
      break;
    case 1:
      gather<1>(planes, count_, n, base, out.data());
      break;
    case 2:
      gather<2>(planes, count_, n, base, out.data());
      break;
    case 3:
      gather<3>(planes, count_, n, base, out.data());
      break;
    default:
      gather<4>(planes, count_, n, base, out.data());
      break;
  }
  if (state.column.delta != 0) {
    std::uint32_t value = state.previous;
    for (std::size_t i = 0; i < n; ++i) out[i] = value += out[i];
    state.previous = value;
  }
}

std::expected<void, EventDecoder::Refusal> EventDecoder::decode(std::span<Event> out) {
  OMEN_CHECK(out.size() <= left());
  while (!out.empty()) {
    const std::size_t n = std::min(out.size(), kChunk);
    widen(thread_, n, thread_values_);
    widen(operand_, n, operand_values_);
    widen(location_, n, location_values_);
    unsigned bad = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t code = static_cast<unsigned char>(codes_[done_ + i]);
      const std::uint32_t thread = thread_values_[i];
      const std::uint32_t operand = operand_values_[i];
      const std::uint32_t location = location_values_[i];
      bad |= static_cast<unsigned>(operand >= operand_limit_[code]) | static_cast<unsigned>(thread >= threads_) |
             (static_cast<unsigned>(location < kNumericLocation) & static_cast<unsigned>(location >= locations_));
      // One 16-byte record per event, assembled in registers.
      const std::array<std::uint32_t, 4> words{thread, operand, location, kWords[code]};
      static_assert(sizeof words == sizeof(Event) && offsetof(Event, op) == 12 && offsetof(Event, order) == 13 &&
                    offsetof(Event, update) == 15);
      std::memcpy(static_cast<void*>(&out[i]), &words, sizeof words);
    }
    if (bad != 0) [[unlikely]]
      return std::unexpected(refusal(n));
    done_ += static_cast<std::uint32_t>(n);
    out = out.subspan(n);
  }
  return {};
}

/// Finds the first invalid event among the `n` that were just widened.
EventDecoder::Refusal EventDecoder::refusal(std::size_t n) const {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t code = static_cast<unsigned char>(codes_[done_ + i]);
    const auto at = done_ + static_cast<std::uint32_t>(i);
    const auto is = [](std::uint32_t id) { return ", not " + std::to_string(id); };
    if (static_cast<std::size_t>(op_of(code)) >= kOpCount) return {at, "expected an operation" + is(code & 31U)};
    const OpTraits& op = traits(op_of(code));
    if (code >> 5U >= kMemoryOrderCount || !order_fits(op.op, static_cast<MemoryOrder>(code >> 5U))) {
      return {at, "expected a memory order that fits " + std::string(op.name) + is(code >> 5U)};
    }
    if (operand_values_[i] >= operand_limit_[code]) {
      return {at, "expected an operand of " + std::string(op.name) + " below " + std::to_string(operand_limit_[code]) +
                      is(operand_values_[i])};
    }
    if (thread_values_[i] >= threads_) {
      return {at, "expected a thread below " + std::to_string(threads_) + is(thread_values_[i])};
    }
    if (location_values_[i] < kNumericLocation && location_values_[i] >= locations_) {
      return {at, "expected a location below " + std::to_string(locations_) + is(location_values_[i])};
    }
  }
  internal_error(__FILE__, __LINE__, "a refused block without a bad event");
}

}  // namespace omen
