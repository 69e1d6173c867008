#include "capture/recording/recorded_run.hpp"

#include <utility>

#include "capture/recording/event_writer.hpp"
#include "capture/recording/merge.hpp"

namespace omen::recording {

struct FirstPass {
  RawFile file;
  Survey survey;
  Stop stop;
};

std::expected<RecordedRun, InputError> RecordedRun::open(const std::string& raw, Stop stop) {
  auto file = RawFile::open(raw);
  if (!file) return std::unexpected(std::move(file.error()));
  Survey surveyed = survey(*file, stop);
  return RecordedRun(std::make_unique<FirstPass>(std::move(*file), std::move(surveyed), std::move(stop)));
}

RecordedRun::RecordedRun(std::unique_ptr<FirstPass> first) : first_(std::move(first)) {}
RecordedRun::RecordedRun(RecordedRun&&) noexcept = default;
RecordedRun::~RecordedRun() = default;

std::expected<void, InputError> RecordedRun::events(Which which, const Take& take) {
  if (second_) first_->survey.forget_lives();
  second_ = std::make_unique<EventWriter>(first_->survey, which, take);
  EventWriter& writer = *second_;
  for_each_entry(first_->file, first_->survey.end_number, [&](std::uint32_t thread, const Entry& entry, ThreadCursor&) {
    if (first_->stop.is_now()) [[unlikely]] {
      first_->survey.end_before(entry.number);
      return false;
    }
    writer.take(thread, entry);
    return writer.status().has_value();
  });
  return writer.finish();
}

std::expected<void, InputError> RecordedRun::events_and_values(const Take& take, const TakeValue& value) {
  if (second_) first_->survey.forget_lives();
  second_ = std::make_unique<EventWriter>(first_->survey, Which::All, take);
  EventWriter& writer = *second_;
  for_each_entry(first_->file, first_->survey.end_number, [&](std::uint32_t thread, const Entry& entry, ThreadCursor&) {
    if (entry.op == raw::RawOp::Value) {
      value({.thread = thread, .kind = entry.node, .bits = entry.address, .event = writer.events()});
    } else {
      writer.take(thread, entry);
    }
    return writer.status().has_value();
  });
  return writer.finish();
}

const Names& RecordedRun::names() const {
  return second_->names();
}
const Names& RecordedRun::all_names() {
  return second_->all_names();
}
Names RecordedRun::take_names() {
  return std::move(second_->own_names());
}
Names RecordedRun::take_all_names() {
  return std::move(second_->all_names());
}
std::uint64_t RecordedRun::event_count() const {
  return second_->events();
}
bool RecordedRun::used_after_free() const {
  return second_->used_after_free();
}
std::uint64_t RecordedRun::synchronisations() const {
  return second_->synchronisations();
}
std::uint64_t RecordedRun::threads() const {
  return first_->survey.threads;
}
bool RecordedRun::complete() const {
  return !first_->survey.stopped;
}
const std::string& RecordedRun::suppressions() const {
  return first_->survey.suppressions;
}
const CaptureInfo& RecordedRun::info() const {
  return first_->survey.info;
}
std::vector<HeapBlock> RecordedRun::take_blocks() {
  return std::exchange(second_->blocks(), {});
}
std::vector<SchedulingPoint> RecordedRun::take_points() {
  return std::exchange(second_->points(), {});
}

}  // namespace omen::recording
