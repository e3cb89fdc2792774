#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/reader.h"

namespace haltere {
namespace {

/// A coordinate of a mirrored joint may run the other way; a force on it would need its signs changed, too.
void check_mirrored_coordinate(const YamlNode& node, const Thing& thing, const Entry& entry, Reader* reader) {
  if (!node.copy || !node.copy->is_mirrored()) return;
  for (const Value& value : entry.values)
    if (const auto* c = std::get_if<CoordinateIndex>(&value))
      if (reader->coordinate_sign(node.copy, c->joint, c->coordinate) < 0)
        reader->refuse(node, thing,
                       fmt::format("coordinate {} of joint '{}' runs the other way in the mirror",
                                   c->coordinate, reader->model->joints[c->joint].name()),
                       "write this force for both sides");
}

}  // namespace

const std::vector<std::string>& air_keys() {
  static const std::vector<std::string> keys{
      "density",  "wind",          "step",       "core",     "core_growth",       "far_field",
      "wake_age", "coarsen_after", "convection", "coupling", "coupling_tolerance"};
  return keys;
}

void Reader::read_forces(const YamlNode& section) {
  const std::vector<KindInfo>& kinds = force_kinds();
  NameTable names;
  for (const YamlNode& node : section.children) {
    const Thing thing{"force", node.key};
    if (!add_name(node, thing, 0, &names)) continue;
    if (node.key == "gravity") {
      problems->add(node.key_source(), thing.text(),
                    "the channels force.gravity.* are those of the model's gravity",
                    "give this force another name");
      continue;
    }
    const std::optional<int> kind = read_kind(node, thing, kinds);
    if (!kind) continue;
    Entry entry{node.key, node.key_source(), *kind, {}};
    if (!read_fields(node, thing, kinds, {}, &entry)) continue;
    check_mirrored_coordinate(node, thing, entry, this);
    model->forces.push_back(std::move(entry));
  }
}

void Reader::read_air(const YamlNode& node, bool has_surfaces) {
  const Thing thing{"air", ""};
  if (!has_surfaces)
    problems->warn(node.key_source(), "air", "nothing feels it: the model has no surfaces",
                   "add `surfaces`, or leave it out");
  const std::size_t before = problems->size();
  // where something is wrong here, surfaces do not miss it once more
  const auto end = [&] {
    if (problems->size() == before) return;
    for (const std::string& key : air_keys()) air.try_emplace(key);
  };
  if (!node.is_map()) {
    refuse(node, thing, fmt::format("expected a map, not {}", haltere::describe(node)),
           "write it as air: {density: 1.225 kg/m3, wind: [5 m/s, 0, 0]}");
    return end();
  }
  std::vector<std::string> keys = air_keys();
  keys.emplace_back("planes");
  check_keys(node, thing, "`air`", keys);
  if (const YamlNode* planes = node.find("planes")) read_planes(*planes);
  for (const KindInfo& kind : surface_kinds())
    for (const FieldInfo& field : kind.fields) {
      const YamlNode* value = node.find(field.name);
      if (!value || air.count(field.name) > 0 ||
          std::find(keys.begin(), keys.end(), field.name) == keys.end())
        continue;
      read_field(*value, thing, field, Motion::kAngle, &air[std::string(field.name)]);
    }
  end();
}

void Reader::read_planes(const YamlNode& section) {
  if (!section.is_map())
    return refuse(section, {"air", ""},
                  fmt::format("planes: expected a map, not {}", haltere::describe(section)),
                  "write them as planes: {ground: {normal: z}}");
  NameTable names;
  for (const YamlNode& node : section.children) {
    const Thing thing{"plane", node.key};
    if (!add_name(node, thing, 0, &names)) continue;
    if (!node.is_map()) {
      refuse(node, thing, fmt::format("expected a map, not {}", haltere::describe(node)),
             "write it as ground: {point: [0, 0, 0], normal: z}");
      continue;
    }
    check_keys(node, thing, "a plane", {"point", "normal"});
    PlaneSpec plane{node.key, node.key_source(), {}, {}};
    const YamlNode *point = node.find("point"), *normal = node.find("normal");
    if (!normal) {
      refuse(node, thing, "normal is missing", "the direction into the air, as in normal: z");
      continue;
    }
    auto direction = find_direction(*normal, std::nullopt);
    if (!direction) direction = read_vector(*normal, thing, {"normal", "", std::nullopt});
    if (direction) std::move(direction->begin(), direction->end(), plane.normal.begin());
    if (point)
      if (auto place = read_vector(*point, thing, {"point", "m", std::nullopt}))
        std::move(place->begin(), place->end(), plane.point.begin());
    if (direction) model->planes.push_back(std::move(plane));
  }
}

void Reader::read_surfaces(const YamlNode& section) {
  const std::vector<KindInfo>& kinds = surface_kinds();
  NameTable names;
  for (const YamlNode& node : section.children) {
    const Thing thing{"surface", node.key};
    if (!add_name(node, thing, 0, &names)) continue;
    const std::optional<int> kind = read_kind(node, thing, kinds);
    if (!kind) continue;
    Entry entry{node.key, node.key_source(), *kind, {}};
    entry.mirrored = node.copy && node.copy->is_mirrored();
    if (read_fields(node, thing, kinds, {}, &entry, air)) model->surfaces.push_back(std::move(entry));
  }
}

void Reader::read_constraints(const YamlNode& section) {
  const std::vector<KindInfo>& kinds = constraint_kinds();
  for (const YamlNode& node : section.children) {
    const Thing thing{"constraint", node.key};
    if (!add_name(node, thing, static_cast<int>(model->constraints.size()), &constraints)) continue;
    if (joints.count(node.key) > 0) {
      problems->add(node.key_source(), thing.text(),
                    "a joint has this name, and both have channels constraint.NAME",
                    "give one of them another name");
      continue;
    }
    const std::optional<int> kind = read_kind(node, thing, kinds);
    if (!kind) continue;
    Entry entry{node.key, node.key_source(), *kind, {}};
    if (!read_fields(node, thing, kinds, {}, &entry)) continue;
    model->constraints.push_back(std::move(entry));
  }
}

}  // namespace haltere
