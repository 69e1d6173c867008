#include "capture/gcc/missing_checks.hpp"

namespace omen::gcc_plugin {
namespace {

enum class Access : unsigned char { Read, Write };

/// Whether other threads can have the address of the memory. The question and its answer are those of GCC's pass.
bool may_be_shared(tree memory) {
  tree base = get_base_address(memory);
  if (base == NULL_TREE) return false;
  if (TREE_CODE(base) == MEM_REF || TREE_CODE(base) == TARGET_MEM_REF) return true;
  if (!DECL_P(base) || TREE_READONLY(base) || (VAR_P(base) && DECL_HARD_REGISTER(base))) return false;
  if (is_global_var(base)) return true;
  if (!may_be_aliased(base)) return false;
  pt_solution escaped = {};
  escaped.escaped = 1;
  escaped.ipa_escaped = flag_ipa_pta != 0;
  return pt_solution_includes(&escaped, base);
}

bool pointer_may_be_shared(tree pointer) {
  return TREE_CODE(pointer) != ADDR_EXPR || may_be_shared(TREE_OPERAND(pointer, 0));
}

/// The check of an access, and what computes its address.
gimple_seq check_of(tree memory, Access access, location_t place) {
  const HOST_WIDE_INT bytes = int_size_in_bytes(TREE_TYPE(memory));
  if (bytes <= 0) return nullptr;
  gimple_seq check = nullptr;
  tree address = force_gimple_operand(build_fold_addr_expr(unshare_expr(memory)), &check, true, NULL_TREE);
  const built_in_function range = access == Access::Read ? BUILT_IN_TSAN_READ_RANGE : BUILT_IN_TSAN_WRITE_RANGE;
  gcall* const call = gimple_build_call(builtin_decl_implicit(range), 2, address, build_int_cst(size_type_node, bytes));
  gimple_seq_add_stmt_without_update(&check, call);
  for (gimple_stmt_iterator at = gsi_start(check); !gsi_end_p(at); gsi_next(&at)) {
    gimple_set_location(gsi_stmt(at), place);
  }
  return check;
}

/// What the call copies to pass it by value.
void check_arguments(gimple_stmt_iterator* at, gcall* call) {
  for (unsigned i = 0; i < gimple_call_num_args(call); ++i) {
    tree argument = gimple_call_arg(call, i);
    const bool is_memory = DECL_P(argument) || REFERENCE_CLASS_P(argument);
    if (!is_memory || is_gimple_reg(argument) || !may_be_shared(argument)) continue;
    if (gimple_seq check = check_of(argument, Access::Read, gimple_location(call)); check != nullptr) {
      gsi_insert_seq_before(at, check, GSI_SAME_STMT);
    }
  }
}

/// What the call returns into. The write is behind the call: the caller makes it, or the function called at its end.
/// Returns whether statements wait on an edge.
bool check_result(gimple_stmt_iterator* at, gcall* call) {
  tree result = gimple_call_lhs(call);
  if (result == NULL_TREE || is_gimple_reg(result) || !may_be_shared(result)) return false;
  gimple_seq check = check_of(result, Access::Write, gimple_location(call));
  if (check == nullptr) return false;
  if (!stmt_ends_bb_p(call)) {
    gsi_insert_seq_after(at, check, GSI_NEW_STMT);
    return false;
  }
  edge returns = find_fallthru_edge(gimple_bb(call)->succs);
  if (returns == nullptr) return false;
  gsi_insert_seq_on_edge(returns, check);
  return true;
}

/// The runtime's function in the place of a builtin one; null for all others.
const char* instrumented_name(gcall* call) {
  if (!gimple_call_builtin_p(call, BUILT_IN_NORMAL)) return nullptr;
  switch (DECL_FUNCTION_CODE(gimple_call_fndecl(call))) {
    case BUILT_IN_MEMCPY:
      return "__tsan_memcpy";
    case BUILT_IN_MEMMOVE:
      return "__tsan_memmove";
    case BUILT_IN_MEMSET:
      return "__tsan_memset";
    case BUILT_IN_MEMPCPY:
      return gimple_call_lhs(call) == NULL_TREE ? "__tsan_memcpy" : nullptr;
    default:
      return nullptr;
  }
}

/// A call that GCC cannot replace by loads and stores of its own, which nothing would check.
void redirect_builtin(gcall* call) {
  const char* const name = instrumented_name(call);
  if (name == nullptr) return;
  const bool is_fill = DECL_FUNCTION_CODE(gimple_call_fndecl(call)) == BUILT_IN_MEMSET;
  const bool reads = !is_fill && pointer_may_be_shared(gimple_call_arg(call, 1));
  if (!reads && !pointer_may_be_shared(gimple_call_arg(call, 0))) return;
  tree function = build_fn_decl(name, TREE_TYPE(gimple_call_fndecl(call)));
  TREE_NOTHROW(function) = 1;
  gimple_call_set_fndecl(call, function);
  gimple_call_set_fntype(call, TREE_TYPE(function));
  update_stmt(call);
}

constexpr pass_data kMissingChecks = {
    GIMPLE_PASS, "omen_missing_checks", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa};

class MissingChecks : public InstrumentingPass {
 public:
  MissingChecks(gcc::context* context, Level level) : InstrumentingPass(kMissingChecks, context, level) {}

  opt_pass* clone() override { return new MissingChecks(m_ctxt, level()); }

  unsigned execute(function* current) override {
    initialize_sanitizer_builtins();
    bool on_edges = false;
    basic_block block = nullptr;
    FOR_EACH_BB_FN(block, current) {
      for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
        auto* const call = dyn_cast<gcall*>(gsi_stmt(at));
        if (call == nullptr || gimple_call_internal_p(call)) continue;
        check_arguments(&at, call);
        redirect_builtin(call);
        on_edges |= check_result(&at, call);
      }
    }
    if (on_edges) gsi_commit_edge_inserts();
    return 0;
  }
};

}  // namespace

InstrumentingPass* missing_checks_pass(gcc::context* context, Level level) {
  return new MissingChecks(context, level);
}

}  // namespace omen::gcc_plugin
