/// \file
/// The store's interface to a database: statements with parameters, and transactions. SQLite and PostgreSQL implement
/// it, and the same SQL runs on both; their differences are functions here.
///
/// Every value is passed as text in both directions: the databases convert numbers by the column's type. No column is
/// NULL.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/error.hpp"

namespace omen::store {

struct DatabaseError {
  enum class Kind : std::uint8_t {
    Busy,   ///< another writer is active: the transaction may be retried
    Other,  ///< a retry will not help
  };
  Kind kind = Kind::Other;
  std::string message;
};

template <class T>
using Answer = std::expected<T, DatabaseError>;

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

/// True if there are rows.
inline Answer<bool> any(const Answer<Rows>& rows) {
  if (!rows) return std::unexpected(rows.error());
  return !rows->empty();
}

/// For a statement whose result does not matter, or that has none.
template <class T>
Answer<void> done(const Answer<T>& answer) {
  if (!answer) return std::unexpected(answer.error());
  return {};
}

enum class Access : std::uint8_t { Read, Write };

class Database {
 public:
  virtual ~Database() = default;

  /// Executes one statement; `$1`, `$2`, … stand for the values.
  virtual Answer<Rows> query(std::string_view sql, std::span<const std::string> values = {}) = 0;

  /// Everything read until the end is from one snapshot. A writer waits here until there is no other one.
  virtual Answer<void> begin(Access access) = 0;
  virtual Answer<void> commit() = 0;
  virtual void roll_back() = 0;

  virtual Answer<bool> has_table(std::string_view name) = 0;
  /// True if a file has any tables. Called when omen's are missing, so they belong to another program. On a server
  /// other tables are ignored.
  virtual Answer<bool> is_foreign() = 0;

  /// The type of text with bytewise comparison.
  virtual std::string_view text_type() const = 0;

  /// The name in messages: the file, or the URL without a password.
  virtual const std::string& name() const = 0;

  InputError error(const DatabaseError& failure) const { return {name(), "", failure.message}; }

  /// Runs `work`, which returns an `Answer`, in a transaction; retries a bounded number of times if another writer
  /// interfered.
  template <std::invocable Work>
  std::invoke_result_t<Work> transaction(Access access, Work work);

 private:
  /// Sleeps before the next attempt; false: there are no more attempts.
  static bool pause_before_retry(int attempt);
};

enum class Missing : std::uint8_t { Refuse, Create };

/// Opens the file, or the database that a `postgresql://` URL names. `wait` is the longest wait for another writer.
std::expected<std::unique_ptr<Database>, InputError> open_database(const std::string& where, Missing missing,
                                                                   std::chrono::milliseconds wait);

/// The two kinds. `open_postgres` fails if omen was built without libpq.
std::expected<std::unique_ptr<Database>, InputError> open_sqlite(const std::string& file, Missing missing,
                                                                 std::chrono::milliseconds wait);
std::expected<std::unique_ptr<Database>, InputError> open_postgres(const std::string& url,
                                                                   std::chrono::milliseconds wait);

bool is_url(std::string_view where);

/// "SQLite 3.40.1, PostgreSQL (libpq 15.18)": for `omen --version`.
std::string databases_built_in();
std::string sqlite_version();
std::string postgres_version();  ///< "PostgreSQL (libpq 15.18)", or that it is missing

template <std::invocable Work>
std::invoke_result_t<Work> Database::transaction(Access access, Work work) {
  for (int attempt = 0;; ++attempt) {
    std::invoke_result_t<Work> answer;
    if (auto begun = begin(access); !begun) {
      answer = std::unexpected(std::move(begun.error()));
    } else {
      answer = work();
      if (answer) {
        if (auto done = commit(); !done) answer = std::unexpected(std::move(done.error()));
      }
      if (!answer) roll_back();
    }
    if (answer || answer.error().kind != DatabaseError::Kind::Busy || !pause_before_retry(attempt)) return answer;
  }
}

}  // namespace omen::store
