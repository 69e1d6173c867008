#include "capture/driver/archive.hpp"

#include <ar.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

namespace omen::driver {
namespace {

constexpr std::string_view kThin = "!<thin>\n";

struct Member {
  uint64_t offset;     ///< of the member's header
  std::string header;  ///< copied unchanged
  std::vector<char> bytes;
};

struct Archive {
  bool is_thin = false;
  std::vector<Member> members;  ///< including the index and the table of long names
};

std::string_view name_of(const Member& member) {
  const std::string_view name(member.header.data(), sizeof(ar_hdr::ar_name));
  return name.substr(0, name.find_last_not_of(' ') + 1);
}
bool is_index(const Member& member) {
  return name_of(member) == "/" || name_of(member) == "/SYM64/";
}

/// The file of a thin archive's member; empty if the member belongs to a nested archive.
std::string file_of(const std::string& path, std::string_view name, const std::vector<char>& long_names) {
  std::string file(name);
  if (name.starts_with('/')) {
    if (name.contains(':')) return {};
    const auto at = static_cast<size_t>(std::strtoull(file.c_str() + 1, nullptr, 10));
    if (at >= long_names.size()) return {};
    const std::string_view rest(long_names.data() + at, long_names.size() - at);
    file = rest.substr(0, rest.find('\n'));
  }
  if (file.ends_with('/')) file.pop_back();
  return (std::filesystem::path(path).parent_path() / file).string();
}

std::optional<Archive> read(const std::string& path, std::span<const char> file) {
  Archive archive;
  archive.is_thin = std::string_view(file.data(), SARMAG) == kThin;
  std::vector<char> long_names;
  for (uint64_t at = SARMAG; at + sizeof(ar_hdr) <= file.size();) {
    Member member{at, std::string(file.data() + at, sizeof(ar_hdr)), {}};
    const uint64_t size = std::strtoull(member.header.substr(offsetof(ar_hdr, ar_size), 10).c_str(), nullptr, 10);
    const bool is_table = is_index(member) || name_of(member) == "//";
    at += sizeof(ar_hdr);
    if (archive.is_thin && !is_table) {
      std::ifstream in(file_of(path, name_of(member), long_names), std::ios::binary);
      if (!in) return std::nullopt;
      member.bytes.assign(std::istreambuf_iterator<char>(in), {});
    } else {
      if (size > file.size() - at) return std::nullopt;
      member.bytes.assign(file.data() + at, file.data() + at + size);
      at += size + size % 2;
    }
    if (name_of(member) == "//") long_names = member.bytes;
    archive.members.push_back(std::move(member));
  }
  return archive;
}

/// Reads a number of the index, which is big-endian.
uint64_t number_at(const std::vector<char>& bytes, size_t at, size_t width) {
  uint64_t number = 0;
  for (size_t i = 0; i < width && at + i < bytes.size(); ++i)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}
void set_number(std::vector<char>& bytes, size_t at, size_t width, uint64_t number) {
  for (size_t i = width; i-- > 0; number >>= 8) bytes[at + i] = static_cast<char>(number & 255);
}

/// Updates the index, which identifies members by the offsets of their headers.
bool renumber(Member& index, const std::map<uint64_t, uint64_t>& places) {
  const size_t width = name_of(index) == "/" ? 4 : 8;
  const uint64_t count = number_at(index.bytes, 0, width);
  if (count >= index.bytes.size() / width) return false;  // the count itself is a number, too
  for (uint64_t i = 1; i <= count; ++i) {
    const auto place = places.find(number_at(index.bytes, i * width, width));
    if (place == places.end() || (width == 4 && place->second > UINT32_MAX)) return false;
    set_number(index.bytes, i * width, width, place->second);
  }
  return true;
}

std::optional<std::vector<char>> write(Archive& archive) {
  std::map<uint64_t, uint64_t> places;
  uint64_t place = SARMAG;
  for (const Member& member : archive.members) {
    places[member.offset] = place;
    place += sizeof(ar_hdr) + member.bytes.size() + member.bytes.size() % 2;
  }
  const std::string_view magic(ARMAG, SARMAG);
  std::vector<char> out(magic.begin(), magic.end());
  out.reserve(place);
  for (Member& member : archive.members) {
    if (is_index(member) && !renumber(member, places)) return std::nullopt;
    std::string size = std::to_string(member.bytes.size());
    if (size.size() > sizeof(ar_hdr::ar_size)) return std::nullopt;
    size.resize(sizeof(ar_hdr::ar_size), ' ');
    member.header.replace(offsetof(ar_hdr, ar_size), size.size(), size);
    out.insert(out.end(), member.header.begin(), member.header.end());
    out.insert(out.end(), member.bytes.begin(), member.bytes.end());
    if (member.bytes.size() % 2 != 0) out.push_back('\n');
  }
  return out;
}

}  // namespace

bool is_archive(std::span<const char> file) {
  if (file.size() < SARMAG) return false;
  const std::string_view magic(file.data(), SARMAG);
  return magic == ARMAG || magic == kThin;
}

bool for_each_member(const std::string& path, std::span<const char> file,
                     const std::function<void(std::span<const char>)>& look) {
  const auto archive = read(path, file);
  if (!archive) return false;
  for (const Member& member : archive->members) {
    if (!is_index(member) && name_of(member) != "//") look(member.bytes);
  }
  return true;
}

std::optional<std::vector<char>> with_changed_members(
    const std::string& path, std::span<const char> file,
    const std::function<std::optional<std::vector<char>>(std::span<const char>)>& change) {
  auto archive = read(path, file);
  if (!archive) return std::nullopt;
  bool any = false;
  for (Member& member : archive->members) {
    if (is_index(member) || name_of(member) == "//") continue;
    if (auto changed = change(member.bytes)) {
      member.bytes = std::move(*changed);
      any = true;
    }
  }
  return any ? write(*archive) : std::nullopt;
}

}  // namespace omen::driver
