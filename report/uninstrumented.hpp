/// \file
/// The option `ignore_noninstrumented_modules`: accesses that libraries without instrumentation make through functions
/// of the C library are not reported, for their synchronisation may be unknown.
#pragma once

#include "report/race_report.hpp"

namespace omen::report {

/// Removes the races of which an access was made by a module without instrumentation. Returns how many went.
std::size_t remove_uninstrumented(RunReport& report);

}  // namespace omen::report
