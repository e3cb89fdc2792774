#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "haltere/io/json.h"

/// Numbers of a report as the page has them: docs/report-format.md.
namespace haltere {

/// Arrays one after the other, in byte planes.
class Blob {
 public:
  /// Returns what the JSON text says of the array. `step`: values but the first so many are stored as differences to
  /// the value so many before; of whole numbers. 0: as they are.
  template <class T>
  Json add(std::span<const T> values, std::size_t step = 0) {
    static_assert(std::is_arithmetic_v<T>);
    Json json{{"at", bytes_.size()}, {"n", values.size()}, {"type", name_of<T>()}};
    if (step > 0) json["step"] = step;
    using Word = std::conditional_t<
        sizeof(T) == 1, std::uint8_t,
        std::conditional_t<sizeof(T) == 2, std::uint16_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
    const std::size_t start = bytes_.size(), n = values.size();
    bytes_.resize(start + n * sizeof(T));
    for (std::size_t i = 0; i < n; ++i) {
      auto word = std::bit_cast<Word>(values[i]);
      if (step > 0 && i >= step) word = static_cast<Word>(word - std::bit_cast<Word>(values[i - step]));
      for (std::size_t k = 0; k < sizeof(T); ++k)
        bytes_[start + k * n + i] = static_cast<char>(static_cast<std::uint64_t>(word) >> (8 * k) & 0xffU);
    }
    return json;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  static constexpr const char* name_of() {
    if constexpr (std::is_same_v<T, double>) return "f64";
    if constexpr (std::is_same_v<T, float>) return "f32";
    if constexpr (std::is_same_v<T, std::uint8_t>) return "u8";
    if constexpr (std::is_same_v<T, std::int8_t>) return "i8";
    if constexpr (std::is_same_v<T, std::uint16_t>) return "u16";
    if constexpr (std::is_same_v<T, std::int16_t>) return "i16";
    if constexpr (std::is_same_v<T, std::uint32_t>) return "u32";
  }
  std::string bytes_;
};

/// A part of the page: what the JSON text says, and the numbers, counted from their own beginning.
struct PagePart {
  Json json = Json::object();
  Blob blob;
};

/// Moves the places of all arrays in `json` by so many bytes.
void shift_arrays(std::size_t offset, Json* json);

/// The bytes as gzip without a time, so that the same bytes give the same: 1/3 to 1/20 of their size.
std::string pack_gzip(std::string_view bytes);

}  // namespace haltere
