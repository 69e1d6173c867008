#include <array>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "capture/gcc/updates.hpp"

namespace omen::gcc_plugin {
namespace {

/// Statements that a value may go through. More than that is no update that anybody wrote.
constexpr std::size_t kMostSteps = 32;

/// The hint in the order of an atomic operation that nobody uses its result (capture/runtime/dispatch/abi_atomics.cpp).
constexpr std::uint64_t kResultUnused = 0x10000;

/// Gives a value from values, whatever these are: it cannot trap, branch or touch memory.
bool only_computes(gimple* statement) {
  if (!is_gimple_assign(statement) || gimple_vuse(statement) != NULL_TREE) return false;
  if (TREE_CODE(gimple_assign_lhs(statement)) != SSA_NAME) return false;
  switch (gimple_assign_rhs_code(statement)) {
    case TRUNC_DIV_EXPR:
    case CEIL_DIV_EXPR:
    case FLOOR_DIV_EXPR:
    case ROUND_DIV_EXPR:
    case EXACT_DIV_EXPR:
    case TRUNC_MOD_EXPR:
    case CEIL_MOD_EXPR:
    case FLOOR_MOD_EXPR:
    case ROUND_MOD_EXPR:
      return false;  // a divisor may be zero, a quotient too large
    default:
      break;
  }
  const gimple_rhs_class kind = get_gimple_rhs_class(gimple_assign_rhs_code(statement));
  if (kind != GIMPLE_SINGLE_RHS) return true;
  const tree value = gimple_assign_rhs1(statement);
  return TREE_CODE(value) == SSA_NAME || is_gimple_min_invariant(value) || TREE_CODE(value) == ADDR_EXPR ||
         COMPARISON_CLASS_P(value);
}

bool goes_only_into(tree loaded, gimple* store) {
  std::vector<tree> values{loaded};
  std::unordered_set<tree> known{loaded};
  while (!values.empty()) {
    const tree value = values.back();
    values.pop_back();
    imm_use_iterator uses;
    use_operand_p use = nullptr;
    FOR_EACH_IMM_USE_FAST(use, uses, value) {
      gimple* const user = USE_STMT(use);
      if (is_gimple_debug(user)) continue;
      if (user == store) {
        if (gimple_assign_rhs1(store) != value) return false;  // its address
        continue;
      }
      if (!only_computes(user) || known.size() == kMostSteps) return false;
      if (known.insert(gimple_assign_lhs(user)).second) values.push_back(gimple_assign_lhs(user));
    }
  }
  return true;
}

constexpr std::array<built_in_function, 4> kReads = {BUILT_IN_TSAN_READ1, BUILT_IN_TSAN_READ2, BUILT_IN_TSAN_READ4,
                                                     BUILT_IN_TSAN_READ8};
constexpr std::array<built_in_function, 4> kWrites = {BUILT_IN_TSAN_WRITE1, BUILT_IN_TSAN_WRITE2, BUILT_IN_TSAN_WRITE4,
                                                      BUILT_IN_TSAN_WRITE8};

/// The bytes that a call checks as a whole, if it is one of the given builtin functions.
std::optional<unsigned> checked_bytes(gimple* statement, const std::array<built_in_function, 4>& functions) {
  if (statement == nullptr) return std::nullopt;
  for (unsigned i = 0; i < functions.size(); ++i) {
    if (gimple_call_builtin_p(statement, functions[i])) return 1U << i;
  }
  return std::nullopt;
}

gimple* previous(gimple_stmt_iterator at) {
  gsi_prev_nondebug(&at);
  return gsi_end_p(at) ? nullptr : gsi_stmt(at);
}

/// A load or store of one value: no aggregate, not volatile.
bool is_simple(gimple* statement) {
  return gimple_assign_single_p(statement) && !gimple_has_volatile_ops(statement) &&
         is_gimple_reg_type(TREE_TYPE(gimple_assign_lhs(statement)));
}

bool is_simple_load(gimple* statement) {
  return gimple_assign_load_p(statement) && is_simple(statement) && TREE_CODE(gimple_assign_lhs(statement)) == SSA_NAME;
}

/// Whether two accesses are of the same bytes. One of them may name a member, and the other an offset.
bool is_same_place(tree one, tree other) {
  if (operand_equal_p(one, other, OEP_ADDRESS_OF)) return true;
  poly_int64 offset = 0, other_offset = 0;
  const tree base = get_addr_base_and_unit_offset(one, &offset);
  const tree other_base = get_addr_base_and_unit_offset(other, &other_offset);
  return base != NULL_TREE && other_base != NULL_TREE && known_eq(offset, other_offset) &&
         operand_equal_p(base, other_base, OEP_ADDRESS_OF);
}

struct Update {
  gimple* read;  ///< the two checks
  gimple* write;
  unsigned bytes;
};

/// The update that begins with the load.
std::optional<Update> update_from(gimple_stmt_iterator at) {
  gimple* const load = gsi_stmt(at);
  gimple* const read = previous(at);
  const auto bytes = checked_bytes(read, kReads);
  if (!bytes) return std::nullopt;
  for (gsi_next_nondebug(&at); !gsi_end_p(at); gsi_next_nondebug(&at)) {
    gimple* const statement = gsi_stmt(at);
    if (is_gimple_assign(statement) && gimple_store_p(statement)) {
      gimple* const write = previous(at);
      const bool is_update = is_simple(statement) && checked_bytes(write, kWrites) == bytes &&
                             TREE_CODE(gimple_assign_rhs1(statement)) == SSA_NAME &&
                             is_same_place(gimple_assign_lhs(statement), gimple_assign_rhs1(load)) &&
                             goes_only_into(gimple_assign_lhs(load), statement);
      return is_update ? std::optional(Update{read, write, *bytes}) : std::nullopt;
    }
    const bool is_check = checked_bytes(statement, kReads) || checked_bytes(statement, kWrites);
    if (!is_check && !only_computes(statement) && !is_simple_load(statement)) return std::nullopt;
  }
  return std::nullopt;
}

/// The check of the write becomes one of the update.
void mark(gimple* write, unsigned bytes) {
  static constexpr std::array<const char*, 4> kNames = {"__omen_read_update1", "__omen_read_update2",
                                                        "__omen_read_update4", "__omen_read_update8"};
  gimple_stmt_iterator at = gsi_for_stmt(write);
  tree function = build_fn_decl(kNames[static_cast<unsigned>(exact_log2(bytes))],
                                build_function_type_list(void_type_node, ptr_type_node, NULL_TREE));
  TREE_NOTHROW(function) = 1;
  gcall* const check = gimple_build_call(function, 1, gimple_call_arg(write, 0));
  gimple_set_location(check, gimple_location(write));
  gsi_replace(&at, check, false);
}

void remove(gimple* check) {
  gimple_stmt_iterator at = gsi_for_stmt(check);
  unlink_stmt_vdef(check);
  gsi_remove(&at, true);
}

/// Read-modify-writes whose result is not used, and which write something that is computed from it.
void mark_atomic(gimple* statement) {
  if (!gimple_call_builtin_p(statement, BUILT_IN_NORMAL) || gimple_call_lhs(statement) != NULL_TREE) return;
  const auto code = static_cast<int>(DECL_FUNCTION_CODE(gimple_call_fndecl(statement)));
  const auto is_between = [code](built_in_function first, built_in_function last) {
    return code >= static_cast<int>(first) && code <= static_cast<int>(last);
  };
  // Of one operation the sizes 1 to 16 stand side by side in sanitizer.def.
  const bool computes = is_between(BUILT_IN_TSAN_ATOMIC8_FETCH_ADD, BUILT_IN_TSAN_ATOMIC128_FETCH_ADD) ||
                        is_between(BUILT_IN_TSAN_ATOMIC8_FETCH_SUB, BUILT_IN_TSAN_ATOMIC128_FETCH_SUB) ||
                        is_between(BUILT_IN_TSAN_ATOMIC8_FETCH_AND, BUILT_IN_TSAN_ATOMIC128_FETCH_AND) ||
                        is_between(BUILT_IN_TSAN_ATOMIC8_FETCH_OR, BUILT_IN_TSAN_ATOMIC128_FETCH_OR) ||
                        is_between(BUILT_IN_TSAN_ATOMIC8_FETCH_XOR, BUILT_IN_TSAN_ATOMIC128_FETCH_XOR) ||
                        is_between(BUILT_IN_TSAN_ATOMIC8_FETCH_NAND, BUILT_IN_TSAN_ATOMIC128_FETCH_NAND);
  if (!computes || gimple_call_num_args(statement) != 3) return;
  const tree order = gimple_call_arg(statement, 2);
  if (!tree_fits_uhwi_p(order)) return;
  gimple_call_set_arg(statement, 2, build_int_cst(TREE_TYPE(order), tree_to_uhwi(order) | kResultUnused));
}

constexpr pass_data kUpdates = {GIMPLE_PASS, "omen_updates", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0,
                                0,           TODO_update_ssa};

class Updates : public InstrumentingPass {
 public:
  Updates(gcc::context* context, Level level) : InstrumentingPass(kUpdates, context, level) {}

  opt_pass* clone() override { return new Updates(m_ctxt, level()); }

  unsigned execute(function* current) override {
    std::vector<Update> updates;
    basic_block block = nullptr;
    FOR_EACH_BB_FN(block, current) {
      for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
        gimple* const statement = gsi_stmt(at);
        if (is_gimple_call(statement)) mark_atomic(statement);
        if (!is_gimple_assign(statement) || !is_simple_load(statement)) continue;
        if (const auto update = update_from(at)) updates.push_back(*update);
      }
    }
    // Without optimisation `x += 2 * x` has two loads, and both go only into the store.
    std::unordered_set<gimple*> marked;
    for (const Update& update : updates) {
      remove(update.read);
      if (marked.insert(update.write).second) mark(update.write, update.bytes);
    }
    return 0;
  }
};

}  // namespace

InstrumentingPass* updates_pass(gcc::context* context, Level level) {
  return new Updates(context, level);
}

}  // namespace omen::gcc_plugin
