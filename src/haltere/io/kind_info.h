#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "haltere/model/joints/joint.h"
#include "haltere/model/kind.h"
#include "haltere/model/values.h"

/// The descriptions of the kinds of a room as plain data, so that one reader serves all of them.
namespace haltere {

enum class FieldType {
  kNumber,          // T
  kCount,           // int
  kVector,          // Vector3<T>
  kMatrix,          // Matrix3<T>
  kFunction,        // Function<T>
  kVectorFunction,  // VectorFunction<T>
  kBody,            // BodyIndex
  kCoordinate,      // CoordinateIndex
  kGains,           // Gains<T>
  kWord,            // an enumeration
  kFlag,            // bool
};

struct FieldInfo {
  std::string_view name;
  std::string_view unit;
  Rule rule = Rule::kAny;
  Need need = Need::kOptional;
  Parity parity = Parity::kPolar;
  Reads reads = Reads::kSignals;
  FieldType type = FieldType::kNumber;
  std::vector<std::string> words;  // of a kWord
  std::string_view meaning;
  std::string otherwise{};  // what holds where the file does not give it; of fields that are not required
};

struct KindInfo {
  std::string_view name;
  std::vector<FieldInfo> fields;
  std::optional<Motion> motion;  // the only coordinates that it may act on
  std::string_view summary;
};

namespace detail {

template <class Value>
constexpr FieldType type_of() {
  if constexpr (std::is_same_v<Value, double>)
    return FieldType::kNumber;
  else if constexpr (std::is_same_v<Value, int>)
    return FieldType::kCount;
  else if constexpr (std::is_same_v<Value, Vector3<double>>)
    return FieldType::kVector;
  else if constexpr (std::is_same_v<Value, Matrix3<double>>)
    return FieldType::kMatrix;
  else if constexpr (std::is_same_v<Value, Function<double>>)
    return FieldType::kFunction;
  else if constexpr (std::is_same_v<Value, VectorFunction<double>>)
    return FieldType::kVectorFunction;
  else if constexpr (std::is_same_v<Value, BodyIndex>)
    return FieldType::kBody;
  else if constexpr (std::is_same_v<Value, CoordinateIndex>)
    return FieldType::kCoordinate;
  else if constexpr (std::is_same_v<Value, Gains<double>>)
    return FieldType::kGains;
  else if constexpr (std::is_same_v<Value, bool>)
    return FieldType::kFlag;
  else {
    static_assert(std::is_enum_v<Value>, "a field of this type cannot be read");
    return FieldType::kWord;
  }
}

/// The default of a field as a file would write it.
std::string describe_value(double value, std::string_view unit);
std::string describe_value(const Vector3<double>& value, std::string_view unit);
std::string describe_value(const Matrix3<double>& value, std::string_view unit);
inline std::string describe_value(int value, std::string_view) {
  return std::to_string(value);
}
inline std::string describe_value(bool value, std::string_view) {
  return value ? "true" : "false";
}
inline std::string describe_value(const Function<double>&, std::string_view unit) {
  return describe_value(0.0, unit);
}
inline std::string describe_value(const VectorFunction<double>&, std::string_view) {
  return "[0, 0, 0]";
}
inline std::string describe_value(BodyIndex, std::string_view) {
  return "the world";
}
inline std::string describe_value(CoordinateIndex, std::string_view) {
  return "none";
}
inline std::string describe_value(const Gains<double>&, std::string_view) {
  return "none";
}
template <class Enum>
requires std::is_enum_v<Enum> std::string describe_value(Enum value, std::string_view) {
  return std::string(Words<Enum>::kNames[static_cast<std::size_t>(value)]);
}

template <class Owner, class Value>
FieldInfo describe_field(const Field<Owner, Value>& f) {
  FieldInfo info{f.name, f.unit, f.rule, f.need, f.parity, f.reads, type_of<Value>(), {}, f.meaning, {}};
  if constexpr (std::is_enum_v<Value>)
    for (const std::string_view word : Words<Value>::kNames) info.words.emplace_back(word);
  if (f.need == Need::kOptional)
    info.otherwise =
        f.otherwise.empty() ? describe_value(Owner{}.*f.member, f.unit) : std::string(f.otherwise);
  return info;
}

}  // namespace detail

/// The kinds of a room, in the order of its list.
template <class Kinds>
const std::vector<KindInfo>& kind_infos() {
  static const std::vector<KindInfo> infos = [] {
    std::vector<KindInfo> list;
    Kinds::for_each([&]<class K>(const K&) {
      KindInfo info{K::kName, {}, std::nullopt, K::kSummary};
      if constexpr (requires { K::kMotion; }) info.motion = K::kMotion;
      for_each_field<K>([&](const auto& f) { info.fields.push_back(detail::describe_field(f)); });
      list.push_back(std::move(info));
    });
    return list;
  }();
  return infos;
}

}  // namespace haltere
