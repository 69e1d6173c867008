/* Enough of the runtime's symbols to link and run an instrumented program, for driver tests where the real one is not built. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ACCESS(name) \
  void __tsan_##name(void* p) { (void)p; }
#define SIZES(name) ACCESS(name##1) ACCESS(name##2) ACCESS(name##4) ACCESS(name##8) ACCESS(name##16)
SIZES(read)
SIZES(write)
SIZES(unaligned_read)
SIZES(unaligned_write)
SIZES(read_write)

void __tsan_init(void) {}
void __omen_runtime_is_missing_v2(void) {}
void __tsan_func_entry(void* pc) { (void)pc; }
void __tsan_func_exit(void) {}
void __tsan_read_range(void* p, size_t n) { (void)p, (void)n; }
void __tsan_write_range(void* p, size_t n) { (void)p, (void)n; }
void __omen_read_bytes(void* p, unsigned long mask) { (void)p, (void)mask; }
void __omen_write_bytes(void* p, unsigned long mask) { (void)p, (void)mask; }
void __omen_read_range(void* p, unsigned long n) { (void)p, (void)n; }
void __omen_write_range(void* p, unsigned long n) { (void)p, (void)n; }
void __omen_read_write_range(void* p, unsigned long n) { (void)p, (void)n; }
void __omen_read_strided(void* p, unsigned long n, long stride, unsigned long mask) { (void)p, (void)n, (void)stride, (void)mask; }
void __omen_write_strided(void* p, unsigned long n, long stride, unsigned long mask) { (void)p, (void)n, (void)stride, (void)mask; }
void __omen_read_write_strided(void* p, unsigned long n, long stride, unsigned long mask) { (void)p, (void)n, (void)stride, (void)mask; }
void __omen_read_update1(void* p) { (void)p; }
void __omen_read_update2(void* p) { (void)p; }
void __omen_read_update4(void* p) { (void)p; }
void __omen_read_update8(void* p) { (void)p; }
void __omen_prefetch(const void* p) { (void)p; }
void __tsan_vptr_read(void* p) { (void)p; }
void __tsan_vptr_update(void* p, void* v) { (void)p, (void)v; }
void* __tsan_memcpy(void* to, const void* from, size_t n) { return memcpy(to, from, n); }
void* __tsan_memmove(void* to, const void* from, size_t n) { return memmove(to, from, n); }
void* __tsan_memset(void* to, int c, size_t n) { return memset(to, c, n); }

void __tsan_atomic_thread_fence(int order) { (void)order, __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int order) { (void)order; }
#define ATOMIC(bits, type)                                                                                     \
  type __tsan_atomic##bits##_load(const type* p, int order) {                                                 \
    (void)order;                                                                                              \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                              \
  }                                                                                                           \
  void __tsan_atomic##bits##_store(type* p, type v, int order) {                                              \
    (void)order;                                                                                              \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                                 \
  }                                                                                                           \
  type __tsan_atomic##bits##_fetch_add(type* p, type v, int order) {                                          \
    (void)order;                                                                                              \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                                        \
  }                                                                                                           \
  type __tsan_atomic##bits##_fetch_sub(type* p, type v, int order) {                                          \
    (void)order;                                                                                              \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                                        \
  }                                                                                                           \
  int __tsan_atomic##bits##_compare_exchange_strong(type* p, type* expected, type v, int order, int other) { \
    (void)order, (void)other;                                                                                 \
    return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
  }
ATOMIC(8, unsigned char)
ATOMIC(16, unsigned short)
ATOMIC(32, unsigned)
ATOMIC(64, unsigned long)

/* What clang's plugin lets code look at: there is no room for a frame, and nothing is known of any memory, so it calls. */
static struct { void *top, *last; } no_frames[2] = {{no_frames, 0}};
__thread void* __omen_stack = no_frames;
__thread unsigned long __omen_now;
unsigned long __omen_lines[1UL << 21];

/* Where control leaves instrumented code. The marks are counted, and change no register; every thread looks at the targets of its
   indirect calls. */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

__thread unsigned __omen_transparent = 1;
uintptr_t omen_trusted_begin, omen_trusted_end; /* nothing is trusted: thunks ask for every target */
static long marks;
static uintptr_t foreign_begin, foreign_end, program_begin, program_end;

long stub_marks(void) {
  long now = marks;
  marks = 0;
  return now;
}
__asm__(".globl __omen_leave\n.type __omen_leave, @function\n__omen_leave: incq marks(%rip)\nret\n");

static int find_program(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size, (void)unused;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (program_begin == 0) program_begin = begin;
    program_end = begin + info->dlpi_phdr[i].p_memsz;
  }
  FILE* file = fopen("/proc/self/exe", "rb");
  ElfW(Ehdr) header;
  if (file == NULL || fread(&header, sizeof header, 1, file) != 1) return 1;
  ElfW(Shdr)* sections = malloc(header.e_shnum * sizeof *sections);
  fseek(file, (long)header.e_shoff, SEEK_SET);
  if (fread(sections, sizeof *sections, header.e_shnum, file) != header.e_shnum) return 1;
  for (int i = 0; i < header.e_shnum; ++i) {
    char name[20] = "";
    fseek(file, (long)(sections[header.e_shstrndx].sh_offset + sections[i].sh_name), SEEK_SET);
    if (fread(name, 1, sizeof name - 1, file) == 0 || strcmp(name, ".omen.foreign") != 0) continue;
    foreign_begin = info->dlpi_addr + sections[i].sh_addr;
    foreign_end = foreign_begin + sections[i].sh_size;
  }
  free(sections);
  fclose(file);
  return 1; /* the first is the program */
}
__attribute__((constructor)) static void prepare(void) { dl_iterate_phdr(find_program, NULL); }

__attribute__((target("general-regs-only"))) char omen_is_foreign(uintptr_t address) {
  if (address - foreign_begin < foreign_end - foreign_begin) return 1;
  return address - program_begin >= program_end - program_begin;
}
