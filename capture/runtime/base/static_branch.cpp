#include "capture/runtime/base/static_branch.hpp"

#include <sys/syscall.h>

#include "capture/runtime/base/code.hpp"

namespace omen::rt {

/// Distances from the fields themselves.
struct StaticBranch {
  int site;
  int target;
};
static_assert(sizeof(StaticBranch) == 8);

namespace {

constexpr std::size_t kBytes = 5;
constexpr u8 kNothing[kBytes] = {0x0f, 0x1f, 0x44, 0x00, 0x00};  // nopl 0(%rax,%rax)
constexpr u8 kJump = 0xe9;                                       // jmp rel32
constexpr int kSoftwareError = 70;

uptr address_of(const int& distance) {
  return reinterpret_cast<uptr>(&distance) + static_cast<uptr>(static_cast<std::ptrdiff_t>(distance));
}

bool take(const StaticBranch& branch) {
  const uptr site = address_of(branch.site);
  if (__builtin_memcmp(reinterpret_cast<const void*>(site), kNothing, kBytes) != 0) return false;
  u8 jump[kBytes] = {kJump};
  const int distance = static_cast<int>(address_of(branch.target) - (site + kBytes));
  copy_bytes(jump + 1, &distance, sizeof distance);
  return replace_code(site, jump, kBytes);
}

}  // namespace
}  // namespace omen::rt

/// Every entry, laid out consecutively by the linker.
extern "C" const omen::rt::StaticBranch __start_omen_static_branches[];
extern "C" const omen::rt::StaticBranch __stop_omen_static_branches[];

namespace omen::rt {

bool take_static_branches() {
  for (const StaticBranch* branch = __start_omen_static_branches; branch != __stop_omen_static_branches; ++branch) {
    if (take(*branch)) continue;
    if (branch == __start_omen_static_branches) return false;
    // A program must not be controlled in part: the controlled threads would wait for turns that never come.
    Message() << "the code of the program cannot be changed; is there a breakpoint in omen's runtime?";
    system_call(__NR_exit_group, kSoftwareError);
  }
  return true;
}

}  // namespace omen::rt
