#include "haltere/dynamics/absolute/absolute.h"
#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/hinge_matrix/hinge_matrix.h"
#include "haltere/dynamics/hinge_matrix/misfits.h"
#include "haltere/dynamics/misfits.h"
#include "haltere/dynamics/recursive/recursive.h"

namespace haltere {

const std::vector<FormulationInfo>& formulations() {
  static const std::vector<FormulationInfo> list{
      {"recursive", "joint coordinates, O(n) hybrid articulated-body algorithm; loops as constraints"},
      {"absolute", "coordinates of every body, every joint a constraint; one sparse system"},
      {"hinge-matrix", "one free body with wings on spherical joints; one dense block system"}};
  return list;
}

std::vector<Problem> find_misfits(std::string_view formulation, const Model& model) {
  return formulation == "hinge-matrix" ? find_hinge_matrix_misfits(model) : std::vector<Problem>();
}

bool has_implicit_form(std::string_view formulation) {
  return formulation != "hinge-matrix";
}

bool has_charts(std::string_view formulation) {
  return formulation != "recursive";
}

bool has_chart(std::string_view formulation, std::string_view chart) {
  return formulation != "hinge-matrix" || TurnChart::parse(std::string(chart)).has_value();
}

std::unique_ptr<Formulation> make_formulation(std::string_view name, const Model& model,
                                              const EquationsOptions& options) {
  if (name == "recursive") return std::make_unique<RecursiveFormulation>();
  if (name == "absolute") return std::make_unique<AbsoluteFormulation>(model, options);
  if (name == "hinge-matrix") return std::make_unique<HingeMatrixFormulation>(model, options);
  Problem problem;
  problem.thing = "formulation";
  std::vector<std::string> names;
  for (const FormulationInfo& info : formulations()) names.emplace_back(info.name);
  problem.message = "unknown formulation '" + std::string(name) + "'";
  problem.hint = did_you_mean(std::string(name), names);
  throw InputError({problem});
}

}  // namespace haltere
