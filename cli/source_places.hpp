/// \file
/// Where the events of a recorded trace stand in the source. The trace says for each the calls that led there, as a
/// number; a race is between two places in the source, however many ways lead there.
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
  /// Null for a trace that no recorder wrote: its locations are what they say.
  static std::expected<std::unique_ptr<SourcePlaces>, InputError> of(const std::string& path);

  /// The same; null, too, for a damaged trace, which may still have events to show.
  static std::unique_ptr<SourcePlaces> of_intact(const std::string& path);

  explicit SourcePlaces(CaptureInfo info);

  /// The same for all events of one place, and of no other.
  LocationId place(LocationId location);
  /// "/src/bank.cpp:12:3", or a module and an offset; empty if nothing is known.
  std::string text(LocationId location);
  /// "deposit(int)", of a text that was given out; empty if it is not known.
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
  std::vector<std::uint32_t> places_;                       ///< of each node; 0: not known yet
};

/// Hands on the events of another source with their place as location.
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

/// The locations of a whole trace become the texts of their places.
void name_places(Trace& trace, SourcePlaces& places);

}  // namespace omen::cli
