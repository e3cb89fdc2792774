#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "haltere/math/types.h"

namespace haltere {

using Json = nlohmann::ordered_json;

Json to_json(ConstRef x);
Json rows_of(const Eigen::MatrixXd& matrix);  // a list of lists

/// As a file has it: with all digits of its numbers, and a new line.
std::string to_text(const Json& json);

/// InputError where the file is not there or is no JSON.
Json read_json(const std::string& file);

}  // namespace haltere
