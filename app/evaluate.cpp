#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/model_arguments.h"
#include "app/output_file.h"
#include "app/state_names.h"
#include "app/verbs.h"

#include "haltere/io/result/evaluation_json.h"
#include "haltere/io/result/state_file.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

struct EvaluateArguments {
  ModelArguments model;
  std::string formulation = "recursive";
  std::string state;
  std::string json;
};

Evaluation calc_evaluation(const StateNames& names, const std::string& state_file, Equations* equations) {
  if (state_file.empty()) return evaluate_start(equations);
  double t = 0;
  Eigen::VectorXd y = equations->calc_initial_state();
  read_state(state_file, names, &t, &y);
  return evaluate(t, y, equations);
}

// -- as tables

constexpr int kWidestMatrix = 12;  // columns that fit a wide terminal

void print_state(const StateNames& names, const Evaluation& e) {
  const int width = std::max(calc_width(names.q), calc_width(names.v));
  fmt::print("{:<{}}  {:>16}\n", "q", width, "value");
  for (std::size_t i = 0; i < names.q.size(); ++i)
    fmt::print("{:<{}}  {:>16.9g} {}\n", names.q[i], width, e.q[static_cast<int>(i)], names.unit(names.q[i]));
  fmt::print("\n{:<{}}  {:>16} {:>16} {:>16}   unit of the value\n", "v", width, "value", "f",
             "acceleration");
  for (std::size_t k = 0; k < names.v.size(); ++k) {
    const int i = static_cast<int>(k);
    fmt::print("{:<{}}  {:>16.9g} {:>16.9g} {:>16.9g}   {}\n", names.v[k], width, e.v[i], e.f[i], e.vdot[i],
               names.unit(names.v[k]));
  }
}

void print_mass_matrix(const Eigen::MatrixXd& M) {
  if (M.rows() > kWidestMatrix) {
    fmt::print("\nM is {} x {}: see --json\n", M.rows(), M.cols());
    return;
  }
  fmt::print("\nM, in the order of v\n");
  for (int i = 0; i < M.rows(); ++i) {
    for (int j = 0; j < M.cols(); ++j) fmt::print("{:>13.6g}", M(i, j));
    fmt::print("\n");
  }
}

void print_rows(const Evaluation& e) {
  if (e.rows.empty()) return;
  if (e.A.cols() > kWidestMatrix) {
    fmt::print("\nA is {} x {}: see --json\n", e.A.rows(), e.A.cols());
    return;
  }
  const int width = calc_width(e.rows);
  fmt::print("\n{:<{}}  {:>13}{:>13}  A, in the order of v\n", "A v + b = 0", width, "multiplier", "b");
  for (std::size_t k = 0; k < e.rows.size(); ++k) {
    const int i = static_cast<int>(k);
    fmt::print("{:<{}}  {:>13.6g}{:>13.6g}", e.rows[k], width, e.snapshot.lambda[i], e.b[i]);
    for (int j = 0; j < e.A.cols(); ++j) fmt::print("{:>13.6g}", e.A(i, j));
    fmt::print("\n");
  }
}

void print_vectors(const char* title, const char* first, const char* second, const Names& names,
                   const std::vector<Vector3<double>>& a, const std::vector<Vector3<double>>& b) {
  const int width = std::max(calc_width(names), static_cast<int>(std::string_view(title).size()));
  fmt::print("\n{:<{}}  {:<41} {}\n", title, width, first, second);
  for (std::size_t i = 0; i < names.size(); ++i)
    fmt::print("{:<{}}  {:>13.6g} {:>13.6g} {:>13.6g} {:>13.6g} {:>13.6g} {:>13.6g}\n", names[i], width,
               a[i][0], a[i][1], a[i][2], b[i][0], b[i][1], b[i][2]);
}

void print_tables(const Model& model, const StateNames& names, const Evaluation& e) {
  const Snapshot& s = e.snapshot;
  fmt::print("t = {:g} s\n\n", e.t);
  print_state(names, e);
  print_mass_matrix(e.M);
  print_rows(e);
  fmt::print("\nenergy: kinetic {:.9g} J, potential {:.9g} J\n", s.kinetic, s.potential);

  Names parts;
  std::vector<Vector3<double>> first, second;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    parts.push_back(model.bodies[b].name);
    first.push_back(s.scene.X_WB[b].p);
    second.emplace_back(s.A_WB[b].tail<3>());
  }
  print_vectors("body", "position [m]", "acceleration [m/s2]", parts, first, second);
  parts.clear(), first.clear(), second.clear();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    parts.push_back(model.joints[j].name());
    first.emplace_back(s.F_reaction[j].tail<3>());
    second.emplace_back(s.F_reaction[j].head<3>());
  }
  print_vectors("joint", "reaction force [N]", "reaction torque [N m]", parts, first, second);
}

int run_evaluate(const EvaluateArguments& a) {
  const Model model = a.model.read();
  std::vector<std::string> inputs = model.files;
  if (!a.state.empty()) inputs.push_back(a.state);
  require_outputs({a.json}, inputs);
  Names known;
  for (const FormulationInfo& f : formulations()) known.emplace_back(f.name);
  if (std::find(known.begin(), known.end(), a.formulation) == known.end())
    throw wrong_input("--formulation", fmt::format("unknown formulation '{}'", a.formulation),
                      did_you_mean(a.formulation, known));
  const std::unique_ptr<Equations> equations = make_equations(a.formulation, model);
  const StateNames names(*equations);
  const Evaluation evaluation = calc_evaluation(names, a.state, equations.get());
  print_warnings(model);
  for (const std::string& note : evaluation.notes) fmt::print(stderr, "note: {}\n", note);
  if (a.json.empty())
    print_tables(model, names, evaluation);
  else
    write_output(a.json, make_evaluation_json(model, a.formulation, names, evaluation));
  return kSuccess;
}

}  // namespace

void add_evaluate(CLI::App* program, Action* action) {
  CLI::App* verb =
      program->add_subcommand("evaluate", "the equations of motion at one instant: M, A, f, accelerations");
  const auto a = std::make_shared<EvaluateArguments>();
  a->model.add_to(verb);
  verb->add_option("--state", a->state, "JSON with t, q and v, each a list or a map by name")
      ->type_name("FILE");
  verb->add_option("--formulation", a->formulation, "see haltere list formulations")->type_name("NAME");
  verb->add_option("--json", a->json, "everything as JSON; - is stdout")->type_name("FILE");
  verb->footer(
      "Examples:\n"
      "  haltere evaluate double-pendulum\n"
      "  haltere evaluate double-pendulum --state state.json --json -\n"
      "A state file: {\"q\": {\"joint.shoulder.angle\": 0.5}, \"v\": {\"joint.shoulder.rate\": 1}}");
  verb->callback([=] { *action = [=] { return run_evaluate(*a); }; });
}

}  // namespace haltere
