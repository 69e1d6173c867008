/// \file
/// The witness checker. A witness is a sequence of event indices that ends with the racing pair. It is accepted if it
/// is a correct reordering under DATA, or LW, after which the pair is co-enabled (docs/event-model.md, "Reorderings").
/// The witness of a deadlock ends with its requests instead: after the reordering each is its thread's next event and
/// waits for the thread of the following one, the last for the first's (docs/event-model.md, "Deadlocks";
/// deadlock_rule.cpp).
///
/// It shares no code with what it checks: it uses the trace, the rules of well-formedness that every reader applies,
/// and the definition. The constructor indexes the trace in linear time; a witness then takes time linear in its own
/// length. Any sequence of numbers is a valid argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "trace/trace.hpp"
#include "trace/well_formed.hpp"

namespace omen::checker {

/// When a reordered prefix is an execution of the program (docs/event-model.md, "Reorderings").
enum class Model : std::uint8_t {
  Lw,    ///< every read keeps its last writer
  Data,  ///< as LW except for reads of updates; the writer has its recorded value
};

struct Refusal {
  std::size_t step;    ///< the position in the witness at which the rule is broken
  std::string reason;  ///< in words, with the events' texts
};

class Checker {
 public:
  /// The trace must be well formed, have fewer than 2^32 - 1 events, and outlive the checker.
  explicit Checker(const Trace& trace, Model model = Model::Data);

  Model model() const { return model_; }
  /// Under another model than the constructor's.
  std::expected<void, Refusal> accepts(std::span<const std::uint32_t> witness, Model model) const;

  /// May be called from several threads at once.
  std::expected<void, Refusal> accepts(std::span<const std::uint32_t> witness) const {
    return accepts(witness, model_);
  }
  /// The last `requests` events of the witness are the requests.
  std::expected<void, Refusal> accepts_deadlock(std::span<const std::uint32_t> witness, std::size_t requests) const {
    return accepts_deadlock(witness, requests, model_);
  }
  std::expected<void, Refusal> accepts_deadlock(std::span<const std::uint32_t> witness, std::size_t requests,
                                                Model model) const;

  /// One witness, event by event, for witnesses that are too long to store.
  class Run;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// In place of the last writer: its value is not its recorded one.
  static constexpr std::uint32_t kChanged = kNone - 1;

  std::uint32_t life_of(std::uint32_t access) const;
  bool conflict(std::uint32_t e, std::uint32_t f) const;
  std::string text(std::uint32_t event) const;
  bool holds(ThreadId thread, LockId lock, bool also_shared, std::span<const std::uint32_t> done) const;
  bool waits(std::uint32_t request, ThreadId thread, const Run& after, std::span<const std::uint32_t> done) const;

  const Trace& trace_;
  Model model_;
  std::vector<std::uint32_t> position_;  ///< of each event in its thread
  /// What an event saw in the trace, `kNone` for nothing. A read: the last write, free or allocation of its variable. A
  /// write or free: the last allocation. An atomic load or rmw: the last atomic write. A barrier event: its round.
  std::vector<std::uint32_t> saw_;
  std::vector<std::uint32_t> arrivals_;  ///< of each barrier round
  std::vector<std::uint32_t> events_;    ///< of each thread: how many
  std::vector<std::uint32_t> fork_;      ///< of each thread: the fork, or `kNone`
};

/// Each call returns false if it rejects; after that `refusal` is set, and no further call is allowed.
class Checker::Run {
 public:
  explicit Run(const Checker& of) : Run(of, of.model_) {}
  Run(const Checker& of, Model model);

  bool step(std::uint32_t event);
  /// The end of the witness.
  bool race(std::uint32_t one, std::uint32_t other);
  const Refusal& refusal() const { return refusal_; }

  /// The thread has executed everything before the event and not the event itself.
  bool is_next(std::uint32_t event) const { return of_.position_[event] == done_of(of_.trace_.events[event].thread); }
  std::uint32_t done_of(ThreadId thread) const { return done_[index(thread)]; }
  /// The thread has been forked, or was there from the start.
  bool forked(ThreadId t) const;

 private:
  struct Cell {
    std::uint32_t touched = kNone;    ///< the last write, free or allocation
    std::uint32_t allocated = kNone;  ///< the last allocation
  };

  bool refuse(std::string reason);
  bool enter(std::uint32_t i, bool racing);
  bool execute(std::uint32_t i, const Event& e, bool racing);
  bool update(std::uint32_t i, const Event& e);
  bool sees_another(std::uint32_t i, std::uint32_t sees, std::uint32_t saw);

  const Checker& of_;
  Model model_;
  Refusal refusal_{0, ""};
  WellFormedness rules_;
  std::size_t steps_ = 0;
  std::vector<std::uint32_t> done_;    ///< by each thread
  std::vector<Cell> cells_;            ///< of each variable
  std::vector<std::uint32_t> stored_;  ///< of each atomic: the last write
  /// DATA, for each thread: its last read of an update, and whether that returned the recorded value.
  struct UpdateRead {
    std::uint32_t event = kNone;
    bool kept = false;
  };
  std::vector<UpdateRead> reads_;
  std::vector<std::uint32_t> arrived_;  ///< at each barrier round
};

/// For one witness of a trace.
inline std::expected<void, Refusal> accepts(const Trace& trace, std::span<const std::uint32_t> witness) {
  return Checker(trace).accepts(witness);
}

}  // namespace omen::checker
