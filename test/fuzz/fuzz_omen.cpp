/// \file
/// libFuzzer over the `.omen` reader and `OmenFile`. Random bit flips never pass a checksum, so most mutations work
/// inside: a section is decompressed, changed, and written back with matching sizes, checksum, index and trailer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "test/fuzz/round_trip.hpp"
#include "trace/formats/omen_section.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace omen::fuzz {
namespace {

struct Section {
  layout::SectionHeader header;
  std::string raw;
};

/// The readable sections before the index.
std::vector<Section> sections_of(const std::string& content) {
  const auto bytes = bytes_in_memory(content, "mutated");
  OmenCursor cursor(*bytes);
  std::vector<Section> sections;
  if (!read_file_header(cursor)) return sections;
  SectionReader reader;
  while (sections.size() < 64) {
    const auto header = reader.read(cursor);
    if (!header || header->kind == layout::Kind::Index) break;
    sections.push_back({*header, std::string(reader.payload().begin(), reader.payload().end())});
  }
  return sections;
}

template <class Record>
void append(std::string& out, const Record& record) {
  out.append(reinterpret_cast<const char*>(&record), sizeof record);
}

std::string file_of(const std::vector<Section>& sections) {
  std::string out;
  append(out, layout::FileHeader{});
  SectionWriter writer;
  std::string index;
  std::uint64_t events = 0;
  for (const Section& section : sections) {
    const layout::SectionHeader& header = section.header;
    append(index,
           layout::IndexEntry{.offset = out.size(), .first = header.first, .kind = header.kind, .count = header.count});
    if (header.kind == layout::Kind::Events) events += header.count;
    const auto bytes = writer.make(header, section.raw);
    out.append(bytes.data(), bytes.size());
  }
  const std::uint64_t index_offset = out.size();
  const auto bytes =
      writer.make({.kind = layout::Kind::Index, .count = static_cast<std::uint32_t>(sections.size())}, index);
  out.append(bytes.data(), bytes.size());
  append(out, make_trailer(index_offset, events));
  return out;
}

void mutate_bytes(std::string& bytes, std::size_t most) {
  const std::size_t size = std::min(bytes.size(), most);
  bytes.resize(most);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, most));
}

void mutate_inside(std::vector<Section>& sections, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return random() % n; };
  Section& section = sections[below(sections.size())];
  switch (below(10)) {
    case 0:
      section.header.count = static_cast<std::uint32_t>(section.header.count + below(5) - 2);
      break;
    case 1:
      section.header.first += below(5) - 2;
      break;
    case 2:
      section.header.kind = static_cast<layout::Kind>(below(4) | (below(8) == 0 ? layout::kOptionalKind : 0));
      break;
    case 3:
      std::swap(section, sections[below(sections.size())]);
      break;
    case 4:
      sections.push_back(section);
      break;
    case 5:
      sections.erase(sections.begin() + static_cast<std::ptrdiff_t>(below(sections.size())));
      break;
    default:
      mutate_bytes(section.raw, section.raw.size() + 16);
      break;
  }
}

}  // namespace
}  // namespace omen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  omen::fuzz::round_trip(omen::Format::Omen, std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  using namespace omen::fuzz;
  std::mt19937 random(seed);
  if (random() % 8 != 0) {
    auto sections = sections_of(std::string(reinterpret_cast<const char*>(data), size));
    if (!sections.empty()) {
      mutate_inside(sections, random);
      const std::string file = file_of(sections);
      if (file.size() <= max_size) {
        std::memcpy(data, file.data(), file.size());
        return file.size();
      }
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
