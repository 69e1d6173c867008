/// \file
/// GCC's own headers, in the one order in which they compile. They poison names of the C++ library, so a file includes
/// the library before this.
#pragma once

// clang-format off
#include "gcc-plugin.h"
#include "plugin-version.h"
#include "context.h"
#include "tree.h"
#include "gimple.h"
#include "tree-pass.h"
#include "ssa.h"
#include "cgraph.h"
#include "fold-const.h"
#include "gimplify.h"
#include "gimple-iterator.h"
#include "gimplify-me.h"
#include "tree-cfg.h"
#include "tree-dfa.h"
#include "tree-ssa-alias.h"
#include "stringpool.h"
#include "attribs.h"
#include "asan.h"
#include "output.h"
// clang-format on
