#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/model/kind_info.h"
#include "haltere/model/quantity.h"
#include "haltere/model/states.h"

/// What there is to choose from, written from the kinds' own descriptions.
namespace haltere {

/// The kinds of `states`, described like those of the other rooms.
const std::vector<KindInfo>& state_kind_infos();

/// A field in one line: "k; not negative [N m/rad]".
std::string describe_field(const FieldInfo& field);

/// The kinds of a room as lines of text, each kind with its fields below it: `haltere list joints`.
std::string make_kind_list(const std::vector<KindInfo>& kinds);

/// The same for other programs: name, summary and fields with form, default and meaning, as JSON.
std::string make_kind_json(const std::vector<KindInfo>& kinds);

/// The same as a section of Markdown, a table for every kind that has fields.
std::string make_kind_section(std::string_view title, const std::vector<KindInfo>& kinds);

/// The page of all joints, forces and shapes: docs/kinds.md.
std::string make_kind_page();

/// The rows of a table of channels: name with its components, unit, meaning. docs/channels.md has them.
std::string make_quantity_rows(std::string_view prefix, std::span<const QuantityInfo> quantities);

}  // namespace haltere
