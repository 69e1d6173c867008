/// \file
/// The store on a PostgreSQL server, with libpq. An advisory lock serialises writers; it also covers the time before
/// the tables exist.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "store/database.hpp"
#include "store/libpq.hpp"
#include "trace/quote.hpp"

namespace omen::store {
namespace {

/// The lock's number; any number that other programs do not use will do.
constexpr std::string_view kWritersLock = "SELECT pg_advisory_xact_lock(7236831129512103790)";
constexpr int kConnectSeconds = 10;

struct Close {
  void operator()(PGconn* connection) const { libpq()->finish(connection); }
};
struct Clear {
  void operator()(PGresult* result) const { libpq()->clear(result); }
};
struct Free {
  void operator()(PQconninfoOption* options) const { libpq()->free_options(options); }
};

/// libpq's messages end in a line feed, and may have several lines.
std::string words_of(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return on_one_line(text);
}

bool is_busy(std::string_view state) {
  // serialization_failure, deadlock_detected, lock_not_available
  constexpr std::array<std::string_view, 3> kBusy{"40001", "40P01", "55P03"};
  return std::ranges::find(kBusy, state) != kBusy.end();
}

/// The URL without secrets.
std::expected<std::string, std::string> shown_name(const std::string& url) {
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, Free> options(libpq()->parse_options(url.c_str(), &problem));
  if (options == nullptr) {
    // libpq's message quotes the URL, including the password.
    if (problem != nullptr) libpq()->free_memory(problem);
    return std::unexpected("expected postgresql://USER@HOST:PORT/DATABASE");
  }
  std::string host, port, name;
  for (const PQconninfoOption* one = options.get(); one->keyword != nullptr; ++one) {
    const std::string_view keyword = one->keyword;
    const std::string value = one->val == nullptr ? "" : one->val;
    if (keyword == "host") host = value;
    if (keyword == "port") port = value;
    if (keyword == "dbname") name = value;
  }
  return on_one_line(fmt::format("postgresql://{}{}{}/{}", host, port.empty() ? "" : ":", port, name));
}

class PostgresDatabase final : public Database {
 public:
  PostgresDatabase(std::string name, std::unique_ptr<PGconn, Close> connection, std::chrono::milliseconds wait)
      : name_(std::move(name)), connection_(std::move(connection)), wait_(wait) {}

  Answer<Rows> query(std::string_view sql, std::span<const std::string> values) override {
    std::vector<const char*> texts;
    texts.reserve(values.size());
    for (const std::string& value : values) texts.push_back(value.c_str());
    const std::unique_ptr<PGresult, Clear> result(libpq()->execute(connection_.get(), std::string(sql).c_str(),
                                                                   static_cast<int>(texts.size()), nullptr,
                                                                   texts.data(), nullptr, nullptr, 0));
    const ExecStatusType status = libpq()->result_status(result.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return std::unexpected(failure(result.get()));
    Rows rows;
    for (int i = 0; i < libpq()->rows(result.get()); ++i) {
      Row row;
      for (int column = 0; column < libpq()->fields(result.get()); ++column) {
        row.emplace_back(libpq()->value(result.get(), i, column),
                         static_cast<std::size_t>(libpq()->length(result.get(), i, column)));
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

  Answer<void> begin(Access access) override {
    if (access == Access::Read) return run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // Each statement sees what was committed before it: the lock comes first, so that everything of the last writer is
    // visible.
    if (auto ok = run("BEGIN ISOLATION LEVEL READ COMMITTED"); !ok) return ok;
    auto locked = run(fmt::format("SET LOCAL lock_timeout = {}", std::max<std::int64_t>(1, wait_.count())));
    if (locked) locked = run(kWritersLock);
    if (!locked) roll_back();
    return locked;
  }
  Answer<void> commit() override { return run("COMMIT"); }
  void roll_back() override {
    if (libpq()->transaction_status(connection_.get()) != PQTRANS_IDLE) static_cast<void>(run("ROLLBACK"));
  }

  Answer<bool> has_table(std::string_view name) override {
    const std::string value(name);
    // Not by a cast to regclass, which uses a cache that does not see another writer's new tables at once.
    return any(
        query("SELECT 1 FROM pg_catalog.pg_tables WHERE tablename = $1 AND schemaname = ANY (current_schemas(false))",
              std::span(&value, 1)));
  }

  Answer<bool> is_foreign() override { return false; }

  std::string_view text_type() const override { return "TEXT COLLATE \"C\""; }
  const std::string& name() const override { return name_; }

 private:
  DatabaseError failure(const PGresult* result) const {
    const char* state = result == nullptr ? nullptr : libpq()->error_field(result, PG_DIAG_SQLSTATE);
    if (state != nullptr && is_busy(state)) {
      return {DatabaseError::Kind::Busy, "the database is locked by another writer, who took too long"};
    }
    const char* primary = result == nullptr ? nullptr : libpq()->error_field(result, PG_DIAG_MESSAGE_PRIMARY);
    return {DatabaseError::Kind::Other,
            "PostgreSQL says: " + words_of(primary != nullptr ? primary : libpq()->error_message(connection_.get()))};
  }

  Answer<void> run(std::string_view sql) { return done(query(sql, {})); }

  std::string name_;
  std::unique_ptr<PGconn, Close> connection_;
  std::chrono::milliseconds wait_;
};

}  // namespace

std::expected<std::unique_ptr<Database>, InputError> open_postgres(const std::string& url,
                                                                   std::chrono::milliseconds wait) {
  if (libpq() == nullptr) {
    return std::unexpected(
        InputError{"postgresql://…", "", "expected libpq.so.5 (Debian's package libpq5) for PostgreSQL"});
  }
  const auto name = shown_name(url);
  if (!name) return std::unexpected(InputError{"postgresql://…", "", name.error()});
  const std::string seconds = std::to_string(kConnectSeconds);
  // Parameters before `dbname` are defaults; those after it override the URL.
  const std::array<const char*, 5> keywords{"connect_timeout", "fallback_application_name", "dbname", "client_encoding",
                                            nullptr};
  const std::array<const char*, 5> values{seconds.c_str(), "omen", url.c_str(), "UTF8", nullptr};
  std::unique_ptr<PGconn, Close> connection(libpq()->connect(keywords.data(), values.data(), 1));
  if (libpq()->status(connection.get()) != CONNECTION_OK) {
    return std::unexpected(
        InputError{*name, "", "cannot connect: " + words_of(libpq()->error_message(connection.get()))});
  }
  libpq()->set_notices(connection.get(), [](void*, const char*) {}, nullptr);
  return std::make_unique<PostgresDatabase>(*name, std::move(connection), wait);
}

std::string postgres_version() {
  if (libpq() == nullptr) return "no PostgreSQL (libpq.so.5 is missing)";
  const int version = libpq()->version();
  return fmt::format("PostgreSQL (libpq {}.{})", version / 10000, version % 10000);
}

}  // namespace omen::store
