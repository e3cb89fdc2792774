#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "haltere/model/model.h"

namespace haltere {

/// MODEL [--case NAME] [--set key=value]...: what every verb that reads a model takes.
struct ModelArguments {
  std::string model;
  std::string case_name;
  std::vector<std::string> set;

  void add_to(CLI::App* verb);
  /// InputError with all problems of the file.
  Model read() const;
  /// MODEL or MODEL-CASE, for titles and the names of results.
  std::string calc_label() const;
};

/// Warnings of the reader, on stderr.
void print_warnings(const Model& model);

}  // namespace haltere
