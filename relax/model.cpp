#include "relax/model.hpp"

namespace omen::relax {

// The table is in the order of the enumeration.
static_assert(name(Model::Ca) == "ca" && name(Model::Value) == "value" && name(Model::Paths) == "paths");

}  // namespace omen::relax
