#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "haltere/io/model/model_reader.h"

namespace haltere {

/// What makes one model file out of another.
struct ModelChanges {
  std::string comment;                                          // stands at the top, line by line
  std::vector<std::pair<std::string, std::string>> parameters;  // name and its new text
  std::string initial;                                          // the block, as make_initial_text() writes it
  std::vector<std::pair<std::string, std::string>> simulation;  // keys and their new texts; "": left out
};

/// The model with its includes, the case and the settings worked in, as one file that needs no other. Blocks
/// that are repeated or mirrored stay so. InputError as read_model(), and for a setting of an entry that only
/// a repeated block makes: it has no place of its own in the text.
std::string make_model_text(const std::filesystem::path& path, const ReadOptions& options,
                            const ModelChanges& changes);

}  // namespace haltere
