#include "vindicate/certificate_order.hpp"

#include <algorithm>
#include <iterator>

namespace omen::vindicate {

CertificateOrder::CertificateOrder(const TraceIndex& index, Pair pair)
    : index_(&index), pair_(pair), limit_(index.threads()), known_(index.threads(), 0) {
  for (std::size_t t = 0; t < limit_.size(); ++t) limit_[t] = static_cast<std::uint32_t>(index.events_of(t).size());
  for (const EventNo e : {pair.first, pair.second}) limit_[index.thread(e)] = index.position(e);
}

bool CertificateOrder::begin(std::vector<Followed>& trail) {
  for (const EventNo e : {pair_.first, pair_.second}) {
    const std::size_t t = index_->thread(e);
    known_[t] = index_->position(e);
    const auto before = index_->events_of(t).first(known_[t]);
    new_.insert(new_.end(), before.begin(), before.end());
  }
  for (const EventNo e : {pair_.first, pair_.second}) {
    bool possible = true;
    index_->for_each_goal_need(
        e, [&](EventNo f) { possible = possible && (is_known(f) || follow(rule_of(f, e), f, e, trail)); });
    if (!possible) return false;
  }
  return close(trail);
}

bool CertificateOrder::know(EventNo e, std::vector<Followed>& trail) {
  std::uint32_t& known = known_[index_->thread(e)];
  const auto events = index_->events_of(index_->thread(e));
  while (known <= index_->position(e)) new_.push_back(events[known++]);
  if (is_beyond(e)) {
    beyond_ = e;
    return false;
  }
  return close(trail);
}

/// Makes `from` known; its needs are followed later.
bool CertificateOrder::follow(EdgeRule rule, EventNo from, EventNo to, std::vector<Followed>& trail) {
  std::uint32_t& known = known_[index_->thread(from)];
  trail.push_back({{rule, from, to}, known});
  const auto events = index_->events_of(index_->thread(from));
  while (known <= index_->position(from)) new_.push_back(events[known++]);
  if (!is_beyond(from)) return true;
  beyond_ = from;
  return false;
}

bool CertificateOrder::close(std::vector<Followed>& trail) {
  while (followed_ < new_.size()) {
    const EventNo e = new_[followed_++];
    ++work_;
    bool possible = true;
    index_->for_each_lw_need(
        e, [&](EventNo f) { possible = possible && (is_known(f) || follow(rule_of(f, e), f, e, trail)); });
    if (!possible) return false;
  }
  return true;
}

/// Needs and predecessors come earlier in the trace, so they have their clocks.
void CertificateOrder::order() {
  std::ranges::sort(new_);
  for (const EventNo e : new_) {
    const std::size_t t = index_->thread(e);
    if (!column_.contains(t)) add_column(t);
    const std::size_t column = column_.at(t);
    const std::size_t row = clocks_.size() / stride_;
    clocks_.resize(clocks_.size() + stride_, 0);
    std::uint32_t* const mine = &clocks_[row * stride_];
    const auto join = [&](EventNo f) {
      const std::uint32_t* const theirs = clock(f);
      for (std::size_t i = 0; i < columns_; ++i) mine[i] = std::max(mine[i], theirs[i]);
    };
    if (index_->position(e) > 0) join(index_->events_of(t)[index_->position(e) - 1]);
    index_->for_each_lw_need(e, [&](EventNo f) {
      join(f);
      targets_[f].push_back(e);
    });
    mine[column] = index_->position(e) + 1;
    rows_[column].push_back(static_cast<std::uint32_t>(row));
    ordered_.push_back(e);
    work_ += columns_ / 8 + 1;
  }
  new_.clear();
  followed_ = 0;
}

void CertificateOrder::add_column(std::size_t thread) {
  column_.emplace(thread, columns_++);
  rows_.emplace_back();
  if (columns_ <= stride_) return;
  std::vector<std::uint32_t> wider(clocks_.size() * 2, 0);
  for (std::size_t row = 0; row * stride_ < clocks_.size(); ++row) {
    std::copy_n(clocks_.begin() + static_cast<std::ptrdiff_t>(row * stride_), stride_,
                wider.begin() + static_cast<std::ptrdiff_t>(row * stride_ * 2));
  }
  clocks_ = std::move(wider);
  stride_ *= 2;
}

void CertificateOrder::assume(EventNo a, EventNo b) {
  targets_[a].push_back(b);
  assumed_[b].push_back(a);
  std::vector<EventNo> changed{a};
  while (!changed.empty()) {
    const EventNo e = changed.back();
    changed.pop_back();
    const auto push = [&](EventNo f) {
      ++work_;
      const std::uint32_t* const from = clock(e);
      std::uint32_t* const to = clock(f);
      bool more = false;
      for (std::size_t i = 0; i < columns_; ++i) {
        more = more || from[i] > to[i];
        to[i] = std::max(to[i], from[i]);
      }
      if (more) changed.push_back(f);
    };
    if (const auto found = targets_.find(e); found != targets_.end()) std::ranges::for_each(found->second, push);
    const auto events = index_->events_of(index_->thread(e));
    const std::uint32_t next = index_->position(e) + 1;
    if (next < rows_[column_of(e)].size()) push(events[next]);
  }
}

EdgeRule CertificateOrder::rule_of(EventNo from, EventNo to) const {
  const Op op = index_->event(to).op;
  const bool hard = index_->event(from).op == Op::Fork || op == Op::Join || op == Op::BarrierLeave;
  return hard ? EdgeRule::Hard : EdgeRule::Source;
}

/// For an edge to b: finds its source, which is a or comes after a.
EventNo CertificateOrder::source_that_covers(EventNo a, EventNo b, EdgeRule& rule) const {
  const auto covers = [&](EventNo f) { return f == a || precedes(a, f); };
  EventNo source = kNone;
  index_->for_each_lw_need(b, [&](EventNo f) {
    if (source == kNone && covers(f)) source = f;
  });
  if (source != kNone) {
    rule = rule_of(source, b);
    return source;
  }
  rule = EdgeRule::Assumed;
  return *std::ranges::find_if(assumed_.at(b), covers);
}

std::vector<Edge> CertificateOrder::path(EventNo a, EventNo b) const {
  std::vector<Edge> backwards;
  while (a != b) {
    if (index_->thread(a) == index_->thread(b)) {
      backwards.push_back({EdgeRule::Thread, a, b});
      break;
    }
    // The first event of b's thread that comes after a learned it by an edge.
    const auto events = index_->events_of(index_->thread(b)).first(index_->position(b) + 1);
    const EventNo first = *std::ranges::partition_point(events, [&](EventNo e) { return !precedes(a, e); });
    if (first != b) backwards.push_back({EdgeRule::Thread, first, b});
    EdgeRule rule = EdgeRule::Assumed;
    const EventNo source = source_that_covers(a, first, rule);
    backwards.push_back({rule, source, first});
    b = source;
  }
  std::ranges::reverse(backwards);
  return backwards;
}

}  // namespace omen::vindicate
