#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/json_file.h"
#include "app/model_arguments.h"
#include "app/output_file.h"
#include "app/state_names.h"
#include "app/verbs.h"

#include "haltere/dynamics/constraint_set.h"
#include "haltere/dynamics/equations.h"
#include "haltere/model/wrong_input.h"
#include "haltere/simulate/start.h"
#include "haltere/simulate/version.h"

namespace haltere {
namespace {

struct EvaluateArguments {
  ModelArguments model;
  std::string formulation = "recursive";
  std::string state;
  std::string json;
};

/// The equations of motion at one instant.
struct Evaluation {
  double t = 0;
  Names rows;  // of A v + b = 0
  Eigen::VectorXd q, v, vdot, f, b;
  Eigen::MatrixXd M, A;
  Snapshot snapshot;
  Names notes;  // on the state
};

// -- the state to evaluate at

/// Problems of a state file, collected.
class StateReader {
 public:
  explicit StateReader(std::string file) : file_(std::move(file)) {}

  /// `values` from json[key]: a list of all, or a map of some by name.
  void read(const Json& json, const char* key, const Names& names, Eigen::Ref<Eigen::VectorXd> values) {
    if (!json.contains(key)) return;
    const Json& given = json[key];
    if (given.is_array()) {
      if (given.size() != names.size())
        return add(fmt::format("'{}' has {} values; the model has {}", key, given.size(), names.size()));
      for (std::size_t i = 0; i < names.size(); ++i)
        read_number(given[i], names[i], &values[static_cast<int>(i)]);
    } else if (given.is_object()) {
      for (const auto& [name, value] : given.items()) read_named(name, value, names, values);
    } else {
      add(fmt::format("'{}' is neither a list nor a map", key));
    }
  }
  void read_number(const Json& json, const std::string& name, double* value) {
    if (!json.is_number() || !std::isfinite(json.get<double>()))
      return add(fmt::format("'{}' is no number", name));
    *value = json.get<double>();
  }
  void check_keys(const Json& json) {
    if (!json.is_object()) return add("is no map with 'q' and 'v'");
    // what `evaluate --json` writes can be read again
    for (const auto& [key, value] : json.items())
      if (key != "t" && key != "q" && key != "v" && !json.contains("haltere"))
        add(fmt::format("unknown key '{}'", key), "a state has t, q and v");
  }
  void throw_if_any() const {
    if (!problems_.empty()) throw InputError(problems_);
  }

 private:
  void read_named(const std::string& name, const Json& value, const Names& names,
                  Eigen::Ref<Eigen::VectorXd> values) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      return add(fmt::format("unknown coordinate '{}'", name), did_you_mean(name, names));
    read_number(value, name, &values[found - names.begin()]);
  }
  void add(std::string message, std::string hint = {}) {
    Problem problem;
    problem.mark.file = file_;
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    problems_.push_back(std::move(problem));
  }

  std::string file_;
  std::vector<Problem> problems_;
};

/// Overwrites what the file gives of t and y.
void read_state(const std::string& file, const StateNames& names, double* t, Eigen::VectorXd* y) {
  const Json json = read_json(file);
  StateReader reader(file);
  reader.check_keys(json);
  reader.throw_if_any();
  if (json.contains("t")) reader.read_number(json["t"], "t", t);
  const auto nq = static_cast<Eigen::Index>(names.q.size()), nv = static_cast<Eigen::Index>(names.v.size());
  reader.read(json, "q", names.q, y->head(nq));
  reader.read(json, "v", names.v, y->segment(nq, nv));
  reader.throw_if_any();
}

// -- the evaluation

/// Rows that the state does not obey, by more than rounding.
void add_violations(double t, const Eigen::VectorXd& y, Equations* equations, Names* notes) {
  const Sizes sizes = equations->sizes();
  if (sizes.na == 0) return;
  Eigen::VectorXd g = Eigen::VectorXd::Zero(sizes.ng), gdot = Eigen::VectorXd::Zero(sizes.na);
  if (equations->calc_drift(t, y, g, gdot) != Status::kOk) return;
  const Eigen::VectorXd& scales = equations->row_scales();
  const auto add = [&](const char* what, const char* unit, const Eigen::VectorXd& r, const auto& row_of,
                       double rounding) {
    Eigen::Index worst = 0;
    if (r.size() == 0 || !(r.cwiseAbs().maxCoeff(&worst) > rounding)) return;
    notes->push_back(fmt::format(
        "the {} of the state do not obey the constraints: {} is off by {:.3g} ({}); accelerations are those "
        "of the nearest state that does",
        what, equations->row_name(row_of(worst)), r[worst], unit));
  };
  constexpr double kRounding = 1e-9;  // of angles, lengths in length scales, and of the largest velocity
  const std::vector<int>& rows = equations->position_rows();
  add(
      "positions", "radians, or length scales", g.cwiseQuotient(scales(rows)),
      [&](Eigen::Index i) { return rows[i]; }, kRounding);
  const Eigen::VectorXd v = y.segment(sizes.nq, sizes.nv),
                        v_scales = equations->calc_scales().segment(sizes.nq, sizes.nv);
  const double speed = sizes.nv == 0 ? 0 : v.cwiseQuotient(v_scales).lpNorm<Eigen::Infinity>();
  add(
      "velocities", "radians, or length scales, per second", gdot.cwiseQuotient(scales),
      [](Eigen::Index i) { return static_cast<int>(i); }, kRounding * speed);
}

Evaluation calc_evaluation(const StateNames& names, const std::string& state_file, Equations* equations) {
  const Sizes sizes = equations->sizes();
  Evaluation e;
  Eigen::VectorXd y = equations->calc_initial_state();
  if (!state_file.empty()) read_state(state_file, names, &e.t, &y);
  Eigen::VectorXd ydot = Eigen::VectorXd::Zero(y.size());
  equations->normalize(y, ydot);
  if (state_file.empty() && sizes.na > 0) {
    const Start start = calc_start(equations->model(), equations->parameters());
    y = equations->calc_state(start.scene);
    e.notes = start.notes;
  }

  const auto demand = [&](Status status) {
    if (status != Status::kOk)
      throw RunError(fmt::format("t = {:g} s: {}", e.t, equations->explain_failure(e.t, y)));
  };
  demand(equations->calc_ydot(e.t, y, ydot));
  demand(ydot.allFinite() ? Status::kOk : Status::kNotFinite);
  demand(equations->calc_mass_matrix(e.t, y, &e.M));
  demand(equations->calc_generalized_force(e.t, y, &e.f));
  demand(equations->calc_constraint_matrix(e.t, y, &e.A, &e.b));
  for (int row = 0; row < sizes.na; ++row) e.rows.push_back(equations->row_name(row));
  demand(equations->observe(e.t, y, &e.snapshot));
  if (!state_file.empty()) add_violations(e.t, y, equations, &e.notes);
  e.q = y.head(sizes.nq);
  e.v = y.segment(sizes.nq, sizes.nv);
  e.vdot = ydot.segment(sizes.nq, sizes.nv);
  return e;
}

// -- as JSON

Json rows_of(const Eigen::MatrixXd& m) {
  Json rows = Json::array();
  for (int i = 0; i < m.rows(); ++i) rows.push_back(to_json(Eigen::VectorXd(m.row(i))));
  return rows;
}

/// Parts of a twist or wrench: angular first.
Vector3<double> angular(const Vector6<double>& x) {
  return x.head<3>();
}
Vector3<double> linear(const Vector6<double>& x) {
  return x.tail<3>();
}

Json make_bodies(const Model& model, const Snapshot& s) {
  Json bodies = Json::object();
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Matrix3<double> R_BW = s.scene.X_WB[b].R.transpose();
    bodies[model.bodies[b].name] = {
        {"position", to_json(s.scene.X_WB[b].p)},
        {"orientation", to_json(quaternion_of<double>(s.scene.X_WB[b].R))},
        {"velocity", to_json(linear(s.scene.V_WB[b]))},
        {"angular_velocity", to_json(Vector3<double>(R_BW * angular(s.scene.V_WB[b])))},
        {"acceleration", to_json(linear(s.A_WB[b]))},
        {"angular_acceleration", to_json(Vector3<double>(R_BW * angular(s.A_WB[b])))}};
  }
  return bodies;
}

Json make_joints(const Model& model, const Snapshot& s) {
  Json joints = Json::object();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const int start = s.scene.v_start[j];
    const int nv = model.joints[j].nv();
    joints[model.joints[j].name()] = {
        {"velocity", to_json(s.scene.v.segment(start, nv))},
        {"acceleration", to_json(s.vdot.segment(start, nv))},
        {"force", to_json(s.tau.segment(start, nv))},
        {"reaction",
         {{"force", to_json(linear(s.F_reaction[j]))}, {"torque", to_json(angular(s.F_reaction[j]))}}}};
  }
  return joints;
}

/// Joints that close loops, then the model's constraints.
Json make_constraints(const Model& model, const Snapshot& s) {
  Json constraints = Json::object();
  const ConstraintSet<double> set(model, model.calc_parameters(), model.n_tree());
  for (std::size_t i = 0; i < s.constraints.size(); ++i) {
    Json multipliers = Json::object();
    for (std::size_t row = 0; row < set.row_names[i].size(); ++row)
      multipliers[set.row_names[i][row]] = s.constraints[i].lambda[static_cast<Eigen::Index>(row)];
    constraints[model.constraint_name(i)] = {{"force", to_json(linear(s.constraints[i].F))},
                                             {"torque", to_json(angular(s.constraints[i].F))},
                                             {"multipliers", multipliers},
                                             {"drift", s.constraints[i].drift}};
  }
  return constraints;
}

Json make_json(const Model& model, const std::string& formulation, const StateNames& names,
               const Evaluation& e) {
  const Snapshot& s = e.snapshot;
  return {
      {"haltere", version()},
      {"model", model.name},
      {"case", model.case_name},
      {"formulation", formulation},
      {"t", e.t},
      {"q_names", names.q},
      {"q", to_json(e.q)},
      {"v_names", names.v},
      {"v", to_json(e.v)},
      {"M", rows_of(e.M)},
      {"f", to_json(e.f)},
      {"row_names", e.rows},
      {"A", rows_of(e.A)},
      {"b", to_json(e.b)},
      {"vdot", to_json(e.vdot)},
      {"multipliers", to_json(s.lambda)},
      {"energy", {{"kinetic", s.kinetic}, {"potential", s.potential}, {"total", s.kinetic + s.potential}}},
      {"system",
       {{"com", to_json(s.com)},
        {"momentum", to_json(s.momentum)},
        {"angular_momentum", to_json(s.angular_momentum)}}},
      {"bodies", make_bodies(model, s)},
      {"joints", make_joints(model, s)},
      {"constraints", make_constraints(model, s)},
      {"drift", {{"position", s.position_drift}, {"velocity", s.velocity_drift}}},
      {"notes", e.notes}};
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
    second.push_back(linear(s.A_WB[b]));
  }
  print_vectors("body", "position [m]", "acceleration [m/s2]", parts, first, second);
  parts.clear(), first.clear(), second.clear();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    parts.push_back(model.joints[j].name());
    first.push_back(linear(s.F_reaction[j]));
    second.push_back(angular(s.F_reaction[j]));
  }
  print_vectors("joint", "reaction force [N]", "reaction torque [N m]", parts, first, second);
}

int evaluate(const EvaluateArguments& a) {
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
    write_json(make_json(model, a.formulation, names, evaluation), a.json);
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
  verb->callback([=] { *action = [=] { return evaluate(*a); }; });
}

}  // namespace haltere
