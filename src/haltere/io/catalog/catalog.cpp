#include "haltere/io/catalog/catalog.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "haltere/io/json.h"

namespace haltere {
namespace {

/// What the file writes for the field: its unit, or what stands there instead.
std::string describe_form(const FieldInfo& field) {
  switch (field.type) {
    case FieldType::kNumber:
    case FieldType::kFunction:
      return field.unit.empty() ? "number" : fmt::format("[{}]", field.unit);
    case FieldType::kCount:
      return "whole number";
    case FieldType::kMatrix:
      return fmt::format("3 x 3 x [{}]", field.unit);
    case FieldType::kVector:
    case FieldType::kVectorFunction:
      return field.unit.empty() ? "direction" : fmt::format("3 x [{}]", field.unit);
    case FieldType::kBody:
      return "body";
    case FieldType::kCoordinate:
      return "joint";
    case FieldType::kGains:
      return "map";
    case FieldType::kWord:
      return fmt::format("{}", fmt::join(field.words, " or "));
    case FieldType::kFlag:
      return "true or false";
    case FieldType::kRows:
      return fmt::format("rows of 3 x [{}]", field.unit);
    case FieldType::kGrid:
      return "file";
    case FieldType::kBlocks:
      return "map of maps";
  }
  return "";
}

std::string_view describe_rule(Rule rule) {
  switch (rule) {
    case Rule::kAny:
      return "";
    case Rule::kNotNegative:
      return "not negative";
    case Rule::kPositive:
      return "positive";
  }
  return "";
}

/// The meaning, and what the field must satisfy: "k; not negative".
std::string describe_meaning(const FieldInfo& field) {
  std::string text(field.meaning);
  if (field.rule != Rule::kAny) text += fmt::format("; {}", describe_rule(field.rule));
  for (const FieldInfo& own : field.fields) {
    text += fmt::format("{} `{}` {}: {}", &own == field.fields.data() ? "; each has" : ",", own.name,
                        describe_form(own), describe_meaning(own));
    if (!own.otherwise.empty()) text += fmt::format(" ({} if not given)", own.otherwise);
  }
  return text;
}

std::string_view describe_default(const FieldInfo& field) {
  return field.need == Need::kRequired ? "required" : std::string_view(field.otherwise);
}

/// A vertical bar would end the cell of a Markdown table.
std::string escape_bars(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

const std::vector<KindInfo>& state_kind_infos() {
  static const std::vector<KindInfo> infos = [] {
    std::vector<KindInfo> list;
    for (const StateKindInfo& kind : state_kinds()) {
      KindInfo& info = list.emplace_back();
      info.name = kind.name;
      info.summary = kind.summary;
      for (const StateField& field : kind.fields) {
        FieldInfo& own = info.fields.emplace_back();
        own.name = field.name;
        own.unit = field.measured == StateField::Measured::kByUnit    ? field.unit
                   : field.measured == StateField::Measured::kAsState ? "that of the state"
                                                                      : "that of the state per second";
        own.rule = field.rule;
        own.need = field.required ? Need::kRequired : Need::kOptional;
        own.type = field.of_motion ? FieldType::kFunction : FieldType::kNumber;
        own.meaning = field.meaning;
        own.otherwise = field.otherwise;
      }
    }
    return list;
  }();
  return infos;
}

std::string describe_field(const FieldInfo& field) {
  std::string text = describe_meaning(field);
  if (field.need == Need::kRequired) text += "; required";
  if (!field.otherwise.empty()) text += fmt::format("; default: {}", field.otherwise);
  return field.unit.empty() ? text : fmt::format("{} [{}]", text, field.unit);
}

std::string make_kind_list(const std::vector<KindInfo>& kinds) {
  std::size_t width = 0, form_width = 0, default_width = 0;
  for (const KindInfo& kind : kinds) {
    width = std::max(width, kind.name.size());
    for (const FieldInfo& field : kind.fields) {
      width = std::max(width, field.name.size() + 2);
      form_width = std::max(form_width, describe_form(field).size());
      default_width = std::max(default_width, describe_default(field).size());
    }
  }
  std::string text;
  for (const KindInfo& kind : kinds) {
    text += fmt::format("{:<{}}  {}\n", kind.name, width, kind.summary);
    for (const FieldInfo& field : kind.fields)
      text += fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}\n", field.name, width - 2, describe_form(field),
                          form_width, describe_default(field), default_width, describe_meaning(field));
  }
  return text;
}

std::string make_kind_json(const std::vector<KindInfo>& kinds) {
  Json list = Json::array();
  for (const KindInfo& kind : kinds) {
    Json fields = Json::array();
    for (const FieldInfo& field : kind.fields)
      fields.push_back({{"name", field.name},
                        {"form", describe_form(field)},
                        {"unit", field.unit},
                        {"required", field.need == Need::kRequired},
                        {"default", field.otherwise},
                        {"meaning", describe_meaning(field)}});
    list.push_back({{"name", kind.name}, {"summary", kind.summary}, {"fields", fields}});
  }
  return to_text(list);
}

std::string make_kind_section(std::string_view title, const std::vector<KindInfo>& kinds) {
  std::string text = fmt::format("## {}\n", title);
  for (const KindInfo& kind : kinds) {
    text += fmt::format("\n### `{}`\n\n{}\n", kind.name, kind.summary);
    if (kind.fields.empty()) continue;
    text += "\n| field | unit or form | default | meaning |\n|---|---|---|---|\n";
    for (const FieldInfo& field : kind.fields)
      text += fmt::format("| `{}` | {} | {} | {} |\n", field.name, escape_bars(describe_form(field)),
                          escape_bars(describe_default(field)), escape_bars(describe_meaning(field)));
  }
  return text;
}

std::string make_kind_page() {
  std::string text =
      "# Kinds\n\nWhat a model file may name under `kind`, with the default of every field that is not "
      "required. Written by `./dev docs` from the descriptions in "
      "the code.\n\n";
  text += make_kind_section("Joints", joint_kinds()) + '\n';
  text += make_kind_section("Constraints", constraint_kinds()) + '\n';
  text += make_kind_section("Forces", force_kinds()) + '\n';
  text += make_kind_section("Surfaces", surface_kinds()) + '\n';
  text += make_kind_section("Shapes", shape_kinds()) + '\n';
  text += make_kind_section("States", state_kind_infos());
  return text;
}

std::string make_quantity_rows(std::string_view prefix, std::span<const QuantityInfo> quantities) {
  std::string text;
  for (const QuantityInfo& q : quantities) {
    const std::string components =
        q.components.empty() ? "" : fmt::format(".{{{}}}", fmt::join(q.components, ","));
    text += fmt::format("| `{}{}{}` | {} | {} |\n", prefix, q.word, components, q.unit, q.meaning);
  }
  return text;
}

}  // namespace haltere
