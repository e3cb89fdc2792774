#pragma once

#include <string>

namespace haltere {

/// The JSON schema (draft 2020-12) of model files as text, generated from the kinds, so that editors complete
/// and check them. It accepts every file that the reader accepts; what needs units, names or formulas is left
/// to the reader.
std::string make_schema();

}  // namespace haltere
