/// \file
/// Random programs, a pure function of the seed: the judges' random traces, whose variables become pieces of memory
/// that are separate, adjacent, across cells and lines, or overlapping; accessed whole, in parts, together.
#pragma once

#include <cstdint>

#include "test/judges/trace_generator.hpp"
#include "test/online/traces/definition.hpp"
#include "test/online/traces/program.hpp"

namespace omen::traces {

/// One program of five does whatever is possible with a few bytes. Every other one has had some accesses taken out that
/// race, by the definition of `relation`, the first one each time: so there are races late in a program, and programs
/// without any that are nearly racy.
Program generate(std::uint64_t seed, Relation relation);

}  // namespace omen::traces
