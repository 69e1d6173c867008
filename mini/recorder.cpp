#include "mini/recorder.hpp"

#include "mini/shadow.hpp"

namespace omen::mini {
namespace {

class Recorder final : public Shadow {
 public:
  using Shadow::Shadow;

 protected:
  values::ValueId emit(values::ValueEvent event, values::Width defines) override {
    if (defines != 0) event.value = trace_.expressions.new_value(defines);
    trace_.events.push_back(event);
    return event.value;
  }
};

}  // namespace

Recording record(const Code& code, Scheduler& scheduler, std::uint64_t max_steps) {
  Recording recording;
  Recorder recorder(recording.trace);
  Machine machine(code, Machine::Limits{}, &recorder);
  recording.run = run(machine, scheduler, &recorder, max_steps);
  return recording;
}

}  // namespace omen::mini
