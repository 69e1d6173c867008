/// \file
/// Source positions of the events of a recorded trace. Its locations are numbers of stacks; a race is between two
/// source positions, whatever the stacks.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolize/symbolizer.hpp"
#include "trace/capture_info.hpp"
#include "trace/error.hpp"
#include "trace/source.hpp"
#include "trace/trace.hpp"

namespace omen::cli {

class SourcePlaces {
 public:
  /// Null for a trace without a recorder's data: its locations are already texts.
  static std::expected<std::unique_ptr<SourcePlaces>, InputError> of(const std::string& path);

  /// The same; also null for a damaged trace, whose events may still be readable.
  static std::unique_ptr<SourcePlaces> of_intact(const std::string& path);

  explicit SourcePlaces(CaptureInfo info);

  /// A location that all events of one source position share, and no others.
  LocationId place(LocationId location);
  /// "/src/bank.cpp:12:3", or module and offset; empty if unknown.
  std::string text(LocationId location);
  /// "deposit(int)" for a text that `text` returned; empty if unknown.
  std::string function_at(const std::string& place) const;
  /// "total", "table+16": the global variable at a recorded variable, lock or atomic; empty if there is none.
  std::string object(const std::string& name);

  const CaptureInfo& info() const { return info_; }

 private:
  CaptureInfo info_;
  symbolize::Symbolizer symbolizer_;
  std::unordered_map<std::uint64_t, std::string> texts_;    ///< by program counter
  std::unordered_map<std::string, std::string> functions_;  ///< by text
  std::unordered_map<std::string, std::uint32_t> nodes_;    ///< by text: the first node there
  std::vector<std::uint32_t> places_;                       ///< by stack node; 0: not computed yet
};

/// Passes on another source's events with source positions as locations.
class PlacedSource final : public EventSource {
 public:
  PlacedSource(std::unique_ptr<EventSource> inner, SourcePlaces& places) : inner_(std::move(inner)), places_(places) {}

  std::expected<std::span<Event>, InputError> next() override;
  InputError error_at(std::size_t i, std::string message) const override {
    return inner_->error_at(i, std::move(message));
  }
  const Names& names() const override { return inner_->names(); }
  double progress() const override { return inner_->progress(); }

 private:
  std::unique_ptr<EventSource> inner_;
  SourcePlaces& places_;
};

/// Replaces the locations of a whole trace by the texts of their source positions.
void name_places(Trace& trace, SourcePlaces& places);

}  // namespace omen::cli
