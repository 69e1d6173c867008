/// \file
/// From a program's tree back to its source. What is printed parses to the same tree, but for positions.
#pragma once

#include <string>

#include "mini/ast.hpp"

namespace omen::mini {

std::string print(const Program& program);
std::string print(const Expression& expression);

}  // namespace omen::mini
