/// \file
/// The option `ignore_noninstrumented_modules`: races are not reported if a library without instrumentation makes one
/// of the accesses through a function of the C library, because the library's synchronisation may be invisible.
#pragma once

#include "report/race_report.hpp"

namespace omen::report {

/// Removes the races with an access from a module without instrumentation. Returns their number.
std::size_t remove_uninstrumented(RunReport& report);

}  // namespace omen::report
