#pragma once

#include <filesystem>

#include "haltere/simulate/checkpoint.h"

namespace haltere {

/// Replaces the file in one piece: at every moment there is the old checkpoint or the new one. RunError where
/// it cannot be written.
void write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path);

/// InputError for what is no checkpoint, or a damaged one.
Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace haltere
