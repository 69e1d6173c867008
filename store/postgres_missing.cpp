/// \file
/// Replaces postgres_database.cpp if libpq was missing when omen was built.
#include "store/database.hpp"

namespace omen::store {

std::expected<std::unique_ptr<Database>, InputError> open_postgres(const std::string& url,
                                                                   std::chrono::milliseconds /*wait*/) {
  return std::unexpected(InputError{url.substr(0, url.find("://")) + "://…", "",
                                    "this omen was built without PostgreSQL (libpq); expected the file of a SQLite "
                                    "database, or build omen again with libpq-dev"});
}

std::string postgres_version() {
  return "no PostgreSQL (built without libpq)";
}

}  // namespace omen::store
