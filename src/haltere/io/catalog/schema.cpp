#include "haltere/io/catalog/schema.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "haltere/io/catalog/catalog.h"
#include "haltere/io/json.h"
#include "haltere/io/model/reader.h"

/// `~` stands for "not given" everywhere in a file, hence the null among the types.
namespace haltere {
namespace {

Json ref(std::string_view name) {
  return {{"$ref", fmt::format("#/$defs/{}", name)}};
}

Json described(Json schema, std::string_view description) {
  schema["description"] = description;
  return schema;
}

Json any_of(std::vector<Json> choices) {
  return {{"anyOf", std::move(choices)}};
}

/// A number, a quantity with its unit or a formula.
Json quantity(std::string_view description = "", Rule rule = Rule::kAny) {
  Json schema{{"type", {"number", "string", "null"}}};
  if (rule == Rule::kNotNegative) schema["minimum"] = 0;
  if (rule == Rule::kPositive) schema["exclusiveMinimum"] = 0;
  return description.empty() ? schema : described(std::move(schema), description);
}

Json word(std::string_view description) {
  return {{"type", {"string", "null"}}, {"description", description}};
}

/// A word that nobody mistakes for anything else: numbers are fine, too.
Json text(std::string_view description) {
  return {{"type", {"string", "number", "boolean", "null"}}, {"description", description}};
}

Json list_of(Json items, int n = 0) {
  Json schema{{"type", {"array", "null"}}, {"items", std::move(items)}};
  if (n > 0) schema["minItems"] = schema["maxItems"] = n;
  return schema;
}

/// A map with these keys and no others.
Json map_of(Json properties) {
  return {
      {"type", {"object", "null"}}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

/// A map by name.
Json collection(Json entry, std::string_view description) {
  return {
      {"type", {"object", "null"}}, {"description", description}, {"additionalProperties", std::move(entry)}};
}

// -- kinds

Json make_field(const FieldInfo& field) {
  const std::string description = describe_field(field);
  switch (field.type) {
    case FieldType::kNumber:
    case FieldType::kFunction:
    case FieldType::kCount:
      return quantity(description, field.rule);
    case FieldType::kMatrix:
      return described(list_of(list_of(quantity("", field.rule), 3), 3), description);
    case FieldType::kVector:
      if (field.unit.empty()) return described(ref("direction"), description);
      [[fallthrough]];
    case FieldType::kVectorFunction:
      return described(list_of(quantity("", field.rule), 3), description);
    case FieldType::kBody:
    case FieldType::kCoordinate:
      return word(description);
    case FieldType::kGains:
      return collection(quantity(), description);
    case FieldType::kWord: {
      Json words(field.words);
      words.push_back(nullptr);
      return {{"enum", std::move(words)}, {"description", description}};
    }
    case FieldType::kFlag:
      return described(ref("flag"), description);
    case FieldType::kRows:
      return described(list_of(list_of(quantity("", field.rule), 3)), description);
    case FieldType::kGrid:
      return word(description);
    case FieldType::kBlocks: {
      Json properties = Json::object();
      for (const FieldInfo& own : field.fields) properties[std::string(own.name)] = make_field(own);
      return collection(map_of(std::move(properties)), description);
    }
  }
  return true;
}

Json has_kind(std::string_view name) {
  return {{"properties", {{"kind", {{"const", name}}}}}, {"required", {"kind"}}};
}

/// An entry that may say everything or only a part: the fields of its kind, where it names one, and the keys
/// that all kinds share.
Json make_entry(const std::vector<KindInfo>& kinds, const Json& shared) {
  Json names = Json::array(), choices = Json::array(), all_keys = Json::array({"kind"});
  for (const auto& [key, value] : shared.items()) all_keys.push_back(key);
  for (const KindInfo& kind : kinds) {
    names.push_back(kind.name);
    Json properties{{"kind", {{"const", kind.name}, {"description", kind.summary}}}};
    for (const FieldInfo& field : kind.fields) {
      properties[std::string(field.name)] = make_field(field);
      all_keys.push_back(field.name);
    }
    for (const auto& [key, value] : shared.items()) properties[key] = true;  // looked at below
    choices.push_back({{"if", has_kind(kind.name)},
                       {"then", {{"properties", std::move(properties)}, {"additionalProperties", false}}}});
  }
  names.push_back(nullptr);
  Json properties = shared;
  properties["kind"] = {{"enum", std::move(names)}};
  return {{"type", {"object", "null"}},
          {"properties", std::move(properties)},
          {"propertyNames", {{"enum", std::move(all_keys)}}},
          {"allOf", std::move(choices)}};
}

/// What an entry must say where nothing else completes it: no included file, and no `first` or `last` of a
/// repeated block.
/// `elsewhere`: what need not stand in the entry itself.
Json make_demands(const std::vector<KindInfo>& kinds, std::vector<std::string> always,
                  const std::vector<std::string>& elsewhere = {}) {
  Json choices = Json::array();
  for (const KindInfo& kind : kinds) {
    Json required = Json::array();
    for (const FieldInfo& field : kind.fields)
      if (field.need == Need::kRequired &&
          std::find(elsewhere.begin(), elsewhere.end(), field.name) == elsewhere.end())
        required.push_back(field.name);
    if (!required.empty())
      choices.push_back({{"if", has_kind(kind.name)}, {"then", {{"required", std::move(required)}}}});
  }
  always.insert(always.begin(), "kind");
  Json demands{{"required", always}};
  if (!choices.empty()) demands["allOf"] = std::move(choices);
  return {{"if", {{"type", "object"}, {"not", {{"required", {"repeat"}}}}}}, {"then", std::move(demands)}};
}

// -- sections

/// `repeat` and `mirror`, which every entry of a collection may have; `entry` is what they may override.
void add_copies(std::string_view entry, Json* properties) {
  (*properties)["repeat"] = {{"type", {"object", "null"}},
                             {"description", "copies over an index: {i: 1..n}; {i} in names is replaced"},
                             {"properties", {{"first", ref(entry)}, {"last", ref(entry)}}},
                             {"additionalProperties", word("a range, 1..n")}};
  (*properties)["mirror"] = described(
      map_of({{"plane", {{"enum", {"x", "y", "z", nullptr}}, {"description", "axis normal to the plane"}}},
              {"from", text("part of the names on this side")},
              {"to", text("what it becomes on the other side")},
              {"with", described(ref(entry), "what is different on the other side")}}),
      "a second entry on the other side of a plane: {plane: y, from: right, to: left}");
}

Json with_copies(std::string_view entry, Json properties) {
  add_copies(entry, &properties);
  return properties;
}

Json make_body() {
  const Json number = quantity();
  Json elements;
  for (const char* name : {"xx", "yy", "zz", "xy", "xz", "yz"}) elements[name] = number;
  // a part of an override may say anything that one of the forms says
  const Json inertia =
      any_of({list_of(number, 3), list_of(list_of(number, 3), 3), map_of(elements), ref("shape")});
  return map_of(with_copies(
      "body",
      {{"mass", quantity("[kg]", Rule::kNotNegative)},
       {"center_of_mass", described(ref("vector"), "in body axes, from the body's origin [m]")},
       {"inertia",
        described(inertia, "about the centre of mass, in body axes [kg m2], or a homogeneous primitive")},
       {"shape", described(ref("shape"), "what to draw; gives the inertia where there is none")},
       {"euler", described(ref("sequence"), "asks for the channels body.NAME.euler.K")},
       {"chart", word("its own in the formulation `absolute`: lie, quaternion or euler-IJK")}}));
}

Json make_joint() {
  const Json formulas = any_of({quantity(), list_of(quantity())});
  const Json rotation = map_of({{"sequence", ref("sequence")},
                                {"angles", list_of(quantity(), 3)},
                                {"position", list_of(quantity(), 3)}});
  return make_entry(
      joint_kinds(),
      with_copies(
          "joint",
          {{"parent", word("body that carries the joint, the world by default")},
           {"child", word("body that the joint moves")},
           {"parent_frame", described(ref("frame"), "joint frame F in the parent")},
           {"child_frame", described(ref("frame"), "joint frame M in the child")},
           {"driven",
            described(formulas, "force or torque by a formula of time and signals, one per coordinate")},
           {"prescribed",
            described(any_of({quantity(), list_of(quantity()), rotation}),
                      "motion by a formula of time, one per coordinate; or angles of a sequence")},
           {"locked", described(ref("flag"), "stays at its initial position until an event frees it")}}));
}

/// `derivative: ...` names its kind by itself.
Json make_state() {
  Json state = make_entry(state_kind_infos(),
                          with_copies("state", {{"unit", text("its unit, where no number says it")}}));
  for (const StateKindInfo& kind : state_kinds())
    for (const StateField& field : kind.fields)
      if (!state["properties"].contains(field.name))
        state["properties"][std::string(field.name)] = quantity();
  return state;
}

Json make_event() {
  const Json name = word("name");
  const Json names = any_of({name, list_of(name)});
  return map_of(with_copies(
      "event",
      {{"at", quantity("time [s]", Rule::kNotNegative)},
       {"when", quantity("formula of time and signals; the event comes when it passes zero ...")},
       {"crosses", quantity("... or this level")},
       {"direction", {{"enum", {"rising", "falling", "both", nullptr}}}},
       {"set", collection(quantity(), "parameters and their new values")},
       {"lock", described(names, "joints that stop where they are")},
       {"free", described(names, "joints that come free of a lock or a prescribed motion")},
       {"break", described(names, "joints that break off, with what acts on their coordinates")},
       {"remove", described(names, "constraints that are removed")},
       {"air",
        {{"enum", {"keep", "clear", nullptr}},
         {"description", "what becomes of the wakes: clear, they are gone, and the air begins anew"}}},
       {"stop", described(ref("flag"), "ends the run")}}));
}

Json make_initial() {
  const Json values = any_of({quantity(), list_of(quantity())});
  return any_of(
      {quantity(),
       map_of(with_copies(
           "initial",
           {{"angle", described(values, "[rad]")},
            {"rate", described(values, "[rad/s]")},
            {"position", described(values, "[m]")},
            {"velocity", described(values, "[m/s]")},
            {"orientation", ref("rotation")},
            {"angular_velocity", described(ref("vector"), "in the parent's joint frame [rad/s]")},
            {"body_angular_velocity", described(ref("vector"), "in the child's joint frame [rad/s]")}}))});
}

Json make_simulation() {
  return described(
      map_of(
          {{"until", quantity("end of the run [s]", Rule::kPositive)},
           {"step", quantity("step of the integrator [s]", Rule::kPositive)},
           {"every", quantity("interval of rows [s]", Rule::kPositive)},
           {"tolerance", quantity("relative local error", Rule::kPositive)},
           {"integrator", word("see `haltere list integrators`")},
           {"formulation", word("see `haltere list formulations`")},
           {"chart", word("of `absolute` and `hinge-matrix`: lie, quaternion, euler-zyx, ...")},
           {"stabilization", word("none, baumgarte:ALPHA,BETA, projection or s-both2")},
           {"drift", quantity("largest drift of a constraint, in radians or length scales")},
           {"balance", quantity("largest error of the energy balance, of the energy in play")},
           {"frames", quantity("interval of drawn lattices and wakes [s]; 0: none", Rule::kNotNegative)},
           {"wake_stride", quantity("rows of a wake from one that is drawn to the next", Rule::kPositive)}}),
      "how to run; the command line may override each");
}

Json make_measure() {
  return map_of(with_copies(
      "measure", {{"kind",
                   {{"enum", {"mean", "peak", "amplitude", "phase", nullptr}},
                    {"description",
                     "over one period; amplitude and phase are those of the fundamental: x = mean + a cos(2 "
                     "pi t/T - phase)"}}},
                  {"of", quantity("formula of t, parameters and channels")},
                  {"period", quantity("[s]", Rule::kPositive)}}));
}

Json make_trim() {
  const Json name = word("name of a parameter");
  return described(
      map_of(
          {{"period", quantity("of the motion [s]; none: a steady motion", Rule::kPositive)},
           {"parameters", described(any_of({name, list_of(name)}), "that may change")},
           {"mean", collection(quantity(), "formulas of channels, and what their means are to be")},
           {"drift", described(any_of({text(""), list_of(text(""))}),
                               "positions that need not come back, * for any part of a name")},
           {"mirror",
            {{"enum", {"x", "y", "z", nullptr}},
             {"description",
              "after half a period the machine is its own mirror image; the axis normal to the mirror"}}}}),
      "a motion that comes back to itself, for `haltere trim`");
}

/// Titles, and below each a list of panes.
Json make_report() {
  const Json channel = text("channel, * for any part of a name");
  const Json pane = map_of({{"title", text("of the pane")},
                            {"channels", described(any_of({channel, list_of(channel)}), "what it shows")},
                            {"x", word("the channel along its axis; t otherwise")}});
  return collection(
      list_of(any_of({channel, list_of(channel), pane})),
      "plots that a report offers: under each title a list of panes, a pane being a channel, a list of "
      "them, or a map");
}

Json make_rotation() {
  return any_of({list_of(quantity(), 4),
                 map_of({{"sequence", ref("sequence")},
                         {"angles", list_of(quantity(), 3)},
                         {"axis", ref("direction")},
                         {"angle", quantity("[rad]")},
                         {"quaternion", described(list_of(quantity(), 4), "w, x, y, z, of any length")}})});
}

Json make_definitions() {
  Json axes{"x", "y", "z", "-x", "-y", "-z"};
  return {{"vector", list_of(quantity(), 3)},
          {"direction", any_of({{{"enum", std::move(axes)}}, list_of(quantity(), 3)})},
          {"flag", {{"enum", {true, false, "true", "false", nullptr}}}},
          {"sequence",
           {{"type", {"string", "integer", "null"}}, {"description", "three axes of rotation, zyx or 321"}}},
          {"rotation", make_rotation()},
          {"frame",
           any_of({ref("vector"), map_of({{"position", ref("vector")}, {"rotation", ref("rotation")}})})},
          {"shape", make_entry(shape_kinds(), Json::object())},
          {"body", make_body()},
          {"joint", make_joint()},
          {"force", make_entry(force_kinds(), with_copies("force", Json::object()))},
          {"surface", make_entry(surface_kinds(), with_copies("surface", Json::object()))},
          {"constraint", make_entry(constraint_kinds(), with_copies("constraint", Json::object()))},
          {"state", make_state()},
          {"signal",
           any_of({quantity("formula"), map_of(with_copies("signal", {{"value", quantity("formula")}}))})},
          {"event", make_event()},
          {"measure", make_measure()},
          {"initial", make_initial()}};
}

/// What a surface may take from the air: its own fields of these names.
Json make_air() {
  Json properties = Json::object();
  for (const KindInfo& kind : surface_kinds())
    for (const FieldInfo& field : kind.fields)
      for (const std::string& key : air_keys())
        if (field.name == key) properties[key] = make_field(field);
  properties["planes"] = collection(map_of({{"point", described(ref("vector"), "[m]")},
                                            {"normal", described(ref("direction"), "into the air")}}),
                                    "planes that no air goes through, by name");
  return described(map_of(std::move(properties)), "what surfaces are in; a surface's own fields win");
}

Json make_properties() {
  const Json file{{"type", "string"}};
  return {{"haltere", {{"enum", {1, "1", nullptr}}, {"description", "version of the format"}}},
          {"name", text("of the model")},
          {"reference", text("where the model comes from")},
          {"include", described(any_of({file, list_of(file), {{"type", "null"}}}),
                                "files of the model's folder that this one adds to")},
          {"parameters",
           collection(quantity(), "numbers that everything else may use; --set and events change them")},
          {"gravity", described(ref("vector"), "[m/s2]")},
          {"bodies", collection(ref("body"), "rigid bodies by name; `world` is there already")},
          {"joints", collection(ref("joint"), "joints by name, one for every body")},
          {"constraints", collection(ref("constraint"), "constraints by name, besides the joints")},
          {"forces", collection(ref("force"), "force elements by name")},
          {"air", make_air()},
          {"surfaces", collection(ref("surface"), "wings and other surfaces in the air, by name")},
          {"states", collection(ref("state"), "what the model remembers, by name")},
          {"signals", collection(ref("signal"), "formulas of the state by name")},
          {"events", collection(ref("event"), "what happens at a time or when a signal passes a level")},
          {"initial", collection(ref("initial"), "state at the start, by the name of the joint")},
          {"measures", collection(ref("measure"), "numbers of a period of the motion, by name")},
          {"outputs", described(list_of(text("")), "channels to record, * for any part of a name")},
          {"report", make_report()},
          {"simulation", make_simulation()},
          {"trim", make_trim()},
          {"cases", collection({{"$ref", "#"}}, "named variants, each overriding any of these keys")}};
}

/// A file that starts with `haltere` and includes nothing stands for itself: its entries must be whole.
Json make_file_demands() {
  const auto entries = [](Json demands) { return Json{{"additionalProperties", std::move(demands)}}; };
  return {{"if", {{"required", {"haltere"}}, {"not", {{"required", {"include"}}}}}},
          {"then",
           {{"properties",
             {{"joints", entries(make_demands(joint_kinds(), {"child"}))},
              {"constraints", entries(make_demands(constraint_kinds(), {}))},
              {"forces", entries(make_demands(force_kinds(), {}))},
              {"surfaces", entries(make_demands(surface_kinds(), {}, air_keys()))}}}}}};
}

}  // namespace

std::string make_schema() {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "haltere model file"},
              {"type", {"object", "null"}},
              {"properties", make_properties()},
              {"additionalProperties", false},
              {"allOf", Json::array({make_file_demands()})},
              {"$defs", make_definitions()}};
  return schema.dump(2);
}

}  // namespace haltere
