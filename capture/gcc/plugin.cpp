/// \file
/// The plugin of GCC: what it adds around GCC's own ThreadSanitizer pass. omen-cc loads it where it fits the compiler.

#include "capture/abi/pass_mark.hpp"
#include "capture/gcc/gcc_headers.hpp"
#include "capture/gcc/missing_checks.hpp"
#include "capture/gcc/updates.hpp"

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

using omen::gcc_plugin::Level;

namespace {

void add_pass(const char* plugin, opt_pass* pass, const char* beside, pass_positioning_ops where) {
  register_pass_info info = {pass, beside, 0, where};
  register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

/// The object says that it was compiled with a pass that marks updates.
void mark_object(void*, void*) {
  if (sanitize_flags_p(SANITIZE_THREAD, NULL_TREE)) fputs(omen::abi::kPassMark, asm_out_file);
}

}  // namespace

/// GCC's interface. A plugin of another release of GCC would misread its data: then it does nothing.
extern "C" __attribute__((visibility("default"))) int plugin_init(plugin_name_args* arguments,
                                                                  plugin_gcc_version* compiler) {
  if (!plugin_default_version_check(compiler, &gcc_version)) return 0;
  const char* const name = arguments->base_name;
  for (const Level level : {Level::O0, Level::Optimized}) {
    const char* const beside = level == Level::O0 ? "tsan0" : "tsan";
    add_pass(name, omen::gcc_plugin::missing_checks_pass(g, level), beside, PASS_POS_INSERT_BEFORE);
    add_pass(name, omen::gcc_plugin::updates_pass(g, level), beside, PASS_POS_INSERT_AFTER);
  }
  register_callback(name, PLUGIN_FINISH_UNIT, mark_object, nullptr);
  return 0;
}
