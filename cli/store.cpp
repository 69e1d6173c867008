/// \file
/// `omen store`: the history of a project's races (docs/store.md). Defines the arguments of its commands.
#include <memory>

#include "cli/command.hpp"
#include "cli/store_work.hpp"

namespace omen::cli {
namespace {

using Work = std::expected<int, InputError> (*)(const StoreArguments& arguments);

void define_add(CLI::App& app, StoreArguments& arguments) {
  app.add_option("REPORT", arguments.reports, "what run --json wrote; '-' is standard input")->required();
  app.add_option("--commit", arguments.commit, "of the program's source");
  app.add_option("--branch", arguments.branch, "of the program's source");
  app.add_option("--label", arguments.label, "what tells this run from others: a test, a machine, a compiler");
  app.add_option("--codeowners", arguments.codeowners, "who owns which files: a race's owner, until one is set");
  app.add_option("--source-root", arguments.source_root,
                 "name files below this folder relative to it (the root of CODEOWNERS, else the project's folder)");
  app.add_option("--time", arguments.time, "when the run was, in UTC: 2026-03-01T09:30:00Z; now, unless told");
  app.footer(
      "A report that was added already, with the same commit, branch and label, is not counted again.\n"
      "A race that was set to fixed and is seen again becomes reopened.\n"
      "Example:\n  omen store add --commit \"$(git rev-parse HEAD)\" --codeowners .github/CODEOWNERS report.json");
}

void define_list(CLI::App& app, StoreArguments& arguments) {
  app.add_option("--status", arguments.statuses, "only these: new, confirmed, fixed, wontfix, reopened")
      ->type_name("STATUS");
  app.add_option("--owner", arguments.owners, "only races of this owner");
  app.add_option("--folder", arguments.folder, "only races of files below this folder");
  app.add_flag("--all", arguments.all, "closed ones too: fixed and wontfix");
  app.add_option("--json", arguments.json, "write JSON to this file; '-' is standard output");
  app.footer("Example:\n  omen store list --owner @net-team --folder src/net");
}

void define_show(CLI::App& app, StoreArguments& arguments) {
  app.add_option("FINGERPRINT", arguments.fingerprint, "of the race, or the beginning of it")->required();
  app.add_option("--json", arguments.json, "write JSON to this file; '-' is standard output");
  app.footer("Example:\n  omen store show 3f21b08c");
}

void define_set(CLI::App& app, StoreArguments& arguments) {
  app.add_option("FINGERPRINT", arguments.fingerprint, "of the race, or the beginning of it")->required();
  app.add_option("--status", arguments.status, "new, confirmed, fixed, wontfix or reopened")->type_name("STATUS");
  app.add_option_function<std::string>(
      "--owner",
      [&arguments](const std::string& owner) {
        arguments.owner = owner;
        arguments.set_owner = true;
      },
      "who takes care of it, whatever CODEOWNERS says; '' is nobody");
  app.add_option("--note", arguments.note, "a remark for the history");
  app.add_option("--author", arguments.author, "who says so; the login name, unless told");
  app.footer("Example:\n  omen store set 3f21b08c --status fixed --note \"lock added in 4711\"");
}

void define_trend(CLI::App& app, StoreArguments& arguments) {
  app.add_option("--by", arguments.by, "day, week or month")->check(CLI::IsMember({"day", "week", "month"}));
  app.add_option("--json", arguments.json, "write JSON to this file; '-' is standard output");
  app.footer("Example:\n  omen store trend --by week");
}

void define_export(CLI::App& app, StoreArguments& arguments) {
  app.add_option("--json", arguments.json, "write everything to this file, for omen store import");
  app.add_option("--csv", arguments.csv, "write the races as a table to this file");
  app.add_option("--html", arguments.html, "write a page for a browser to this file; it is complete in itself");
  app.footer("'-' is standard output.\nExample:\n  omen store export --html races.html");
}

void define_import(CLI::App& app, StoreArguments& arguments) {
  app.add_option("FILE", arguments.file, "what export --json wrote; '-' is standard input")->required();
  app.footer(
      "What is there already stays as it is.\n"
      "Example:\n  omen store export --json - | omen store import --db postgresql://db.example/races -");
}

const Command command{
    "store", "Keep the history of races: status, owner, runs, trend, dashboard", [](CLI::App& app) -> Action {
      auto arguments = std::make_shared<StoreArguments>();
      auto chosen = std::make_shared<Work>(nullptr);
      const auto add = [&](const char* name, const char* help, void (*define)(CLI::App&, StoreArguments&), Work work) {
        CLI::App* sub = app.add_subcommand(name, help);
        sub->add_option("--db", arguments->db,
                        "the store: a SQLite file, or postgresql://USER@HOST/DATABASE; OMEN_STORE names it, too")
            ->type_name("PATH|URL");
        add_number(*sub, "--wait", arguments->wait, "seconds to wait for other writers");
        define(*sub, *arguments);
        sub->callback([chosen, work] { *chosen = work; });
      };
      add("add", "Add the races of reports", define_add, store_add);
      add("list", "List races: those that are open, unless told", define_list, store_list);
      add("show", "Show a race with its history", define_show, store_show);
      add("set", "Set a race's status or owner, or add a note", define_set, store_set);
      add("trend", "Show how many races were seen and open over time", define_trend, store_trend);
      add("export", "Write everything as JSON, CSV, or a dashboard for a browser", define_export, store_export);
      add("import", "Read what another store exported", define_import, store_import);
      app.require_subcommand(1);
      app.footer(
          "Without --db and OMEN_STORE the store is ~/.local/share/omen/races.db (XDG_DATA_HOME).\n"
          "Exit code: 0, also if there are races; 65: an input or the store cannot be read.\n"
          "`omen store COMMAND --help` explains a command; docs/store.md shows each.");
      return [arguments, chosen] { return (*chosen)(*arguments); };
    }};

}  // namespace
}  // namespace omen::cli
