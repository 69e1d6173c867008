#include "capture/pass/checks.hpp"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <string>

#include "capture/pass/instrumented.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

constexpr StringLiteral kUpdate = "__omen_read_update";  // and the number of bytes

constexpr int64_t kLargestAccess = 16;  // of __tsan_read16

bool is_volatile_access(const Instruction* access) {
  if (const auto* load = dyn_cast_or_null<LoadInst>(access)) return load->isVolatile();
  if (const auto* store = dyn_cast_or_null<StoreInst>(access)) return store->isVolatile();
  return false;
}

/// `__tsan_` is gone from the name. False for names that are no check of an access of known size.
bool read_sized_name(StringRef name, Check& check) {
  const bool unaligned = name.consume_front("unaligned_");
  if (name.consume_front("read_write")) {
    check.kind = Kind::ReadWrite;
  } else if (name.consume_front("read")) {
    check.kind = Kind::Read;
  } else if (name.consume_front("write")) {
    check.kind = Kind::Write;
  } else {
    return false;
  }
  int64_t bytes = 0;
  if (name.getAsInteger(10, bytes) || bytes < 1 || bytes > kLargestAccess ||
      !isPowerOf2_64(static_cast<uint64_t>(bytes))) {
    return false;
  }
  check.runs = {{0, bytes}};
  // The instrumentation calls an access aligned if it is so to its size, or to eight bytes.
  check.alignment = Align(unaligned ? 1 : std::min<uint64_t>(static_cast<uint64_t>(bytes), 8));
  return true;
}

bool read_range_name(StringRef name, const CallInst& call, Check& check) {
  if (name == "__omen_read_range") {
    check.kind = Kind::Read;
  } else if (name == "__omen_write_range") {
    check.kind = Kind::Write;
  } else if (name == "__omen_read_write_range") {
    check.kind = Kind::ReadWrite;
  } else {
    return false;
  }
  Value* const length = call.getArgOperand(1);
  const auto* known = dyn_cast<ConstantInt>(length);
  if (known == nullptr) {
    check.length = length;
  } else {
    check.runs = {{0, known->getSExtValue()}};
  }
  return true;
}

bool read_mask_name(StringRef name, const CallInst& call, Check& check) {
  if (name != "__omen_read_bytes" && name != "__omen_write_bytes") return false;
  const auto* mask = dyn_cast<ConstantInt>(call.getArgOperand(1));
  if (mask == nullptr) return false;
  check.kind = name == "__omen_read_bytes" ? Kind::Read : Kind::Write;
  check.runs = runs_of(mask->getZExtValue());
  return true;
}

StringRef name_of(Kind kind) {
  switch (kind) {
    case Kind::Read:
      return "read";
    case Kind::Write:
      return "write";
    case Kind::ReadWrite:
      return "read_write";
  }
  llvm_unreachable("a kind");
}

bool is_aligned_access(int64_t bytes, Align alignment) {
  return alignment.value() >= std::min<uint64_t>(static_cast<uint64_t>(bytes), 8);
}

bool is_access_size(int64_t bytes) {
  return bytes >= 1 && bytes <= kLargestAccess && isPowerOf2_64(static_cast<uint64_t>(bytes));
}

/// Bytes of which one call of the instrumentation's own says all. Sixteen without alignment can lie in three cells of
/// the runtime, which is more than a look there: a mask is better.
bool is_one_access(ArrayRef<Run> runs, Align alignment) {
  if (runs.size() != 1 || !is_access_size(runs[0].size())) return false;
  return runs[0].size() < kLargestAccess || is_aligned_access(kLargestAccess, alignment);
}

CallInst* make_call(IRBuilderBase& builder, const Twine& name, ArrayRef<Value*> arguments) {
  Module& module = *builder.GetInsertBlock()->getModule();
  SmallVector<Type*, 2> types;
  for (const Value* argument : arguments) types.push_back(argument->getType());
  AttributeList attributes;
  attributes = attributes.addFnAttribute(module.getContext(), Attribute::NoUnwind);
  CallInst* const call = builder.CreateCall(
      module.getOrInsertFunction(name.str(), FunctionType::get(builder.getVoidTy(), types, false), attributes),
      arguments);
  call->addFnAttr(Attribute::WillReturn);
  call->setDoesNotAccessMemory();
  return call;
}

}  // namespace

bool is_check_function(StringRef name) {
  // Updates (updates.hpp) are checks that are neither moved nor joined: see `as_update`.
  if (name.starts_with("__omen_")) return name != "__omen_leave" && !name.starts_with(kUpdate);
  if (!name.consume_front("__tsan_")) return false;
  for (const StringRef begin : {"read", "write", "unaligned_", "volatile_", "vptr_"}) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

std::optional<Check> as_check(Instruction& instruction) {
  auto* const call = dyn_cast<CallInst>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr || call->arg_empty()) return std::nullopt;
  StringRef name = call->getCalledFunction()->getName();
  if (!is_check_function(name) || call->hasFnAttr(kLooked)) return std::nullopt;
  Check check;
  check.call = call;
  check.address = call->getArgOperand(0);
  const bool known = read_range_name(name, *call, check) || read_mask_name(name, *call, check) ||
                     (name.consume_front("__tsan_") && call->arg_size() == 1 && read_sized_name(name, check));
  // The instrumentation's calls stand immediately before their accesses.
  if (!known || is_volatile_access(call->getNextNonDebugInstruction())) return std::nullopt;
  return check;
}

std::optional<Check> as_update(Instruction& instruction) {
  auto* const call = dyn_cast<CallInst>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr || call->arg_size() != 1) return std::nullopt;
  StringRef name = call->getCalledFunction()->getName();
  int64_t bytes = 0;
  if (!name.consume_front(kUpdate) || name.getAsInteger(10, bytes)) return std::nullopt;
  Check check;
  check.call = call;
  check.kind = Kind::ReadWrite;
  check.address = call->getArgOperand(0);
  check.runs = {{0, bytes}};
  return check;
}

void unite(Runs& runs) {
  std::ranges::sort(runs, {}, &Run::begin);
  Runs united;
  for (const Run& run : runs) {
    if (!united.empty() && run.begin <= united.back().end) {
      united.back().end = std::max(united.back().end, run.end);
    } else {
      united.push_back(run);
    }
  }
  runs = std::move(united);
}

uint64_t mask_of(ArrayRef<Run> runs, int64_t begin) {
  uint64_t mask = 0;
  for (const Run& run : runs)
    mask |= maskTrailingOnes<uint64_t>(static_cast<unsigned>(run.size())) << (run.begin - begin);
  return mask;
}

Runs runs_of(uint64_t mask) {
  Runs runs;
  for (int64_t at = 0; at < kMaskBytes; ++at) {
    if ((mask >> at & 1) != 0) runs.push_back({at, at + 1});
  }
  unite(runs);
  return runs;
}

bool has_function(Kind kind, ArrayRef<Run> runs, Align alignment) {
  if (kind == Kind::ReadWrite) {  // a mask of both there is not
    return runs.size() == 1 && is_access_size(runs[0].size()) && is_aligned_access(runs[0].size(), alignment);
  }
  return runs.size() == 1 || runs.back().end - runs.front().begin <= kMaskBytes;
}

CallInst* make_check(IRBuilderBase& builder, Kind kind, Value* address, ArrayRef<Run> runs, Align alignment) {
  assert(has_function(kind, runs, alignment));
  const int64_t begin = runs.front().begin;
  const int64_t span = runs.back().end - begin;
  Value* const first =
      begin == 0 ? address : builder.CreatePtrAdd(address, builder.getInt64(static_cast<uint64_t>(begin)));
  if (is_one_access(runs, alignment)) {
    const StringRef unaligned = is_aligned_access(span, alignment) ? "" : "unaligned_";
    return make_call(builder, "__tsan_" + unaligned + name_of(kind) + Twine(span), {first});
  }
  if (span > kMaskBytes) return make_range_check(builder, kind, first, builder.getInt64(static_cast<uint64_t>(span)));
  return make_mask_check(builder, kind, first, builder.getInt64(mask_of(runs, begin)));
}

void make_read_write_checks(IRBuilderBase& builder, Value* address, ArrayRef<Run> runs, Align alignment) {
  if (has_function(Kind::ReadWrite, runs, alignment)) {
    make_check(builder, Kind::ReadWrite, address, runs, alignment);
    return;
  }
  for (const Kind kind : {Kind::Read, Kind::Write}) make_check(builder, kind, address, runs, alignment);
}

CallInst* make_mask_check(IRBuilderBase& builder, Kind kind, Value* address, Value* mask) {
  assert(kind != Kind::ReadWrite);  // a mask of both there is not
  return make_call(builder, "__omen_" + name_of(kind) + "_bytes", {address, mask});
}

CallInst* make_strided_check(IRBuilderBase& builder, Kind kind, Value* address, Value* count, Value* stride,
                             Value* mask) {
  return make_call(builder, "__omen_" + name_of(kind) + "_strided", {address, count, stride, mask});
}

std::optional<Kind> kind_of_strided_check(const Instruction& instruction) {
  const auto* const call = dyn_cast<CallInst>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr) return std::nullopt;
  const StringRef name = call->getCalledFunction()->getName();
  for (const Kind kind : {Kind::Read, Kind::Write, Kind::ReadWrite}) {
    if (name == ("__omen_" + name_of(kind) + "_strided").str()) return kind;
  }
  return std::nullopt;
}

CallInst* make_range_check(IRBuilderBase& builder, Kind kind, Value* address, Value* length) {
  return make_call(builder, "__omen_" + name_of(kind) + "_range", {address, length});
}

}  // namespace omen::placement
