/// \file
/// The races of a program that the detector must report, by the definitions.
///
/// - *First race.* The first access that is reported is the first one that races by the definition, or there is
/// neither.
///   Every access that it is reported with races with it by the definition.
/// - *Pairs.* With happens-before every pair that is reported is a race by the definition. With prediction that holds
/// of
///   the first one. Later, and that is at the next byte of the same access, the state of racing memory has lost
///   accesses that are not ordered, and with them sections that rule (a) would find; so: later pairs conflict, and hard
///   order does not order them.
/// - *Observed.* Every report says rightly whether happens-before orders the pair.
/// - *Racy memory.* Of each byte, in each of its lives, the first access that races by the definition is reported (with
///   happens-before), or that one or an earlier race of the byte (with prediction, see above). Accesses of one thread
///   between two releases are one to the detector, so the other access of the report may be one to another byte.
///   So it may when another thread has given the memory a new life in the meantime.
/// - *Nothing else.* Which of several earlier accesses is named, and which later races of the same byte are told, is
///   left to the detector.
#pragma once

#include <string>
#include <vector>

#include "test/online/traces/definition.hpp"
#include "test/online/traces/detector.hpp"

namespace omen::traces {

/// Empty if the reports are correct; their steps are counted from the program's first.
std::string disagreement(const Program& program, Relation relation, const Verdict& truth,
                         const std::vector<Report>& reports);

}  // namespace omen::traces
