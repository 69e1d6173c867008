/// \file
/// The store as one HTML file that needs nothing else: trend, races by status, owner and folder, the list with filters.
/// It is made like a run's page (report/html/html_page.hpp), with the same content security policy, and all of it that
/// comes from programs and people is text.
#pragma once

#include <string>

#include "store/records.hpp"

namespace omen::store {

/// `version` is omen's.
std::string as_html(const Snapshot& snapshot, const std::string& version);

}  // namespace omen::store
