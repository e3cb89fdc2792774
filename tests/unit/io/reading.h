#pragma once

#include <string>
#include <vector>

#include "unit/io/temporary_folder.h"

#include "haltere/io/model/model_reader.h"

/// Short ways to read a model that stands in a test.
namespace haltere {

/// An unexpected warning fails the test that reads the model.
inline Model read(const std::string& text, const ReadOptions& options = {}) {
  Model model = read_model_text(text, "m.yaml", options);
  if (!model.warnings.empty()) throw std::logic_error(model.warnings[0].text());
  return model;
}

/// Every problem of a text as `haltere check` prints it; empty if there is none.
inline std::vector<std::string> problems_of(const std::string& text, const ReadOptions& options = {}) {
  std::vector<std::string> lines;
  try {
    read_model_text(text, "m.yaml", options);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) lines.push_back(problem.text());
  }
  return lines;
}

/// The only problem of a text; all of them, one a line, where there are more.
inline std::string problem_of(const std::string& text, const ReadOptions& options = {}) {
  std::string all;
  for (const std::string& line : problems_of(text, options)) all += (all.empty() ? "" : "\n") + line;
  return all;
}

inline double value_of(const Expression& formula, const Model& model) {
  const std::vector<double> parameters = model.calc_parameters();
  return formula.calc<double, double>(parameters.data(), nullptr);
}

/// One pendulum that reads without a problem; tests add to it.
inline const std::string kPendulum = R"(haltere: 1
bodies:
  link: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  hinge: {kind: revolute, child: link, axis: y}
)";

}  // namespace haltere
