/// \file
/// The store as one self-contained HTML file: trend, races by status, owner and folder, the list with filters. It is
/// made like a run's page (report/html/html_page.hpp), with the same content security policy, and all data from
/// programs and people is inserted as text.
#pragma once

#include <string>

#include "store/records.hpp"

namespace omen::store {

/// `version` is omen's.
std::string as_html(const Snapshot& snapshot, const std::string& version);

}  // namespace omen::store
