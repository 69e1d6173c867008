/// \file
/// A pass that runs beside GCC's ThreadSanitizer pass, in the functions that are instrumented. GCC has that pass twice:
/// among the optimisations, and for -O0 at the end of the others, which run at every level.
#pragma once

#include "capture/gcc/gcc_headers.hpp"

namespace omen::gcc_plugin {

enum class Level : unsigned char { O0, Optimized };

class InstrumentingPass : public gimple_opt_pass {
 public:
  InstrumentingPass(const pass_data& data, gcc::context* context, Level level)
      : gimple_opt_pass(data, context), level_(level) {}

  bool gate(function*) override {
    return sanitize_flags_p(SANITIZE_THREAD) && (optimize != 0) == (level_ == Level::Optimized);
  }

 protected:
  Level level() const { return level_; }

 private:
  Level level_;
};

}  // namespace omen::gcc_plugin
