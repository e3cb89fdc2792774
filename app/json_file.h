#pragma once

#include <string>

#include "haltere/io/json.h"

namespace haltere {

/// Writes numbers with all their digits; `-` is stdout.
void write_json(const Json& json, const std::string& file);

}  // namespace haltere
