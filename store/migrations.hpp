/// \file
/// The tables, and how they came to be: a list of migrations, each a number and statements. A store has gone through
/// the first so many; a newer omen applies the rest, all in one transaction. What is in the list stays as it is; the
/// tables are changed by adding to it.
#pragma once

#include <expected>
#include <span>
#include <string_view>

#include "store/database.hpp"

namespace omen::store {

struct Migration {
  int version = 0;
  std::span<const std::string_view> statements;  ///< `{text}` stands for `Database::text_type`
};

std::span<const Migration> all_migrations();

/// Brings the tables to the last version of the list, and makes them if there are none and `missing` allows that. A
/// newer version, and tables of somebody else, are refused.
std::expected<void, InputError> migrate(Database& database, Missing missing,
                                        std::span<const Migration> migrations = all_migrations());

}  // namespace omen::store
