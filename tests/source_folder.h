#pragma once

#include <string>

namespace haltere {

/// A file or folder of this project, for tests that read models, documents or reference numbers.
std::string source_path(const std::string& place);

}  // namespace haltere
