/// \file
/// Calls on a path: of functions that are interpreted, and of the library's whose effect is known without them.
///
/// An allocation gives the path memory of its own, at addresses where the run has none. It stays the path's own when
/// its address is stored where others can read it: in every witness the others keep the addresses that they used.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "native/path_run.hpp"

namespace omen::native {

using llvm::dyn_cast;
using values::Act;
using values::ExprOp;

namespace {

constexpr std::uint64_t kLargestBlock = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostZeros = std::uint64_t{1} << 16;

struct Known {
  std::string_view name;
  PathRun::Service service;
};
using enum PathRun::Service;
/// A signal to those who wait for a condition orders nothing: a wait may end without one (docs/event-model.md).
constexpr std::array<Known, 19> kServices{{{"usleep", Unnoticed},
                                           {"sleep", Unnoticed},
                                           {"sched_yield", Unnoticed},
                                           {"pthread_cond_signal", Unnoticed},
                                           {"pthread_cond_broadcast", Unnoticed},
                                           {"_ZNSt18condition_variable10notify_oneEv", Unnoticed},
                                           {"_ZNSt18condition_variable10notify_allEv", Unnoticed},
                                           {"pthread_mutex_lock", Lock},
                                           {"pthread_mutex_unlock", Unlock},
                                           {"malloc", Allocate},
                                           {"_Znwm", Allocate},
                                           {"_Znam", Allocate},
                                           {"_ZnwmRKSt9nothrow_t", Allocate},
                                           {"calloc", AllocateZeros},
                                           {"free", Free},
                                           {"_ZdlPv", Free},
                                           {"_ZdlPvm", Free},
                                           {"_ZdaPv", Free},
                                           {"_ZdaPvm", Free}}};

}  // namespace

PathRun::Flow PathRun::calls(Frame& frame, const llvm::CallBase& call) {
  if (call.isInlineAsm()) return Flow::Ended;
  if (const auto* const known = dyn_cast<llvm::IntrinsicInst>(&call)) {
    const auto result = known->hasMetadata(abi::kRecordedMark) ? std::nullopt : intrinsic(frame, *known);
    if (!result) return Flow::Ended;
    frame.results[&call] = *result;
    return Flow::Next;
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) {
    const Word pointer = words_.fix(word(frame, *call.getCalledOperand()));
    callee = pointer.is_undefined ? nullptr : program_.function_at(pointer.bits);
    if (callee == nullptr) return Flow::Ended;
  }
  const llvm::StringRef name = callee->getName();
  if (name.starts_with("__omen_value_")) return Flow::Next;
  if (const llvm::Function* const own = program_.definition(*callee)) return known_call(frame, call, *own);
  const auto* const known = std::ranges::find(kServices, std::string_view(name.data(), name.size()), &Known::name);
  return known != kServices.end() && serve(known->service, frame, call) ? comes_back(frame, call) : Flow::Ended;
}

/// False: it ends the path.
bool PathRun::serve(Service service, Frame& frame, const llvm::CallBase& call) {
  Result& result = frame.results[&call];
  result = {};
  switch (service) {
    case Service::Unnoticed:
      return true;
    case Service::Lock:
      return lock(frame, call, /*acquires=*/true);
    case Service::Unlock:
      return lock(frame, call, /*acquires=*/false);
    case Service::Allocate:
      return allocate(fixed(frame, *call.getArgOperand(0)), /*zeros=*/false, result.word);
    case Service::AllocateZeros: {
      const Word count = fixed(frame, *call.getArgOperand(0));
      const Word size = fixed(frame, *call.getArgOperand(1));
      if (count.bits > kMostZeros || size.bits > kMostZeros) return false;
      return allocate(words_.binary(ExprOp::Mul, 64, count, size), /*zeros=*/true, result.word);
    }
    case Service::Free:
      return free(frame, *call.getArgOperand(0));
  }
  return false;
}

PathRun::Flow PathRun::has_returned(Frame& frame, const llvm::CallBase& call) {
  frame.results[&call] = returned_;
  return comes_back(frame, call);
}

/// False: it is not a mutex that is known, or the thread has it already, or has not.
bool PathRun::lock(Frame& frame, const llvm::CallBase& call, bool acquires) {
  const auto address = address_of(frame, *call.getArgOperand(0));
  if (!address) return false;
  const auto known = run_.locks.find(*address);
  if (known == run_.locks.end()) {
    const NameTable& names = recording_.trace.names.of(OperandKind::Lock);
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(*address));
    for (std::uint32_t id = 0; id < names.size(); ++id) {
      if (names[id].starts_with(text.data())) return false;
    }
    return acquires ? own_held_.insert(*address).second : own_held_.erase(*address) != 0;
  }
  if (!known->second) return false;
  if (!(acquires ? held_.insert(*known->second).second : held_.erase(*known->second) != 0)) return false;
  emit(acquires ? Act::Acquire : Act::Release, *known->second);
  return true;
}

/// False: it is too large, or its size undefined.
bool PathRun::allocate(Word bytes, bool zeros, Word& address) {
  if (bytes.is_undefined || bytes.bits > (zeros ? kMostZeros : kLargestBlock)) return false;
  address = {heap_top_, values::kNoExpr, false};
  heap_top_ += (bytes.bits / 64 + 1) * 64;
  blocks_[address.bits] = bytes.bits;
  if (zeros) private_.store_zeros(address.bits, bytes.bits);
  return true;
}

/// False: it is not a block of the path's own.
bool PathRun::free(Frame& frame, const llvm::Value& pointer) {
  const auto address = address_of(frame, pointer);
  if (!address || *address == 0) return address.has_value();
  const auto block = blocks_.find(*address);
  if (block == blocks_.end()) return false;
  private_.forget(block->first, block->second);
  blocks_.erase(block);
  return true;
}

}  // namespace omen::native
