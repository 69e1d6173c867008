/// \file
/// A source whose events have passed the check of well-formedness. Everything downstream of a reader uses it.
#pragma once

#include <memory>

#include "trace/source.hpp"
#include "trace/well_formed.hpp"

namespace omen {

class ValidatedSource final : public EventSource {
 public:
  explicit ValidatedSource(std::unique_ptr<EventSource> inner) : inner_(std::move(inner)) {}

  std::expected<std::span<Event>, InputError> next() override {
    auto block = inner_->next();
    if (!block) return block;
    for (std::size_t i = 0; i < block->size(); ++i) {
      if (auto well_formed = rules_.check((*block)[i], inner_->names()); !well_formed) [[unlikely]] {
        return std::unexpected(inner_->error_at(i, std::move(well_formed.error())));
      }
    }
    return block;
  }

  InputError error_at(std::size_t i, std::string message) const override {
    return inner_->error_at(i, std::move(message));
  }
  const Names& names() const override { return inner_->names(); }
  double progress() const override { return inner_->progress(); }

 private:
  std::unique_ptr<EventSource> inner_;
  WellFormedness rules_;
};

}  // namespace omen
