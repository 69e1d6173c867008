// The answers of the sanitizers' common interface about places in the program.
// BUILD: -rdynamic
// EXPECT: none
// OUTPUT: done
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((weak)) int __sanitizer_get_module_and_offset_for_pc(void*, char*, size_t, void**);
__attribute__((weak)) void __sanitizer_symbolize_pc(void*, const char*, char*, size_t);
__attribute__((weak)) void __sanitizer_symbolize_global(void*, const char*, char*, size_t);
__attribute__((weak)) int __sanitizer_acquire_crash_state(void);
__attribute__((weak)) void __sanitizer_print_stack_trace(void);
__attribute__((weak)) void __sanitizer_set_report_path(const char*);
__attribute__((weak)) void __sanitizer_set_report_fd(void*);
__attribute__((weak)) void __sanitizer_set_death_callback(void (*)(void));
__attribute__((weak)) void __sanitizer_report_error_summary(const char*);

int a_global[4];

int main(int count, char** words) {
  (void)count;
  if (__sanitizer_get_module_and_offset_for_pc) {
    const char* name = strrchr(words[0], '/') ? strrchr(words[0], '/') + 1 : words[0];
    char path[4096];
    void *first = 0, *second = 0;
    if (!__sanitizer_get_module_and_offset_for_pc((void*)main, path, sizeof path, &first)) puts("no module");
    if (!strstr(path, name)) puts("another module");
    __sanitizer_get_module_and_offset_for_pc((char*)main + 1, 0, 0, &second);
    if ((char*)second - (char*)first != 1) puts("offset");
    if (!__sanitizer_get_module_and_offset_for_pc((void*)getppid, path, sizeof path, &first) || !strstr(path, "libc"))
      puts("library");
    if (!__sanitizer_get_module_and_offset_for_pc((void*)main, path, 3, &first) || strlen(path) != 2) puts("cut");
    if (__sanitizer_get_module_and_offset_for_pc((void*)16, path, sizeof path, &first)) puts("nowhere");
    memset(path, 'x', sizeof path);
    __sanitizer_symbolize_pc((void*)main, "%p %L", path, sizeof path);
    if (!strlen(path) || path[strlen(path) + 1]) puts("place");
    __sanitizer_symbolize_global(&a_global[1], "%g", path, sizeof path);
    if (!strstr(path, "a_global")) puts("variable");
    if (__sanitizer_acquire_crash_state() != 1 || __sanitizer_acquire_crash_state() != 0) puts("state");
    __sanitizer_print_stack_trace();
    __sanitizer_set_report_path("nothing");
    __sanitizer_set_report_fd((void*)2);
    __sanitizer_set_death_callback(0);
    __sanitizer_report_error_summary("nothing");
  }
  puts("done");
}
