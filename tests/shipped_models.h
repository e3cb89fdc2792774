#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "source_folder.h"

#include "haltere/io/model/model_reader.h"

/// The models that ship, for laws that hold for all of them.
namespace haltere {

inline std::filesystem::path shipped_model(const std::string& name) {
  return std::filesystem::path(source_path("models")) / name;
}

inline std::vector<std::string> list_shipped_models() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("models")))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Laws hold for any number of panels: few of them, where a model has hundreds.
inline Model read_for_laws(const std::string& model, const std::string& case_name = "") {
  std::vector<std::string> set;
  if (model == "x-hale-air") set = {"panels_chord=2", "panels_span=14"};
  return read_model(shipped_model(model), {.case_name = case_name, .set = set});
}

/// A model in one of its cases; the empty name is the model as it is.
struct ModelCase {
  std::string model, case_name;
  Model read() const { return read_for_laws(model, case_name); }
  friend void PrintTo(const ModelCase& c, std::ostream* out) { *out << c.model << ' ' << c.case_name; }
};

inline std::vector<ModelCase> list_shipped_cases() {
  std::vector<ModelCase> list;
  for (const std::string& model : list_shipped_models()) {
    list.push_back({model, ""});
    for (const std::string& name : list_cases(shipped_model(model))) list.push_back({model, name});
  }
  return list;
}

/// A text as part of a test's name.
inline std::string to_test_name(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '-' || c == ' '; }, '_');
  return text;
}

}  // namespace haltere
