/// \file
/// Prints a program's tree as source. The output parses to the same tree, except for positions.
#pragma once

#include <string>

#include "mini/ast.hpp"

namespace omen::mini {

std::string print(const Program& program);
std::string print(const Expression& expression);

}  // namespace omen::mini
