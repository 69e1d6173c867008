/// \file
/// System calls without the C library, announced with linux_syscall_hooks.h. Without a runtime that has these functions
/// only the call is made.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#define HOOKS(name, ...)                                                                    \
  __attribute__((weak)) void __sanitizer_syscall_pre_impl_##name(__VA_ARGS__);              \
  __attribute__((weak)) void __sanitizer_syscall_post_impl_##name(long result, ##__VA_ARGS__);
HOOKS(read, long, long, long)
HOOKS(write, long, long, long)
HOOKS(pipe2, long, long)
HOOKS(clock_gettime, long, long)
__attribute__((weak)) void __sanitizer_syscall_pre_impl_fork(void);
__attribute__((weak)) void __sanitizer_syscall_post_impl_fork(long result);

/// Makes the call between its hooks.
#define CALL(name, number, ...)                                                                                   \
  ({                                                                                                              \
    if (__sanitizer_syscall_pre_impl_##name) __sanitizer_syscall_pre_impl_##name(__VA_ARGS__);                    \
    const long call_result = by_hand(number, ##__VA_ARGS__);                                                      \
    if (__sanitizer_syscall_post_impl_##name) __sanitizer_syscall_post_impl_##name(call_result, ##__VA_ARGS__);   \
    call_result;                                                                                                  \
  })
#define by_hand(number, ...) syscall(number, ##__VA_ARGS__)
