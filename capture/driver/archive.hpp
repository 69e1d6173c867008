/// \file
/// Archives of objects (ar, the GNU form, also thin), read and written again with some members changed.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace omen::driver {

bool is_archive(std::span<const char> file);

/// Calls `look` with every member; its bytes are aligned as in a file of its own. False if the archive is damaged.
bool for_each_member(const std::string& path, std::span<const char> file,
                     const std::function<void(std::span<const char>)>& look);

/// The archive with each member that `change` has something for replaced by that. The members keep their names and the
/// symbols that the archive's index has. A thin archive becomes a normal one. Nothing if nothing changed.
std::optional<std::vector<char>> with_changed_members(
    const std::string& path, std::span<const char> file,
    const std::function<std::optional<std::vector<char>>(std::span<const char>)>& change);

}  // namespace omen::driver
