/// \file
/// The types of the mini language: booleans, integers of fixed widths, and references to objects.
/// Invariant: a value is stored as its bits, zero-extended from its width; `fit` truncates any bits to such a value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace omen::mini {

enum class Scalar : std::uint8_t { Void, Bool, I8, I16, I32, I64, U8, U16, U32, U64, Reference };

struct Type {
  Scalar scalar = Scalar::Void;
  std::uint32_t structure = kAnyStructure;  ///< of a reference: index of its struct; `kAnyStructure` is that of `null`

  static constexpr std::uint32_t kAnyStructure = ~std::uint32_t{0};
  bool operator==(const Type&) const = default;
};

inline constexpr Type kVoid{Scalar::Void};
inline constexpr Type kBool{Scalar::Bool};
inline constexpr Type kI32{Scalar::I32};
inline constexpr Type kNull{Scalar::Reference};

struct ScalarTraits {
  std::string_view name;
  unsigned width;
  bool is_signed;
};
inline constexpr std::array<ScalarTraits, 11> kScalarTraits{{
    {"void", 0, false},
    {"bool", 1, false},
    {"i8", 8, true},
    {"i16", 16, true},
    {"i32", 32, true},
    {"i64", 64, true},
    {"u8", 8, false},
    {"u16", 16, false},
    {"u32", 32, false},
    {"u64", 64, false},
    {"reference", 32, false},
}};

constexpr const ScalarTraits& traits(Scalar scalar) {
  return kScalarTraits[static_cast<std::size_t>(scalar)];
}
constexpr unsigned width(Scalar scalar) {
  return traits(scalar).width;
}
constexpr bool is_signed(Scalar scalar) {
  return traits(scalar).is_signed;
}
constexpr bool is_integer(Scalar scalar) {
  return scalar >= Scalar::I8 && scalar <= Scalar::U64;
}

/// The type named by a keyword; none for other words.
constexpr std::optional<Scalar> scalar_named(std::string_view word) {
  for (std::size_t i = 0; i + 1 < kScalarTraits.size(); ++i) {
    if (kScalarTraits[i].name == word) return static_cast<Scalar>(i);
  }
  return std::nullopt;
}

constexpr std::uint64_t mask(Scalar scalar) {
  return width(scalar) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width(scalar)) - 1;
}
/// The value of the type that `bits` wraps around to.
constexpr std::uint64_t fit(Scalar scalar, std::uint64_t bits) {
  return bits & mask(scalar);
}
/// The number that a value represents, sign-extended if the type is signed.
constexpr std::int64_t as_signed(Scalar scalar, std::uint64_t value) {
  if (!is_signed(scalar) || width(scalar) == 64) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (width(scalar) - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

}  // namespace omen::mini
