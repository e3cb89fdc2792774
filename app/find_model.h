#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace haltere {

/// The model file that MODEL stands for: a file, a folder with a `model.yaml`, or the name of a shipped
/// model. InputError with a "did you mean" where there is none, or with the folders that hold no models.
std::filesystem::path find_model(const std::string& model);

/// What a result of it is called: the folder's name, or the file's without its extension.
std::string calc_model_label(const std::filesystem::path& model_file);

/// Shipped models by name, sorted; the first folder that has a name wins.
struct ShippedModel {
  std::string name;
  std::filesystem::path file;
};
std::vector<ShippedModel> find_shipped_models();

/// The same; InputError, with where it looked, if there is none at all.
std::vector<ShippedModel> require_shipped_models();

}  // namespace haltere
