#include "vindicate/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>

#include "trace/quote.hpp"

namespace omen::vindicate {
namespace {

using Kind = CertificateStep::Kind;

constexpr std::array<std::string_view, 5> kRules{"thread", "hard", "source", "assumed", "pair"};
constexpr std::array<std::string_view, 5> kKinds{"follow", "rivals", "writers", "cycle", "impossible"};

template <std::size_t N>
std::optional<std::size_t> find(const std::array<std::string_view, N>& words, std::string_view word) {
  const auto at = std::ranges::find(words, word);
  if (at == words.end()) return std::nullopt;
  return static_cast<std::size_t>(at - words.begin());
}

/// The words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  bool at_end() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
    return rest_.empty();
  }
  std::string_view word() {
    if (at_end()) return {};
    const std::string_view found = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(found.size());
    return found;
  }
  std::optional<EventNo> event() {
    const std::string_view text = word();
    EventNo number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
    return number;
  }
  std::optional<Edge> edge() {
    const auto rule = find(kRules, word());
    const auto from = event();
    const auto to = event();
    if (!rule || !from || !to) return std::nullopt;
    return Edge{static_cast<EdgeRule>(*rule), *from, *to};
  }

 private:
  std::string_view rest_;
};

std::optional<CertificateStep> parse_step(std::string_view line) {
  Words words(line);
  const auto kind = find(kKinds, words.word());
  if (!kind) return std::nullopt;
  CertificateStep step{.kind = static_cast<Kind>(*kind)};
  if (step.kind == Kind::Rivals || step.kind == Kind::Writers) {
    const auto first = words.event();
    const auto second = words.event();
    if (!first || !second) return std::nullopt;
    step.first = *first;
    step.second = *second;
  } else if (step.kind != Kind::Impossible) {
    do {
      const auto edge = words.edge();
      if (!edge) return std::nullopt;
      step.edges.push_back(*edge);
    } while (step.kind == Kind::Cycle && !words.at_end());
  }
  if (!words.at_end()) return std::nullopt;
  return step;
}

std::optional<Pair> parse_pair(std::string_view line) {
  Words words(line);
  if (words.word() != "pair") return std::nullopt;
  const auto first = words.event();
  const auto second = words.event();
  if (!first || !second || !words.at_end()) return std::nullopt;
  return Pair{*first, *second};
}

}  // namespace

std::string_view name(EdgeRule rule) {
  return kRules[static_cast<std::size_t>(rule)];
}

std::size_t branches(Kind kind) {
  switch (kind) {
    case Kind::Follow:
      return 1;
    case Kind::Rivals:
    case Kind::Writers:
      return 2;
    case Kind::Cycle:
    case Kind::Impossible:
      return 0;
  }
  return 0;
}

std::string to_text(const Certificate& certificate) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "pair {} {}\n", certificate.pair.first, certificate.pair.second);
  for (const CertificateStep& step : certificate.steps) {
    text += kKinds[static_cast<std::size_t>(step.kind)];
    if (step.first != kNone) fmt::format_to(out, " {} {}", step.first, step.second);
    for (const Edge& edge : step.edges) fmt::format_to(out, " {} {} {}", name(edge.rule), edge.from, edge.to);
    text += '\n';
  }
  return text;
}

std::expected<std::vector<Certificate>, InputError> read_certificates(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(InputError{path, "", "cannot read"});
  std::vector<Certificate> certificates;
  std::size_t open = 0;  // branches still to be read
  std::size_t number = 0;
  const auto bad = [&](const std::string& expected) {
    return std::unexpected(InputError{path, std::to_string(number), expected});
  };
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (Words(line).at_end() || line.starts_with('#')) continue;
    if (open == 0) {
      const auto pair = parse_pair(line);
      if (!pair) return bad("expected 'pair' and two events, found " + quoted(line));
      certificates.push_back({*pair, {}});
      open = 1;
      continue;
    }
    auto step = parse_step(line);
    if (!step) return bad("expected a step of a certificate, found " + quoted(line));
    open += branches(step->kind);
    --open;
    certificates.back().steps.push_back(std::move(*step));
  }
  ++number;
  if (open != 0) return bad(fmt::format("expected {} more branches of the certificate", open));
  return certificates;
}

}  // namespace omen::vindicate
