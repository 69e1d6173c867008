/// \file
/// Reads archives of objects (ar, the GNU form, also thin), and writes them with some members replaced.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace omen::driver {

bool is_archive(std::span<const char> file);

/// Calls `look` with every member, aligned as in a file of its own. False if the archive is damaged.
bool for_each_member(const std::string& path, std::span<const char> file,
                     const std::function<void(std::span<const char>)>& look);

/// Replaces each member for which `change` returns a value. Members keep their names and their symbols in the archive's
/// index. A thin archive becomes a normal one. Nothing if no member changed.
std::optional<std::vector<char>> with_changed_members(
    const std::string& path, std::span<const char> file,
    const std::function<std::optional<std::vector<char>>(std::span<const char>)>& change);

}  // namespace omen::driver
