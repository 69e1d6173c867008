/* Included by omen-cc into code whose compiler omits accesses that another thread can see, where no plugin adds them
   (docs/instrumentation.md). It tells the runtime which program or library contains such code. */
#pragma GCC system_header
#if !defined(__ASSEMBLER__) && !defined(OMEN_INCOMPLETE_H)
#define OMEN_INCOMPLETE_H
#ifdef __cplusplus
extern "C" {
#endif
void __omen_incomplete(void) __attribute__((weak)); /* weak: for programs that are linked without the runtime */
__attribute__((constructor(101), used, disable_sanitizer_instrumentation)) static void __omen_says_incomplete(void) {
  if (__omen_incomplete) __omen_incomplete();
}
#ifdef __cplusplus
}
#endif
#endif
