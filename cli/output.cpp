#include "cli/output.hpp"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "trace/formats/byte_sink.hpp"

namespace omen::cli {

std::expected<void, InputError> write_text(const std::string& path, std::string_view text) {
  if (path == "-") std::fflush(stdout);  // preserves the order with earlier output
  auto out = create_bytes(path);
  if (!out) return std::unexpected(std::move(out.error()));
  if (auto ok = (*out)->write(text); !ok) return ok;
  return (*out)->commit();
}

std::expected<void, InputError> write_json(const std::string& path, const nlohmann::ordered_json& json) {
  return write_text(path, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

report::Viewpoint viewpoint() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored);
  for (fs::path folder = here; folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored)) return {.folder = here.string(), .project = folder.string()};
  }
  return {.folder = here.string()};
}

report::PageStyle page_style() {
  return {.version = OMEN_VERSION, .from = viewpoint()};
}

}  // namespace omen::cli
