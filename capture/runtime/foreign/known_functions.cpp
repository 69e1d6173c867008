/// \file
/// The table of functions that a critical section may call and stay transparent. Each line has a reason. A function
/// that is not in the table counts as stateful. Intercepted functions are never looked up: their interceptors are part
/// of the program, and those with unmodelled state call `reach_hidden_state`.
///
/// A name means the function of that name in any library.
#include "capture/runtime/foreign/known_functions.hpp"

#include "capture/runtime/foreign/glib_hooks.hpp"
#include "capture/runtime/foreign/libgomp_hooks.hpp"
#include "capture/runtime/foreign/library_hooks.hpp"
#include "capture/runtime/foreign/tbb_hooks.hpp"

namespace omen::rt {
namespace {

struct Harmless {
  const char* reason;
  const char* names;  ///< separated by blanks
};

constexpr Harmless kHarmless[] = {
    // The C library.
    {"reads and writes its arguments only",
     "abs labs llabs div ldiv lldiv imaxabs imaxdiv ffs ffsl ffsll htons htonl ntohs ntohl toascii gnu_dev_major "
     "gnu_dev_minor gnu_dev_makedev __fdelt_chk __explicit_bzero_chk explicit_bzero"},
    {"mathematics; the state is the thread's",
     "acos acosf acosl acosh acoshf acoshl asin asinf asinl asinh asinhf asinhl atan atanf atanl atan2 atan2f atan2l "
     "atanh "
     "atanhf atanhl cbrt cbrtf cbrtl ceil ceilf ceill copysign copysignf copysignl cos cosf cosl cosh coshf coshl erf "
     "erff "
     "erfl erfc erfcf erfcl exp expf expl exp2 exp2f exp2l exp10 exp10f exp10l expm1 expm1f expm1l fabs fabsf fabsl "
     "fdim "
     "fdimf fdiml floor floorf floorl fma fmaf fmal fmax fmaxf fmaxl fmin fminf fminl fmod fmodf fmodl frexp frexpf "
     "frexpl "
     "hypot hypotf hypotl ilogb ilogbf ilogbl ldexp ldexpf ldexpl llrint llrintf llrintl llround llroundf llroundl log "
     "logf "
     "logl log10 log10f log10l log1p log1pf log1pl log2 log2f log2l logb logbf logbl lrint lrintf lrintl lround "
     "lroundf "
     "lroundl modf modff modfl nan nanf nanl nearbyint nearbyintf nearbyintl nextafter nextafterf nextafterl "
     "nexttoward "
     "nexttowardf nexttowardl pow powf powl remainder remainderf remainderl remquo remquof remquol rint rintf rintl "
     "round "
     "roundf roundl roundeven roundevenf scalbln scalblnf scalblnl scalbn scalbnf scalbnl sin sinf sinl sincos sincosf "
     "sincosl sinh sinhf sinhl sqrt sqrtf sqrtl tan tanf tanl tanh tanhf tanhl tgamma tgammaf tgammal trunc truncf "
     "truncl "
     "__fpclassify __fpclassifyf __fpclassifyl __signbit __signbitf __signbitl __isnan __isnanf __isinf __isinff "
     "__finite "
     "__finitef cabs cabsf carg cargf cexp cexpf clog clogf cpow cpowf csqrt csqrtf __muldc3 __mulsc3 __divdc3 "
     "__divsc3"},
    {"the thread's own",
     "__errno_location __h_errno_location gettid pthread_self pthread_equal thrd_current thrd_equal "
     "pthread_getspecific pthread_setspecific tss_get tss_set __tls_get_addr pthread_sigmask sigprocmask "
     "__sigsetjmp _setjmp setjmp sigaltstack pthread_setcancelstate pthread_setcanceltype "
     "pthread_testcancel __ctype_get_mb_cur_max"},
    {"writes a set of its caller's",
     "sigemptyset sigfillset sigaddset sigdelset sigismember pthread_attr_init "
     "pthread_attr_destroy pthread_attr_setdetachstate pthread_attr_setstacksize "
     "pthread_attr_getstack pthread_mutexattr_init pthread_mutexattr_destroy "
     "pthread_mutexattr_settype pthread_mutexattr_setpshared pthread_mutexattr_setprotocol "
     "pthread_mutexattr_setrobust pthread_rwlockattr_init pthread_rwlockattr_destroy "
     "pthread_rwlockattr_setkind_np pthread_condattr_init pthread_condattr_destroy "
     "pthread_condattr_setclock pthread_condattr_setpshared pthread_barrierattr_init "
     "pthread_barrierattr_destroy __sched_cpualloc __sched_cpucount __sched_cpufree"},
    {"constant for the process",
     "getpid getpagesize sysconf gnu_get_libc_version getauxval get_nprocs get_nprocs_conf "
     "__sysconf pthread_getattr_np pthread_getcpuclockid"},
    {"tables of the locale that never change", "__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc"},
    {"a clock: it changes by itself",
     "clock_gettime clock_getres gettimeofday time clock times getrusage timespec_get"},
    {"waits for time to pass",
     "nanosleep clock_nanosleep usleep sleep thrd_sleep sched_yield pthread_yield thrd_yield"},
    {"allocation gives out memory that nobody else has; its state is not observable",
     "malloc calloc realloc free cfree posix_memalign aligned_alloc memalign valloc pvalloc reallocarray "
     "malloc_usable_size "
     "malloc_trim mallinfo mallinfo2 mallopt __libc_freeres"},
    {"ends the thread, the process, or the function",
     "abort exit _exit _Exit quick_exit pthread_exit thrd_exit longjmp "
     "_longjmp siglongjmp __longjmp_chk __stack_chk_fail __fortify_fail "
     "__chk_fail __assert_fail __assert_perror_fail __assert"},
    {"locks and threads: what they do is recorded by the interceptors",
     "pthread_kill pthread_cancel pthread_detach thrd_detach pthread_mutex_consistent pthread_mutexattr_gettype "
     "cnd_signal cnd_broadcast cnd_destroy pthread_setname_np pthread_getname_np pthread_setaffinity_np "
     "pthread_getaffinity_np sched_getcpu"},
    {"start and end of modules",
     "__cxa_finalize __libc_start_main _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable "
     "__gmon_start__ __cxa_atexit __cxa_thread_atexit __cxa_thread_atexit_impl "
     "__register_frame_info __deregister_frame_info"},
    {"looks into modules, which are loaded and unloaded by functions that count",
     "dlsym dlvsym dladdr dladdr1 dlerror dl_iterate_phdr"},
    {"writes no state, and where it reads files or sockets, this is modelled by their descriptors",
     "fstat fstat64 __fxstat __fxstat64 isatty poll __poll_chk"},
    // Exceptions and run-time types.
    {"an exception is its thread's own",
     "__cxa_allocate_exception __cxa_free_exception __cxa_throw __cxa_rethrow __cxa_begin_catch __cxa_end_catch "
     "__cxa_get_exception_ptr __cxa_init_primary_exception __cxa_call_unexpected __cxa_call_terminate "
     "__cxa_get_globals "
     "__cxa_get_globals_fast __cxa_current_exception_type _ZSt18uncaught_exceptionv _ZSt19uncaught_exceptionsv "
     "_Unwind_Resume _Unwind_RaiseException _Unwind_Resume_or_Rethrow _Unwind_DeleteException _Unwind_GetIP "
     "_Unwind_GetIPInfo _Unwind_ForcedUnwind _Unwind_GetLanguageSpecificData _Unwind_GetRegionStart _Unwind_SetGR "
     "_Unwind_SetIP __gxx_personality_v0 __gcc_personality_v0 _ZSt9terminatev __cxa_bad_cast __cxa_bad_typeid "
     "__cxa_throw_bad_array_new_length __cxa_pure_virtual __cxa_deleted_virtual"},
    {"looks at types, which do not change",
     "__dynamic_cast _ZNKSt9type_infoeqERKS_ _ZNKSt9type_info6beforeERKS_ "
     "_ZNKSt9type_info7__equalERKS_ _ZNKSt9type_info4nameEv __cxa_demangle"},
    {"makes or destroys an exception, which its thread alone has",
     "_ZNSt9exceptionD2Ev _ZNSt9exceptionD1Ev _ZNSt11logic_errorC1EPKc _ZNSt11logic_errorC2EPKc _ZNSt11logic_errorD1Ev "
     "_ZNSt11logic_errorD2Ev _ZNSt13runtime_errorC1EPKc _ZNSt13runtime_errorC2EPKc _ZNSt13runtime_errorD1Ev "
     "_ZNSt13runtime_errorD2Ev _ZNSt12domain_errorC1EPKc _ZNSt12domain_errorD1Ev _ZNSt16invalid_argumentC1EPKc "
     "_ZNSt16invalid_argumentD1Ev _ZNSt12length_errorC1EPKc _ZNSt12length_errorD1Ev _ZNSt12out_of_rangeC1EPKc "
     "_ZNSt12out_of_rangeD1Ev _ZNSt11range_errorC1EPKc _ZNSt11range_errorD1Ev _ZNSt14overflow_errorC1EPKc "
     "_ZNSt14overflow_errorD1Ev _ZNSt9bad_allocD1Ev _ZNSt8bad_castD1Ev _ZNSt10bad_typeidD1Ev _ZNSt12system_errorD1Ev "
     "_ZNSt11logic_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE "
     "_ZNSt11logic_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE "
     "_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE "
     "_ZNSt13runtime_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE "
     "_ZNSt12out_of_rangeC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE "
     "_ZNSt16invalid_argumentC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE _ZNSt12future_errorD1Ev"},
    // The C++ library.
    {"a condition variable, whose waits are recorded by the interceptors; they may sleep, but keep nothing else",
     "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE _ZNSt18condition_variable10notify_oneEv "
     "_ZNSt18condition_variable10notify_allEv _ZNSt18condition_variableC1Ev _ZNSt18condition_variableC2Ev "
     "_ZNSt18condition_variableD1Ev _ZNSt18condition_variableD2Ev"},
    {"creating, joining and asking for threads is recorded by the interceptors",
     "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE "
     "_ZNSt6thread15_M_start_threadESt10shared_ptrINS_10_Impl_baseEEPFvvE _ZNSt6thread4joinEv _ZNSt6thread6detachEv "
     "_ZNSt6thread20hardware_concurrencyEv _ZNSt6thread6_StateD1Ev _ZNSt6thread6_StateD2Ev "
     "_ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE"},
    {"a once-flag is recorded by the interceptors; this calls the program", "__once_proxy"},
    {"sleeps while a word of the program has a value, and wakes others; the program looks at the word itself",
     "_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj "
     "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_"
     "ILl1ELl1000000000EEEE "
     "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_"
     "IlS3_ILl1ELl1000000000EEEE"},
    {"objects that exist once and never change",
     "_ZNSt3_V216generic_categoryEv _ZNSt3_V215system_categoryEv _ZSt15future_categoryv _ZSt17iostream_categoryv"},
    {"makes an object that nobody else has yet, or ends one that nobody else has any more",
     "_ZNSt13__future_base12_Result_baseC1Ev _ZNSt13__future_base12_Result_baseC2Ev "
     "_ZNSt13__future_base12_Result_baseD1Ev _ZNSt13__future_base12_Result_baseD2Ev _ZNSaIcEC1Ev _ZNSaIcEC2Ev "
     "_ZNSaIcED1Ev _ZNSaIcED2Ev _ZNSaIcEC1ERKS_ _ZNSaIcEC2ERKS_ _ZNSaIwEC1Ev _ZNSaIwED1Ev"},
};

/// Families of functions, by name prefix.
constexpr Harmless kHarmlessFamilies[] = {
    {"our own runtime, and others like it", "__tsan_ __sanitizer_ __omen_ __asan_ __ubsan_ __msan_ Annotate"},
    {"operator new and delete", "_Znw _Zna _Zdl _Zda"},
    {"clocks: they change by themselves", "_ZNSt6chrono3_V212steady_clock3now _ZNSt6chrono3_V212system_clock3now"},
    {"throws, which leaves the function",
     "_ZSt17__throw_ _ZSt16__throw_ _ZSt18__throw_ _ZSt19__throw_ _ZSt20__throw_ "
     "_ZSt21__throw_ _ZSt22__throw_ _ZSt23__throw_ _ZSt24__throw_ _ZSt25__throw_ "
     "_ZSt26__throw_ _ZSt27__throw_ _ZSt28__throw_"},
    {"an OpenMP runtime: the order that it gives is modelled by its hooks, or told by its tool",
     "GOMP_ __kmpc_ omp_get_ omp_set_ omp_unset_ omp_test_ omp_init_ omp_destroy_ omp_in_parallel omp_in_final "
     "omp_is_initial_device"},
    {"arithmetic that the processor does not have",
     "__udivti3 __divti3 __umodti3 __modti3 __mulodi4 __popcount "
     "__bswap __float __fix __addtf3 __subtf3 __multf3 __divtf3 "
     "__letf2 __getf2 __lttf2 __gttf2 __eqtf2 __netf2 __unordtf2 "
     "__extend __trunc"},
};

/// The names of `kHarmless`: open addressing, built at the first lookup.
constexpr u32 kPlaces = 4096;
const char* names[kPlaces];
bool made = false;

u32 length_of(const char* name) {
  u32 length = 0;
  while (name[length] != 0 && name[length] != ' ') ++length;
  return length;
}
u32 place_of(const char* name, u32 length) {
  u32 hash = 2166136261U;
  for (u32 i = 0; i < length; ++i) hash = (hash ^ static_cast<u8>(name[i])) * 16777619U;
  return (hash ^ hash >> 15) % kPlaces;
}

template <class Take>
void for_each_name(const Harmless& line, Take take) {
  for (const char* name = line.names; *name != 0;) {
    const u32 length = length_of(name);
    take(name, length);
    name += length;
    if (*name == ' ') ++name;
  }
}

void make() {
  made = true;
  for (const Harmless& line : kHarmless) {
    for_each_name(line, [](const char* name, u32 length) {
      u32 place = place_of(name, length);
      while (names[place] != nullptr) place = (place + 1) % kPlaces;
      names[place] = name;
    });
  }
}

bool equal(const char* entry, const char* name, u32 length) {
  for (u32 i = 0; i < length; ++i) {
    if (entry[i] != name[i]) return false;
  }
  return true;
}

bool is_harmless(const char* name) {
  const u32 length = static_cast<u32>(text_length(name));
  for (u32 place = place_of(name, length); names[place] != nullptr; place = (place + 1) % kPlaces) {
    if (length_of(names[place]) == length && equal(names[place], name, length)) return true;
  }
  bool found = false;
  for (const Harmless& line : kHarmlessFamilies) {
    for_each_name(line, [&](const char* family, u32 letters) {
      found = found || (letters <= length && equal(family, name, letters));
    });
  }
  return found;
}

}  // namespace

KnownFunction known_function(const char* name) {
  if (!made) make();
  const auto replaced = [&](const LibraryHook* hooks, u32 count) {
    u32 i = 0;
    while (i < count && !text_equal(hooks[i].name, name)) ++i;
    return i < count ? hooks + i : nullptr;
  };
  if (const LibraryHook* const hook = replaced(library_hooks, kLibraryHooks)) {
    return {KnownFunction::Kind::Replaced, reinterpret_cast<uptr>(hook->replacement), hook->original};
  }
  // LLVM's runtime has functions of the same names with other arguments.
  if (const LibraryHook* const hook = replaced(libgomp_hooks, libgomp_hook_count)) {
    return {KnownFunction::Kind::Replaced, reinterpret_cast<uptr>(hook->replacement), hook->original, "libgomp.so."};
  }
  if (const LibraryHook* const hook = replaced(tbb_hooks, tbb_hook_count)) {
    return {KnownFunction::Kind::Replaced, reinterpret_cast<uptr>(hook->replacement), hook->original, "libtbb.so."};
  }
  if (const LibraryHook* const hook = replaced(glib_hooks, glib_hook_count)) {
    return {KnownFunction::Kind::Replaced, reinterpret_cast<uptr>(hook->replacement), hook->original,
            "libglib-2.0.so."};
  }
  return {is_harmless(name) ? KnownFunction::Kind::Harmless : KnownFunction::Kind::Unknown};
}

}  // namespace omen::rt
