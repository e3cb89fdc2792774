#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "haltere/model/model.h"

/// Model files (docs/model-file.md).
namespace haltere {

struct ReadOptions {
  std::string case_name;         // one of the model's cases; empty: the model as it is
  std::vector<std::string> set;  // key=value: a parameter, or a dotted path into the file
};

/// A file, or a folder with a `model.yaml`. Throws InputError with all problems at once; warnings go to the
/// Model. `over`: a text that is laid over the model like a case, after all else.
Model read_model(const std::filesystem::path& path, const ReadOptions& options = {},
                 const std::string& over = {});
/// The same from a text; `file_name` appears in messages. It can neither include files nor have cases in
/// files.
Model read_model_text(const std::string& text, const std::string& file_name, const ReadOptions& options = {});

/// The cases of a model: those in its file, then those in `cases/`.
std::vector<std::string> list_cases(const std::filesystem::path& path);

}  // namespace haltere
