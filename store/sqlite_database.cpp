/// \file
/// The store in a file, with SQLite. Its rollback journal makes transactions atomic: a process that is killed leaves
/// the journal, and the next one that opens the file rolls the transaction back.
#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "store/database.hpp"
#include "trace/quote.hpp"

namespace omen::store {
namespace {

/// The result of an integrity check for an undamaged database.
constexpr std::string_view kSound = "ok";

struct Close {
  void operator()(sqlite3* connection) const { sqlite3_close(connection); }
};
struct Finish {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

DatabaseError failure(int code, std::string_view words) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {DatabaseError::Kind::Busy, "the database is locked by another writer, who took too long"};
    case SQLITE_NOTADB:
      return {DatabaseError::Kind::Other, "damaged, or of another kind: expected a SQLite database"};
    case SQLITE_CORRUPT:
      return {DatabaseError::Kind::Other,
              fmt::format("the database is damaged: {}; restore a copy", on_one_line(words))};
    case SQLITE_ERROR:
      return {DatabaseError::Kind::Other,
              fmt::format("expected a store of omen, whose tables are whole; SQLite says: {}", on_one_line(words))};
    default:
      return {DatabaseError::Kind::Other, on_one_line(words)};
  }
}

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(std::string file, std::unique_ptr<sqlite3, Close> connection)
      : file_(std::move(file)), connection_(std::move(connection)) {}

  Answer<Rows> query(std::string_view sql, std::span<const std::string> values) override {
    sqlite3_stmt* made = nullptr;
    int code = sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()), &made, nullptr);
    const std::unique_ptr<sqlite3_stmt, Finish> statement(made);
    if (code != SQLITE_OK) return std::unexpected(last(code));
    for (std::size_t i = 0; i < values.size(); ++i) {
      // For SQLite `$1` is a name, whose number is its position in the statement.
      const int at = sqlite3_bind_parameter_index(made, fmt::format("${}", i + 1).c_str());
      OMEN_CHECK(at != 0);
      code = sqlite3_bind_text64(made, at, values[i].data(), values[i].size(), SQLITE_STATIC, SQLITE_UTF8);
      if (code != SQLITE_OK) return std::unexpected(last(code));
    }
    Rows rows;
    while ((code = sqlite3_step(made)) == SQLITE_ROW) rows.push_back(row(made));
    if (code != SQLITE_DONE) return std::unexpected(last(code));
    return rows;
  }

  Answer<void> begin(Access access) override { return run(access == Access::Read ? "BEGIN" : "BEGIN IMMEDIATE"); }
  Answer<void> commit() override { return run("COMMIT"); }
  void roll_back() override {
    if (sqlite3_get_autocommit(connection_.get()) == 0) static_cast<void>(run("ROLLBACK"));
  }

  Answer<bool> has_table(std::string_view name) override {
    const std::string value(name);
    return any(query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1", std::span(&value, 1)));
  }

  Answer<bool> is_foreign() override { return any(query("SELECT 1 FROM sqlite_master LIMIT 1", {})); }

  std::string_view text_type() const override { return "TEXT"; }
  const std::string& name() const override { return file_; }

  /// The first statements of every connection.
  Answer<void> prepare(std::chrono::milliseconds wait) {
    sqlite3_extended_result_codes(connection_.get(), 1);
    sqlite3_busy_timeout(connection_.get(), static_cast<int>(wait.count()));
    if (auto ok = run("PRAGMA foreign_keys = ON"); !ok) return ok;
    if (auto ok = run("PRAGMA synchronous = FULL"); !ok) return ok;
    auto checked = query("PRAGMA quick_check(1)", {});
    if (!checked) return std::unexpected(std::move(checked.error()));
    const std::string& words = checked->at(0).at(0);
    if (words != kSound) return std::unexpected(failure(SQLITE_CORRUPT, words));
    return {};
  }

 private:
  static Row row(sqlite3_stmt* statement) {
    Row values;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
      const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
      values.emplace_back(text == nullptr ? std::string() : std::string(text, length));
    }
    return values;
  }

  DatabaseError last(int code) const { return failure(code, sqlite3_errmsg(connection_.get())); }

  Answer<void> run(std::string_view sql) { return done(query(sql, {})); }

  std::string file_;
  std::unique_ptr<sqlite3, Close> connection_;
};

}  // namespace

std::expected<std::unique_ptr<Database>, InputError> open_sqlite(const std::string& file, Missing missing,
                                                                 std::chrono::milliseconds wait) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (missing == Missing::Refuse && !fs::exists(file, error)) {
    return std::unexpected(InputError{file, "", "there is no such store; `omen store add` makes one"});
  }
  if (missing == Missing::Create) {
    const fs::path folder = fs::path(file).parent_path();
    if (!folder.empty()) fs::create_directories(folder, error);
  }
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | (missing == Missing::Create ? SQLITE_OPEN_CREATE : 0);
  // A relative name could begin with `file:` or be `:memory:`, which SQLite interprets differently.
  const std::string path = fs::absolute(file, error).string();
  const int code = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  std::unique_ptr<sqlite3, Close> connection(opened);
  if (code != SQLITE_OK) {
    return std::unexpected(InputError{file, "", fmt::format("cannot open the store: {}", sqlite3_errstr(code))});
  }
  auto database = std::make_unique<SqliteDatabase>(file, std::move(connection));
  if (auto ok = database->prepare(wait); !ok) return std::unexpected(database->error(ok.error()));
  return database;
}

std::string sqlite_version() {
  return fmt::format("SQLite {}", sqlite3_libversion());
}

}  // namespace omen::store
