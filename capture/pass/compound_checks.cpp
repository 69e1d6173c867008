#include "capture/pass/compound_checks.hpp"

#include "llvm/ADT/SmallVector.h"

#include <map>
#include <tuple>

#include "capture/pass/addresses.hpp"
#include "capture/pass/barriers.hpp"
#include "capture/pass/checks.hpp"
#include "capture/pass/source_lines.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// Base, first byte, number of bytes, line.
using Key = std::tuple<const SCEV*, int64_t, int64_t, SourceLine>;

class Compounds {
 public:
  explicit Compounds(ScalarEvolution& evolution) : evolution_(evolution) {}

  bool join(BasicBlock& block) {
    SmallVector<std::pair<Check, Check>, 8> pairs;
    std::map<Key, Check> reads;
    for (Instruction& instruction : block) {
      if (const auto check = as_check(instruction)) {
        if (check->runs.size() != 1) continue;
        const Place place = place_of(check->address, evolution_);
        if (place.base == nullptr) continue;
        const Key key{place.base, place.offset, check->runs.front().size(), source_line(instruction)};
        if (check->kind == Kind::Read) {
          reads.try_emplace(key, *check);
        } else if (const auto found = reads.find(key); found != reads.end() && check->kind == Kind::Write) {
          pairs.emplace_back(found->second, *check);
          reads.erase(found);
        }
      } else if (is_barrier(instruction)) {
        reads.clear();
      }
    }
    bool changed = false;
    for (const auto& [read, write] : pairs) changed |= join(read, write);
    return changed;
  }

 private:
  static bool join(const Check& read, const Check& write) {
    if (!has_function(Kind::ReadWrite, read.runs, read.alignment)) return false;
    IRBuilder<> builder(read.call);
    make_check(builder, Kind::ReadWrite, read.address, read.runs, read.alignment);
    read.call->eraseFromParent();
    write.call->eraseFromParent();
    return true;
  }

  ScalarEvolution& evolution_;
};

}  // namespace

bool join_reads_with_writes(Function& function, ScalarEvolution& evolution) {
  bool changed = false;
  for (BasicBlock& block : function) changed |= Compounds(evolution).join(block);
  return changed;
}

}  // namespace omen::placement
