/// \file
/// The tables, as a list of migrations, each a number and statements. A store has applied the first ones; a newer omen
/// applies the rest, all in one transaction. Entries of the list never change; the tables are changed by adding
/// entries.
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

/// Brings the tables to the last version of the list, and creates them if there are none and `missing` allows that.
/// Rejects a newer version, and tables of another program.
std::expected<void, InputError> migrate(Database& database, Missing missing,
                                        std::span<const Migration> migrations = all_migrations());

}  // namespace omen::store
