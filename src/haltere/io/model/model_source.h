#pragma once

#include <filesystem>

#include "haltere/io/model/model_reader.h"

namespace haltere {

/// Where a model came from, for what reads it once more.
struct ModelSource {
  std::filesystem::path path;
  ReadOptions options;
};

}  // namespace haltere
