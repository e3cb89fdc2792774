#include "haltere/model/kind_info.h"

#include <array>
#include <type_traits>

#include <fmt/format.h>

#include "haltere/model/constraints.h"
#include "haltere/model/forces.h"
#include "haltere/model/joints.h"
#include "haltere/model/shapes.h"
#include "haltere/model/surfaces.h"

namespace haltere {
namespace {

template <class Value>
constexpr bool is_list_of_structs() {
  if constexpr (requires { typename Value::value_type; }) return requires {
      Value::value_type::fields();
    };
  else
    return false;
}

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
  else if constexpr (std::is_same_v<Value, Triples<double>>)
    return FieldType::kRows;
  else if constexpr (std::is_same_v<Value, std::shared_ptr<const PointGrid>>)
    return FieldType::kGrid;
  else if constexpr (is_list_of_structs<Value>())
    return FieldType::kBlocks;
  else {
    static_assert(std::is_enum_v<Value>, "a field of this type cannot be read");
    return FieldType::kWord;
  }
}

/// The default of a field as a file would write it.
std::string describe_value(double value, std::string_view unit) {
  // zero is zero in any unit, and a choice of units has no single one
  if (value == 0 || unit.empty() || unit.find('|') != std::string_view::npos) return fmt::format("{}", value);
  return fmt::format("{} {}", value, unit);
}

std::string describe_value(const Vector3<double>& value, std::string_view unit) {
  constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};
  for (int i = 0; i < 3; ++i)
    if (unit.empty() && value == Vector3<double>::Unit(i)) return std::string(kAxes[i]);
  return fmt::format("[{}, {}, {}]", value[0], value[1], value[2]);
}

std::string describe_value(const Matrix3<double>& value, std::string_view unit) {
  const auto row = [&](int i) { return describe_value(Vector3<double>(value.row(i)), unit); };
  return fmt::format("[{}, {}, {}]", row(0), row(1), row(2));
}

std::string describe_value(int value, std::string_view) {
  return std::to_string(value);
}
[[maybe_unused]] std::string describe_value(bool value, std::string_view) {
  return value ? "true" : "false";
}
std::string describe_value(const Function<double>&, std::string_view unit) {
  return describe_value(0.0, unit);
}
std::string describe_value(const VectorFunction<double>&, std::string_view) {
  return "[0, 0, 0]";
}
std::string describe_value(BodyIndex, std::string_view) {
  return "the world";
}
std::string describe_value(CoordinateIndex, std::string_view) {
  return "none";
}
std::string describe_value(const Gains<double>&, std::string_view) {
  return "none";
}
std::string describe_value(const std::shared_ptr<const PointGrid>&, std::string_view) {
  return "none";
}
template <class Item>
std::string describe_value(const std::vector<Item>&, std::string_view) {
  return "none";
}
template <class Enum>
requires std::is_enum_v<Enum> std::string describe_value(Enum value, std::string_view) {
  return std::string(Words<Enum>::kNames[static_cast<std::size_t>(value)]);
}

template <class K>
std::vector<FieldInfo> describe_fields();

template <class Owner, class Value>
FieldInfo describe_field(const Field<Owner, Value>& f) {
  FieldInfo info{f.name, f.unit, f.rule, f.need, f.parity, f.reads, type_of<Value>(), {}, f.meaning};
  if constexpr (std::is_enum_v<Value>)
    for (const std::string_view word : Words<Value>::kNames) info.words.emplace_back(word);
  if constexpr (is_list_of_structs<Value>()) info.fields = describe_fields<typename Value::value_type>();
  if (f.need == Need::kOptional)
    info.otherwise =
        f.otherwise.empty() ? describe_value(Owner{}.*f.member, f.unit) : std::string(f.otherwise);
  return info;
}

template <class K>
std::vector<FieldInfo> describe_fields() {
  std::vector<FieldInfo> fields;
  for_each_field<K>([&](const auto& f) { fields.push_back(describe_field(f)); });
  return fields;
}

template <class Kinds>
std::vector<KindInfo> describe_kinds() {
  std::vector<KindInfo> list;
  Kinds::for_each([&]<class K>(const K&) {
    KindInfo info{K::kName, describe_fields<K>(), std::nullopt, K::kSummary};
    if constexpr (requires { K::kMotion; }) info.motion = K::kMotion;
    list.push_back(std::move(info));
  });
  return list;
}

}  // namespace

const std::vector<KindInfo>& joint_kinds() {
  static const std::vector<KindInfo> kinds = describe_kinds<JointKinds>();
  return kinds;
}

const std::vector<KindInfo>& constraint_kinds() {
  static const std::vector<KindInfo> kinds = describe_kinds<ConstraintKinds>();
  return kinds;
}

const std::vector<KindInfo>& force_kinds() {
  static const std::vector<KindInfo> kinds = describe_kinds<ForceKinds>();
  return kinds;
}

const std::vector<KindInfo>& surface_kinds() {
  static const std::vector<KindInfo> kinds = describe_kinds<SurfaceKinds>();
  return kinds;
}

const std::vector<KindInfo>& shape_kinds() {
  static const std::vector<KindInfo> kinds = describe_kinds<ShapeKinds>();
  return kinds;
}

int find_kind(const std::vector<KindInfo>& kinds, std::string_view name) {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace haltere
