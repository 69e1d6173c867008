// Checks that concern whole functions.
void unknown(void);

// CHECKS not_sanitized: func_entry leave func_exit -> func_entry leave func_exit
__attribute__((no_sanitize("thread"))) void not_sanitized(int* p) {
  *p = 1;
  unknown();
}

// CHECKS only_passes_on: func_entry func_exit -> func_entry func_exit
__attribute__((no_sanitize("thread"))) void only_passes_on(void) {
  unknown();
}

// CHECKS assembly_writes: func_entry leave func_exit -> func_entry leave func_exit
void assembly_writes(int* p) {
  asm volatile("incl (%0)" : : "r"(p) : "memory");
  unknown();
}

// CHECKS assembly_of_registers: func_entry write4 func_exit -> func_entry write4 func_exit
void assembly_of_registers(int* p) {
  int x = 3;
  asm volatile("bswap %0\n\tmfence\n\tpause" : "+r"(x) : : "memory");
  *p = x;
}

// CHECKS not_optimised: func_entry read4 write4 read4 func_exit -> func_entry read4 write4 read4 func_exit
__attribute__((optnone, noinline)) int not_optimised(int* restrict p, int* q) {
  return *p + (*q = 1) + *p;
}

// CHECKS naked: ->
__attribute__((naked)) void naked(void) {
  asm("ret");
}

// CHECKS once: func_entry write4 func_exit -> func_entry write4 func_exit
void once(int* p) {
  *p = 1;
}

// CHECKS tsan.module_ctor: init -> init

// CHECKS fetches_ahead: func_entry read4 func_exit -> func_entry prefetch read4 func_exit
int fetches_ahead(int* p) {
  __builtin_prefetch(p + 64);
  return *p;
}
