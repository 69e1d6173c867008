#include "capture/runtime/foreign/library_hooks.hpp"

// containers.c, stubs.cpp, and allocation_sites.cpp
extern "C" {
#define OMEN_HOOK(name) __attribute__((visibility("hidden"))) void name()
OMEN_HOOK(omen_list_hook);
OMEN_HOOK(omen_list_unhook);
OMEN_HOOK(omen_list_transfer);
OMEN_HOOK(omen_list_reverse);
OMEN_HOOK(omen_list_swap);
OMEN_HOOK(omen_tree_increment);
OMEN_HOOK(omen_tree_decrement);
OMEN_HOOK(omen_tree_insert);
OMEN_HOOK(omen_tree_erase);
OMEN_HOOK(omen_hash_bytes);
OMEN_HOOK(omen_need_rehash);
OMEN_HOOK(omen_next_buckets);
OMEN_HOOK(omen_syscall);
OMEN_HOOK(omen_hook_Znwm);
OMEN_HOOK(omen_hook_Znam);
OMEN_HOOK(omen_hook_ZnwmRKSt9nothrow_t);
OMEN_HOOK(omen_hook_ZnamRKSt9nothrow_t);
OMEN_HOOK(omen_hook_ZnwmSt11align_val_t);
OMEN_HOOK(omen_hook_ZnamSt11align_val_t);
OMEN_HOOK(omen_hook_ZnwmSt11align_val_tRKSt9nothrow_t);
OMEN_HOOK(omen_hook_ZnamSt11align_val_tRKSt9nothrow_t);
#undef OMEN_HOOK
extern __attribute__((visibility("hidden"))) std::atomic<omen::rt::uptr> omen_real_hash_bytes;
extern __attribute__((visibility("hidden"))) std::atomic<omen::rt::uptr> omen_real_need_rehash;
extern __attribute__((visibility("hidden"))) std::atomic<omen::rt::uptr> omen_real_next_buckets;
extern __attribute__((visibility("hidden"))) std::atomic<omen::rt::uptr> omen_real_syscall;
#define OMEN_REAL_NEW(name) extern __attribute__((visibility("hidden"))) std::atomic<omen::rt::uptr> omen_real##name
OMEN_REAL_NEW(_Znwm);
OMEN_REAL_NEW(_Znam);
OMEN_REAL_NEW(_ZnwmRKSt9nothrow_t);
OMEN_REAL_NEW(_ZnamRKSt9nothrow_t);
OMEN_REAL_NEW(_ZnwmSt11align_val_t);
OMEN_REAL_NEW(_ZnamSt11align_val_t);
OMEN_REAL_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t);
OMEN_REAL_NEW(_ZnamSt11align_val_tRKSt9nothrow_t);
#undef OMEN_REAL_NEW
}

namespace omen::rt {

const LibraryHook library_hooks[kLibraryHooks] = {
    {"_ZNSt8__detail15_List_node_base7_M_hookEPS0_", omen_list_hook, nullptr},
    {"_ZNSt8__detail15_List_node_base9_M_unhookEv", omen_list_unhook, nullptr},
    {"_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_", omen_list_transfer, nullptr},
    {"_ZNSt8__detail15_List_node_base10_M_reverseEv", omen_list_reverse, nullptr},
    {"_ZNSt8__detail15_List_node_base4swapERS0_S1_", omen_list_swap, nullptr},
    {"_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", omen_tree_increment, nullptr},
    {"_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", omen_tree_increment, nullptr},
    {"_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", omen_tree_decrement, nullptr},
    {"_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base", omen_tree_decrement, nullptr},
    {"_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_", omen_tree_insert, nullptr},
    {"_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_", omen_tree_erase, nullptr},
    {"_ZSt11_Hash_bytesPKvmm", omen_hash_bytes, &omen_real_hash_bytes},
    {"_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm", omen_need_rehash, &omen_real_need_rehash},
    {"_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm", omen_next_buckets, &omen_real_next_buckets},
    {"syscall", omen_syscall, &omen_real_syscall},
    // These let the stack of an allocation include the caller.
    {"_Znwm", omen_hook_Znwm, &omen_real_Znwm},
    {"_Znam", omen_hook_Znam, &omen_real_Znam},
    {"_ZnwmRKSt9nothrow_t", omen_hook_ZnwmRKSt9nothrow_t, &omen_real_ZnwmRKSt9nothrow_t},
    {"_ZnamRKSt9nothrow_t", omen_hook_ZnamRKSt9nothrow_t, &omen_real_ZnamRKSt9nothrow_t},
    {"_ZnwmSt11align_val_t", omen_hook_ZnwmSt11align_val_t, &omen_real_ZnwmSt11align_val_t},
    {"_ZnamSt11align_val_t", omen_hook_ZnamSt11align_val_t, &omen_real_ZnamSt11align_val_t},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", omen_hook_ZnwmSt11align_val_tRKSt9nothrow_t,
     &omen_real_ZnwmSt11align_val_tRKSt9nothrow_t},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", omen_hook_ZnamSt11align_val_tRKSt9nothrow_t,
     &omen_real_ZnamSt11align_val_tRKSt9nothrow_t},
    // Names in the libraries' debug mode.
    {"_ZNSt9__cxx199815_List_node_base7_M_hookEPS0_", omen_list_hook, nullptr},
    {"_ZNSt9__cxx199815_List_node_base9_M_unhookEv", omen_list_unhook, nullptr},
};

}  // namespace omen::rt
