#include "cli/store_work.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "report/race_json.hpp"
#include "report/whole_file.hpp"
#include "store/csv.hpp"
#include "store/exchange.hpp"
#include "store/html/dashboard.hpp"
#include "store/store.hpp"
#include "store/text.hpp"
#include "trace/quote.hpp"

namespace omen::cli {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// `$XDG_DATA_HOME/omen/races.db`, or the default of the base directory specification, by which a relative path in the
/// variable is ignored.
std::string where(const StoreArguments& arguments) {
  if (!arguments.db.empty()) return arguments.db;
  if (const std::string named = environment("OMEN_STORE"); !named.empty()) return named;
  fs::path folder = environment("XDG_DATA_HOME");
  if (!folder.is_absolute()) folder = fs::path(environment("HOME")) / ".local/share";
  return (folder / "omen" / "races.db").string();
}

std::expected<store::Store, InputError> open_store(const StoreArguments& arguments,
                                                   store::Missing missing = store::Missing::Refuse) {
  constexpr std::uint64_t kMostSeconds = 3600;
  return store::Store::open(where(arguments), missing, std::chrono::seconds(std::min(arguments.wait, kMostSeconds)));
}

std::expected<store::Snapshot, InputError> load(const StoreArguments& arguments) {
  auto opened = open_store(arguments);
  if (!opened) return std::unexpected(opened.error());
  return opened->load();
}

std::string run_id(const std::string& document, const StoreArguments& arguments) {
  std::string text;
  for (const std::string* part : {&document, &arguments.commit, &arguments.branch, &arguments.label}) {
    text += fmt::format("{}\n", part->size());
    text += *part;
  }
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// The folder that a CODEOWNERS file's patterns are relative to: code hosts look for the file in the root and in these
/// folders of it.
fs::path root_of(const std::string& codeowners) {
  std::error_code ignored;
  const fs::path folder = fs::absolute(codeowners, ignored).lexically_normal().parent_path();
  const std::string name = folder.filename().string();
  return name == ".github" || name == ".gitlab" || name == "docs" ? folder.parent_path() : folder;
}

std::string source_root(const StoreArguments& arguments) {
  std::error_code ignored;
  if (!arguments.source_root.empty()) return fs::absolute(arguments.source_root, ignored).lexically_normal().string();
  if (!arguments.codeowners.empty()) return root_of(arguments.codeowners).string();
  const report::Viewpoint here = viewpoint();
  return here.project.empty() ? here.folder : here.project;
}

struct ReadReport {
  std::string name;
  store::Run run;
  std::vector<store::Finding> findings;
};

std::expected<ReadReport, InputError> read_report(const std::string& name, const std::string& root,
                                                  const StoreArguments& arguments) {
  const auto document = report::whole_file(name);
  if (!document) return std::unexpected(document.error());
  const auto report = report::report_from_json(*document, name);
  if (!report) return std::unexpected(report.error());
  store::Run run{.id = run_id(*document, arguments),
                 .time = {},
                 .commit = arguments.commit,
                 .branch = arguments.branch,
                 .label = arguments.label,
                 .program = report->command.empty() ? "" : report->command.front(),
                 .complete = report->complete};
  return ReadReport{name, std::move(run), store::findings_of(*report, root)};
}

std::optional<store::Status> status_of(const std::string& name, const char* option) {
  if (name.empty()) return std::nullopt;
  const auto status = store::parse_status(name);
  if (!status)
    throw CLI::ValidationError(option, "expected new, confirmed, fixed, wontfix or reopened, not '" + name + "'");
  return status;
}

std::string login_name() {
  const passwd* const user = getpwuid(geteuid());
  return user == nullptr ? std::to_string(geteuid()) : user->pw_name;
}

bool is_below(const std::string& file, std::string folder) {
  while (folder.ends_with('/')) folder.pop_back();
  return file == folder || (file.starts_with(folder) && file[folder.size()] == '/');
}

/// Writes JSON if requested, otherwise prints the text.
std::expected<int, InputError> print(const StoreArguments& arguments, const nlohmann::ordered_json& json,
                                     const std::string& text) {
  if (arguments.json.empty()) {
    fmt::print("{}", text);
  } else if (auto ok = write_json(arguments.json, json); !ok) {
    return std::unexpected(ok.error());
  }
  return kExitNothingFound;
}

}  // namespace

std::expected<int, InputError> store_add(const StoreArguments& arguments) {
  std::optional<store::Time> time;
  if (!arguments.time.empty()) {
    time = store::parse_time(arguments.time);
    if (!time) throw CLI::ValidationError("--time", "expected a time such as 2026-03-01 or 2026-03-01T09:30:00Z");
  }
  std::optional<store::CodeOwners> owners;
  if (!arguments.codeowners.empty()) {
    const auto text = report::whole_file(arguments.codeowners);
    if (!text) return std::unexpected(text.error());
    auto parsed = store::CodeOwners::parse(*text, arguments.codeowners);
    if (!parsed) return std::unexpected(parsed.error());
    owners = std::move(*parsed);
  }
  // Reads all reports before it adds the first, so an invalid one leaves the store unchanged.
  std::vector<ReadReport> reports;
  for (const std::string& name : arguments.reports) {
    auto one = read_report(name, source_root(arguments), arguments);
    if (!one) return std::unexpected(one.error());
    reports.push_back(std::move(*one));
  }
  auto opened = open_store(arguments, store::Missing::Create);
  if (!opened) return std::unexpected(opened.error());
  for (const ReadReport& one : reports) {
    const auto added = opened->add(one.run, time, one.findings, owners);
    if (!added) return std::unexpected(added.error());
    if (added->was_there) {
      fmt::print("{}: is there already\n", on_one_line(one.name));
    } else {
      fmt::print("{}: {} {}: {} new, {} reopened, {} known\n", on_one_line(one.name), added->races,
                 added->races == 1 ? "race" : "races", added->fresh, added->reopened,
                 added->races - added->fresh - added->reopened);
    }
  }
  return kExitNothingFound;
}

std::expected<int, InputError> store_list(const StoreArguments& arguments) {
  std::vector<store::Status> statuses;
  for (const std::string& name : arguments.statuses) statuses.push_back(*status_of(name, "--status"));
  const auto snapshot = load(arguments);
  if (!snapshot) return std::unexpected(snapshot.error());
  std::vector<store::RaceOverview> races = store::overview(*snapshot);
  store::sort_by_importance(races);
  const std::size_t all = races.size();
  std::erase_if(races, [&](const store::RaceOverview& one) {
    const bool wanted = statuses.empty() ? arguments.all || store::is_open(one.status)
                                         : std::ranges::find(statuses, one.status) != statuses.end();
    const bool theirs = arguments.owners.empty() || std::ranges::any_of(arguments.owners, [&](const auto& owner) {
                          return (" " + one.owner + " ").find(" " + owner + " ") != std::string::npos;
                        });
    return !wanted || !theirs || (!arguments.folder.empty() && !is_below(one.latest->file, arguments.folder));
  });
  return print(arguments, store::overview_json(races), store::list_text(races, all));
}

std::expected<int, InputError> store_show(const StoreArguments& arguments) {
  auto opened = open_store(arguments);
  if (!opened) return std::unexpected(opened.error());
  const auto fingerprint = opened->find(arguments.fingerprint);
  if (!fingerprint) return std::unexpected(fingerprint.error());
  const auto snapshot = opened->load();
  if (!snapshot) return std::unexpected(snapshot.error());
  const auto races = store::overview(*snapshot);
  const auto one = std::ranges::find(races, *fingerprint, &store::RaceOverview::fingerprint);
  OMEN_CHECK(one != races.end());  // the store never removes a race
  return print(arguments, store::overview_json({*one}).front(), store::race_text(*one, *snapshot));
}

std::expected<int, InputError> store_set(const StoreArguments& arguments) {
  store::Setting setting{.status = status_of(arguments.status, "--status"),
                         .owner = {},
                         .note = arguments.note,
                         .author = arguments.author.empty() ? login_name() : arguments.author};
  if (arguments.set_owner) setting.owner = arguments.owner;
  if (!setting.status && !setting.owner && setting.note.empty()) {
    throw CLI::ValidationError("omen store set", "expected --status, --owner or --note");
  }
  auto opened = open_store(arguments);
  if (!opened) return std::unexpected(opened.error());
  const auto race = opened->find(arguments.fingerprint);
  if (!race) return std::unexpected(race.error());
  if (auto ok = opened->set(*race, setting); !ok) return std::unexpected(ok.error());
  return kExitNothingFound;
}

std::expected<int, InputError> store_trend(const StoreArguments& arguments) {
  const store::Period period = arguments.by == "month"  ? store::Period::Month
                               : arguments.by == "week" ? store::Period::Week
                                                        : store::Period::Day;
  const auto snapshot = load(arguments);
  if (!snapshot) return std::unexpected(snapshot.error());
  const auto rows = store::trend(*snapshot, period);
  return print(arguments, store::trend_json(rows), store::trend_text(rows));
}

std::expected<int, InputError> store_export(const StoreArguments& arguments) {
  if (arguments.json.empty() && arguments.csv.empty() && arguments.html.empty()) {
    throw CLI::ValidationError("omen store export", "expected --json, --csv or --html");
  }
  const auto snapshot = load(arguments);
  if (!snapshot) return std::unexpected(snapshot.error());
  if (!arguments.json.empty()) {
    if (auto ok = write_json(arguments.json, store::as_json(*snapshot)); !ok) return std::unexpected(ok.error());
  }
  if (!arguments.csv.empty()) {
    auto races = store::overview(*snapshot);
    store::sort_by_importance(races);
    if (auto ok = write_text(arguments.csv, store::as_csv(races)); !ok) return std::unexpected(ok.error());
  }
  if (!arguments.html.empty()) {
    if (auto ok = write_text(arguments.html, store::as_html(*snapshot, OMEN_VERSION)); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return kExitNothingFound;
}

std::expected<int, InputError> store_import(const StoreArguments& arguments) {
  const auto text = report::whole_file(arguments.file);
  if (!text) return std::unexpected(text.error());
  const auto snapshot = store::read_exchange(*text, arguments.file);
  if (!snapshot) return std::unexpected(snapshot.error());
  auto opened = open_store(arguments, store::Missing::Create);
  if (!opened) return std::unexpected(opened.error());
  const auto imported = opened->import(*snapshot);
  if (!imported) return std::unexpected(imported.error());
  const auto counted = [](std::size_t n, std::string_view one) {
    return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
  };
  fmt::print("imported: {}, {}, {}, {}\n", counted(imported->runs, "run"), counted(imported->races, "race"),
             counted(imported->sightings, "sighting"), counted(imported->changes, "change"));
  return kExitNothingFound;
}

}  // namespace omen::cli
