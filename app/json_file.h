#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "haltere/math/types.h"

namespace haltere {

using Json = nlohmann::ordered_json;

Json to_json(ConstRef x);

/// Writes numbers with all their digits; `-` is stdout.
void write_json(const Json& json, const std::string& file);

/// InputError where the file is not there or is no JSON.
Json read_json(const std::string& file);

}  // namespace haltere
