#include "vindicate/vindicate_race.hpp"

#include "vindicate/construct.hpp"

namespace omen::vindicate {

GraphAnswer vindicate_race(const TraceIndex& index, const ConflictOrder& order, Pair pair, std::size_t max_nodes) {
  using Kind = GraphAnswer::Kind;
  ConstraintGraph graph(index, order, pair, max_nodes);
  GraphAnswer answer;
  const auto stop = [&](Kind kind) {
    answer.kind = kind;
    answer.statistics = graph.statistics();
    return answer;
  };
  while (true) {
    switch (graph.add_lock_edges()) {
      case ConstraintGraph::State::TooLarge:
        return stop(Kind::TooLarge);
      case ConstraintGraph::State::Cycle:  // after a retry, it only shows that the choice was wrong
        return stop(graph.statistics().retries == 0 && graph.exact() ? Kind::NoRaceUnderCa : Kind::DontKnow);
      case ConstraintGraph::State::Acyclic:
        break;
    }
    auto built = construct(graph);
    if (auto* witness = std::get_if<std::vector<EventNo>>(&built)) {
      answer.witness = std::move(*witness);
      return stop(Kind::Race);
    }
    const auto& missing = std::get<MissingEnds>(built).ends;
    if (missing.empty()) return stop(Kind::DontKnow);
    ++graph.statistics().retries;
    for (const EventNo end : missing) graph.ask(end);
  }
}

}  // namespace omen::vindicate
