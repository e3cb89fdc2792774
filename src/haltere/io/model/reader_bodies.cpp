#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "haltere/io/model/reader.h"

namespace haltere {
namespace {

const char* const kInertiaForms =
    "write [Ixx, Iyy, Izz], {xx: ..., xy: ...}, three rows of three, or {kind: box, size: [...]}";
const std::vector<std::string> kElements{"xx", "yy", "zz", "xy", "xz", "yz"};

/// Elements with the normal of the mirror in one of their two indices change sign.
bool changes_in_mirror(const Copy* copy, const std::string& element) {
  if (!copy || !copy->is_mirrored() || element[0] == element[1]) return false;
  return element.find(static_cast<char>('x' + copy->normal)) != std::string::npos;
}

bool read_element(const YamlNode& node, const Thing& thing, int i, Reader* reader, BodySpec* body) {
  auto value = reader->read_quantity(node, thing, fmt::format("inertia {}", kElements[i]), "kg m2",
                                     Rule::kAny, changes_in_mirror(node.copy, kElements[i]));
  if (value) body->inertia[i] = std::move(*value);
  return value.has_value();
}

/// Three rows of three; must be symmetric to what a file writes down.
void read_tensor(const YamlNode& node, const Thing& thing, Reader* reader, BodySpec* body) {
  constexpr double kRounding = 1e-9;  // of the largest element: what a file may round; a choice
  static constexpr int kPlace[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  std::array<std::array<double, 3>, 3> I{};
  double largest = 0;
  for (int i = 0; i < 3; ++i) {
    const YamlNode& row = node.children[i];
    if (!row.is_sequence() || row.children.size() != 3)
      return reader->refuse(row, thing, "inertia: a row has three elements", kInertiaForms);
    for (int j = 0; j < 3; ++j) {
      if (!read_element(row.children[j], thing, kPlace[i][j], reader, body)) return;
      I[i][j] = reader->formulas.calc(body->inertia[kPlace[i][j]]);
      largest = std::max(largest, std::abs(I[i][j]));
    }
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j)
      if (std::abs(I[i][j] - I[j][i]) > kRounding * largest)
        reader->refuse(
            node.children[i].children[j], thing,
            fmt::format("inertia: the tensor is not symmetric: {} is {} below and {} above the diagonal",
                        kElements[kPlace[i][j]], format_quantity(I[i][j], "kg m2"),
                        format_quantity(I[j][i], "kg m2")));
}

std::optional<Entry> read_shape(const YamlNode& node, const Thing& thing, Reader* reader) {
  const std::vector<KindInfo>& kinds = shape_kinds();
  const std::optional<int> kind = reader->read_kind(node, thing, kinds);
  if (!kind) return std::nullopt;
  Entry entry{std::string(thing.name), node.mark.source(), *kind, {}};
  if (!reader->read_fields(node, thing, kinds, {}, &entry)) return std::nullopt;
  return entry;
}

void read_inertia(const YamlNode& node, const Thing& thing, Reader* reader, BodySpec* body) {
  const std::size_t n = node.children.size();
  if (node.is_sequence() && n == 3 && node.children[0].is_sequence())
    return read_tensor(node, thing, reader, body);
  if (node.is_sequence() && n == 3) {
    for (int i = 0; i < 3; ++i) read_element(node.children[i], thing, i, reader, body);
    return;
  }
  if (!node.is_map())
    return reader->refuse(node, thing,
                          fmt::format("inertia: expected a tensor or a primitive, not {}", describe(node)),
                          kInertiaForms);
  if (node.find("kind")) {
    body->inertia_shape = read_shape(node, thing, reader);
    return;
  }
  reader->check_keys(node, thing, "an inertia", kElements);
  for (int i = 0; i < 6; ++i)
    if (const YamlNode* element = node.find(kElements[i])) read_element(*element, thing, i, reader, body);
}

BodySpec read_body_spec(const YamlNode& node, Reader* reader) {
  const Thing thing{"body", node.key};
  BodySpec body;
  body.name = node.key;
  body.mark = node.key_source();
  if (!node.is_map()) {
    reader->refuse(node, thing, fmt::format("expected a map, not {}", describe(node)));
    return body;
  }
  reader->check_keys(node, thing, "a body", {"mass", "center_of_mass", "inertia", "shape", "euler", "chart"});
  if (const YamlNode* mass = node.find("mass"))
    if (auto value = reader->read_quantity(*mass, thing, "mass", "kg", Rule::kNotNegative))
      body.mass = std::move(*value);
  if (const YamlNode* center = node.find("center_of_mass"))
    if (auto p = reader->read_vector(*center, thing, {"center_of_mass", "m", Parity::kPolar}))
      std::move(p->begin(), p->end(), body.center_of_mass.begin());
  const YamlNode* inertia = node.find("inertia");
  if (inertia) read_inertia(*inertia, thing, reader, &body);
  if (const YamlNode* shape = node.find("shape")) body.shape = read_shape(*shape, thing, reader);
  if (!inertia) body.inertia_shape = body.shape;
  if (!body.shape) body.shape = body.inertia_shape;
  if (const YamlNode* euler = node.find("euler")) body.euler = reader->read_sequence(*euler, thing);
  if (const YamlNode* chart = node.find("chart")) {
    body.chart = reader->read_word(*chart, thing, "chart").value_or("");
    body.chart_mark = chart->mark.source();
  }
  return body;
}

}  // namespace

void Reader::read_bodies(const YamlNode& section) {
  model->bodies.emplace_back().name = "world";
  bodies.emplace("world", 0);
  for (const YamlNode& node : section.children) {
    const Thing thing{"body", node.key};
    if (node.key == "world") {
      problems->add(node.key_source(), thing.text(),
                    "the world is there already; it is no body of the model");
      continue;
    }
    if (!add_name(node, thing, static_cast<int>(model->bodies.size()), &bodies)) continue;
    model->bodies.push_back(read_body_spec(node, this));
  }
}

}  // namespace haltere
