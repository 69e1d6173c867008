#include "analysis/registry.hpp"

#include <algorithm>
#include <array>

#include "analysis/analysis.hpp"
#include "analysis/levels/ft2.hpp"
#include "analysis/levels/fto.hpp"
#include "analysis/levels/smarttrack.hpp"
#include "analysis/levels/unopt.hpp"
#include "analysis/relations/dc.hpp"
#include "analysis/relations/hb.hpp"
#include "analysis/relations/wcp.hpp"
#include "analysis/relations/wdc.hpp"
#include "analysis/thread_slots.hpp"

namespace omen {
namespace {

template <class Relation, template <class> class Level>
class Boxed final : public AnyAnalysis {
 public:
  Boxed(RaceSink& sink, const Tuning& tuning) : analysis_(sink, tuning) {}

  void run(std::span<const Event> events) override {
    for (const Event& event : events) analysis_.handle(event, EventIndex{next_++});
  }
  const RuleCounters& counters() const override { return analysis_.analysis().counters(); }

 private:
  WithThreadSlots<Analysis<Relation, Level>> analysis_;
  std::uint64_t next_ = 0;
};

template <class Relation, template <class> class Level>
constexpr AnalysisInfo entry(std::string_view name) {
  return {name, Relation::kName, Level<Relation>::kName,
          [](RaceSink& sink, const Tuning& tuning) -> std::unique_ptr<AnyAnalysis> {
            return std::make_unique<Boxed<Relation, Level>>(sink, tuning);
          }};
}

constexpr std::array<AnalysisInfo, 12> kAnalyses{
    entry<Hb, Unopt>("unopt-hb"),   entry<Hb, Ft2>("ft2-hb"),   entry<Hb, Fto>("fto-hb"),
    entry<Wcp, Unopt>("unopt-wcp"), entry<Wcp, Fto>("fto-wcp"), entry<Wcp, SmartTrack>("st-wcp"),
    entry<Dc, Unopt>("unopt-dc"),   entry<Dc, Fto>("fto-dc"),   entry<Dc, SmartTrack>("st-dc"),
    entry<Wdc, Unopt>("unopt-wdc"), entry<Wdc, Fto>("fto-wdc"), entry<Wdc, SmartTrack>("st-wdc"),
};

}  // namespace

std::span<const AnalysisInfo> all_analyses() {
  return kAnalyses;
}

const AnalysisInfo* find_analysis(std::string_view name) {
  const auto found = std::ranges::find(kAnalyses, name, &AnalysisInfo::name);
  return found == kAnalyses.end() ? nullptr : &*found;
}

}  // namespace omen
