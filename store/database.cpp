#include "store/database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace omen::store {
namespace {

/// `begin` itself waits, so each attempt has already had its time. Retries are for writers that were rejected later.
constexpr int kMostRetries = 3;
constexpr std::chrono::milliseconds kFirstPause{20};

}  // namespace

bool Database::pause_before_retry(int attempt) {
  if (attempt >= kMostRetries) return false;
  std::this_thread::sleep_for(kFirstPause * (1 << attempt));
  return true;
}

bool is_url(std::string_view where) {
  return where.find("://") != std::string_view::npos;
}

std::expected<std::unique_ptr<Database>, InputError> open_database(const std::string& where, Missing missing,
                                                                   std::chrono::milliseconds wait) {
  if (!is_url(where)) return open_sqlite(where, missing, wait);
  if (where.starts_with("postgresql://") || where.starts_with("postgres://")) return open_postgres(where, wait);
  const std::string scheme = where.substr(0, where.find("://"));
  return std::unexpected(
      InputError{scheme + "://…", "", "expected a file, or a URL that begins with postgresql:// or postgres://"});
}

std::string databases_built_in() {
  return fmt::format("{}, {}", sqlite_version(), postgres_version());
}

}  // namespace omen::store
