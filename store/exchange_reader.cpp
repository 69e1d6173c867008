#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "store/exchange.hpp"

namespace omen::store {
namespace {

using Json = nlohmann::json;

/// Reads the document; stores the first error, with its position (`races[3].kind`).
class Reader {
 public:
  std::optional<std::pair<std::string, std::string>> error;  ///< position, and what was expected

  Snapshot document(const Json& json) {
    Snapshot all;
    if (!json.is_object() || !json.contains("omen_store")) {
      wrong("", "expected the document that `omen store export --json` writes");
      return all;
    }
    if (json["omen_store"] != kExchangeVersion) {
      wrong("omen_store", fmt::format("expected version {}", kExchangeVersion));
      return all;
    }
    each(json, "runs", [&](const Json& one) {
      all.runs.push_back({text(one, "id"), time(one), text(one, "commit"), text(one, "branch"), text(one, "label"),
                          text(one, "program"), flag(one, "complete")});
      is_new(runs_, all.runs.back().id, "id");
    });
    each(json, "races", [&](const Json& one) {
      all.races.push_back(
          {text(one, "fingerprint"), texts(one, "aliases"), text(one, "kind"), text(one, "code_owner")});
      is_new(races_, all.races.back().fingerprint, "fingerprint");
    });
    std::set<std::string> seen;
    std::set<std::string> pairs;
    each(json, "sightings", [&](const Json& one) {
      all.sightings.push_back({text(one, "run"), text(one, "race"), text(one, "fingerprint"), text(one, "certainty"),
                               number<std::uint64_t>(one, "count"), text(one, "title"), text(one, "file"),
                               number<std::uint32_t>(one, "line"), text(one, "function"), text(one, "places")});
      is_known(runs_, all.sightings.back().run, "run");
      is_known(races_, all.sightings.back().race, "race");
      is_new(pairs, all.sightings.back().run + "\n" + all.sightings.back().race, "race");
      seen.insert(all.sightings.back().race);
    });
    each(json, "changes", [&](const Json& one) {
      const auto what = parse_what(text(one, "what"));
      if (!what) wrong(at("what"), "expected status, owner or note");
      all.changes.push_back(
          {text(one, "race"), time(one), text(one, "author"), what.value_or(What::Note), text(one, "value")});
      is_known(races_, all.changes.back().race, "race");
      if (what == What::Status && !parse_status(all.changes.back().value)) {
        wrong(at("value"), "expected new, confirmed, fixed, wontfix or reopened");
      }
    });
    if (!error && seen.size() != races_.size()) wrong("sightings", "expected one for every race");
    sort(all);
    return all;
  }

 private:
  void wrong(const std::string& place, const std::string& message) {
    if (!error) error.emplace(place, message);
  }
  std::string at(std::string_view member) const { return fmt::format("{}.{}", place_, member); }

  template <class Function>
  void each(const Json& json, const char* name, Function function) {
    if (error) return;
    const auto list = json.find(name);
    if (list == json.end() || !list->is_array()) return wrong(name, "expected an array");
    for (std::size_t i = 0; i < list->size() && !error; ++i) {
      place_ = fmt::format("{}[{}]", name, i);
      if (!(*list)[i].is_object()) return wrong(place_, "expected an object");
      function((*list)[i]);
    }
  }

  const Json* member(const Json& json, const char* name, bool (Json::*is)() const noexcept, const char* expected) {
    const auto found = json.find(name);
    if (found != json.end() && ((*found).*is)()) return &*found;
    wrong(at(name), fmt::format("expected {}", expected));
    return nullptr;
  }

  std::string text(const Json& json, const char* name) {
    const Json* const found = member(json, name, &Json::is_string, "text");
    return found == nullptr ? "" : storable(found->get<std::string>());
  }
  bool flag(const Json& json, const char* name) {
    const Json* const found = member(json, name, &Json::is_boolean, "true or false");
    return found != nullptr && found->get<bool>();
  }
  template <class Number>
  Number number(const Json& json, const char* name) {
    // The databases' numbers are signed.
    constexpr std::uint64_t kMost = std::min<std::uint64_t>(std::numeric_limits<Number>::max(), INT64_MAX);
    const Json* const found = member(json, name, &Json::is_number_unsigned, "a number from 0 on");
    if (found == nullptr) return 0;
    const auto value = found->get<std::uint64_t>();
    if (value > kMost) wrong(at(name), fmt::format("expected a number up to {}", kMost));
    return static_cast<Number>(std::min(value, kMost));
  }
  std::vector<std::string> texts(const Json& json, const char* name) {
    std::vector<std::string> all;
    const Json* const found = member(json, name, &Json::is_array, "an array of texts");
    if (found == nullptr) return all;
    for (const Json& one : *found) {
      if (!one.is_string()) wrong(at(name), "expected an array of texts");
      all.push_back(one.is_string() ? storable(one.get<std::string>()) : "");
    }
    return all;
  }
  Time time(const Json& json) {
    const auto parsed = parse_time(text(json, "time"));
    if (!parsed) wrong(at("time"), "expected a time such as 2026-03-01T09:30:00.000Z");
    return parsed.value_or(Time{});
  }

  void is_new(std::set<std::string>& known, const std::string& id, std::string_view name) {
    if (!known.insert(id).second) wrong(at(name), "expected one that was not there before");
  }
  void is_known(const std::set<std::string>& known, const std::string& id, std::string_view name) {
    if (!known.contains(id)) wrong(at(name), "expected one that the document has");
  }

  std::string place_;
  std::set<std::string> runs_;
  std::set<std::string> races_;
};

}  // namespace

std::expected<Snapshot, InputError> read_exchange(std::string_view text, const std::string& file) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return std::unexpected(InputError{file, fmt::format("offset {}", error.byte), "expected JSON"});
  }
  Reader reader;
  Snapshot all = reader.document(json);
  if (reader.error) return std::unexpected(InputError{file, reader.error->first, reader.error->second});
  return all;
}

}  // namespace omen::store
