#include "report/whole_file.hpp"

#include "trace/formats/byte_source.hpp"

namespace omen::report {

std::expected<std::string, InputError> whole_file(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  auto bytes = open_bytes(path);
  if (!bytes) return std::unexpected(bytes.error());
  std::string text;
  while (true) {
    const std::size_t had = text.size();
    text.resize(had + kPiece);
    const auto read = (*bytes)->read(std::span(text).subspan(had));
    if (!read) return std::unexpected(read.error());
    text.resize(had + *read);
    if (*read == 0) return text;
  }
}

}  // namespace omen::report
