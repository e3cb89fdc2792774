#include "app/find_model.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "haltere/model/wrong_input.h"

namespace haltere {
namespace fs = std::filesystem;
namespace {

constexpr const char* kModelFile = "model.yaml";

/// Where models may be: in the current folder, in the installation, in the source that the program was built
/// from.
std::vector<fs::path> calc_model_folders() {
  std::error_code error;
  std::vector<fs::path> folders{"models"};
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error)
    for (const char* place : {"../share/haltere/models", HALTERE_MODELS})
      folders.push_back((program.parent_path() / place).lexically_normal());
  return folders;
}

std::string describe_search() {
  std::error_code error;
  std::vector<std::string> places;
  for (const fs::path& folder : calc_model_folders()) places.push_back(fs::absolute(folder, error).string());
  return fmt::format("no shipped models are found; looked in {}", fmt::join(places, ", "));
}

constexpr const char* kCopied =
    "a copied program needs its models in ../share/haltere/models; a model file can be named with its folder";

}  // namespace

std::vector<ShippedModel> find_shipped_models() {
  std::vector<ShippedModel> models;
  const auto known = [&](const std::string& name) {
    return std::any_of(models.begin(), models.end(), [&](const ShippedModel& m) { return m.name == name; });
  };
  for (const fs::path& folder : calc_model_folders()) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      const fs::path file = entry.path() / kModelFile;
      const std::string name = entry.path().filename().string();
      if (fs::is_regular_file(file, error) && !known(name)) models.push_back({name, file});
    }
  }
  std::sort(models.begin(), models.end(),
            [](const ShippedModel& a, const ShippedModel& b) { return a.name < b.name; });
  return models;
}

std::vector<ShippedModel> require_shipped_models() {
  std::vector<ShippedModel> models = find_shipped_models();
  if (models.empty()) throw wrong_input("haltere", describe_search(), kCopied);
  return models;
}

fs::path find_model(const std::string& model) {
  std::error_code error;
  const fs::path path(model);
  if (fs::is_directory(path, error)) {
    if (fs::is_regular_file(path / kModelFile, error)) return path / kModelFile;
    throw wrong_input(model, fmt::format("the folder has no {}", kModelFile));
  }
  if (fs::exists(path, error)) return path;

  std::vector<std::string> names;
  for (const ShippedModel& shipped : find_shipped_models()) {
    if (shipped.name == model) return shipped.file;
    names.push_back(shipped.name);
  }
  if (names.empty()) throw wrong_input(model, "no such file or folder, and " + describe_search(), kCopied);
  const std::string hint = did_you_mean(model, names);
  throw wrong_input(model, "no such file, folder or shipped model",
                    hint.empty() ? "see haltere list models" : hint);
}

std::string calc_model_label(const fs::path& model_file) {
  const fs::path absolute = fs::absolute(model_file).lexically_normal();
  return absolute.filename() == kModelFile ? absolute.parent_path().filename().string()
                                           : absolute.stem().string();
}

}  // namespace haltere
