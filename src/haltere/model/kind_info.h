#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/model/joints/joint.h"
#include "haltere/model/kind.h"

/// The descriptions of kinds as plain data. Who reads, checks or lists entries works from these and knows no
/// kind; only who computes with one includes the list that it is in (joints.h, forces.h, ...).
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
  kRows,            // Triples<T>
  kGrid,            // a table of points
  kBlocks,          // a map of structs with fields of their own
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
  std::vector<FieldInfo> fields{};  // of the entries of a kBlocks
};

struct KindInfo {
  std::string_view name;
  std::vector<FieldInfo> fields;
  std::optional<Motion> motion;  // the only coordinates that it may act on
  std::string_view summary;
};

/// The kinds of each list, in its order.
const std::vector<KindInfo>& joint_kinds();
const std::vector<KindInfo>& constraint_kinds();
const std::vector<KindInfo>& force_kinds();
const std::vector<KindInfo>& surface_kinds();
const std::vector<KindInfo>& shape_kinds();

/// Position of the kind in its list, or -1.
int find_kind(const std::vector<KindInfo>& kinds, std::string_view name);

}  // namespace haltere
