#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "app/json_file.h"
#include "app/model_arguments.h"
#include "app/verbs.h"
#include "app/wrong_input.h"

#include "haltere/dynamics/constraint_set.h"
#include "haltere/dynamics/equations.h"
#include "haltere/simulate/channels.h"
#include "haltere/simulate/version.h"

namespace haltere {
namespace {

struct EvaluateArguments {
  ModelArguments model;
  std::string formulation = "recursive";
  std::string state;
  std::string json;
};

using Names = std::vector<std::string>;

/// The equations of motion at one instant.
struct Evaluation {
  double t = 0;
  Names q_names, v_names;
  Eigen::VectorXd q, v, vdot, f;
  Eigen::MatrixXd M;
  Snapshot snapshot;
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
void read_state(const std::string& file, const Sizes& sizes, const Evaluation& names, double* t,
                Eigen::VectorXd* y) {
  const Json json = read_json(file);
  StateReader reader(file);
  reader.check_keys(json);
  reader.throw_if_any();
  if (json.contains("t")) reader.read_number(json["t"], "t", t);
  reader.read(json, "q", names.q_names, y->head(sizes.nq));
  reader.read(json, "v", names.v_names, y->segment(sizes.nq, sizes.nv));
  reader.throw_if_any();
}

// -- the evaluation

Evaluation calc_evaluation(Equations* equations, const std::string& state_file) {
  const Sizes sizes = equations->sizes();
  const Names names = equations->coordinate_names();
  Evaluation e;
  e.q_names.assign(names.begin(), names.begin() + sizes.nq);
  e.v_names.assign(names.begin() + sizes.nq, names.begin() + sizes.nq + sizes.nv);
  Eigen::VectorXd y = equations->calc_initial_state();
  if (!state_file.empty()) read_state(state_file, sizes, e, &e.t, &y);
  Eigen::VectorXd ydot = Eigen::VectorXd::Zero(y.size());
  equations->normalize(y, ydot);
  if (state_file.empty() && sizes.na > 0) Stabilizer(Stabilization{}).assemble(e.t, y, equations);

  const auto demand = [&](Status status) {
    if (status != Status::kOk)
      throw RunError(fmt::format("t = {:g} s: {}", e.t, equations->explain_failure(e.t, y)));
  };
  demand(equations->calc_ydot(e.t, y, ydot));
  demand(ydot.allFinite() ? Status::kOk : Status::kNotFinite);
  demand(equations->calc_mass_matrix(e.t, y, &e.M));
  demand(equations->calc_generalized_force(e.t, y, &e.f));
  demand(equations->observe(e.t, y, &e.snapshot));
  e.q = y.head(sizes.nq);
  e.v = y.segment(sizes.nq, sizes.nv);
  e.vdot = ydot.segment(sizes.nq, sizes.nv);
  return e;
}

// -- as JSON

Json to_json(const Eigen::Ref<const Eigen::VectorXd>& x) {
  return std::vector<double>(x.data(), x.data() + x.size());
}

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

Json to_json(const Model& model, const std::string& formulation, const Evaluation& e) {
  const Snapshot& s = e.snapshot;
  return {
      {"haltere", version()},
      {"model", model.name},
      {"case", model.case_name},
      {"formulation", formulation},
      {"t", e.t},
      {"q_names", e.q_names},
      {"q", to_json(e.q)},
      {"v_names", e.v_names},
      {"v", to_json(e.v)},
      {"M", rows_of(e.M)},
      {"f", to_json(e.f)},
      {"A", Json::array()},  // a tree has no constraint rows
      {"vdot", to_json(e.vdot)},
      {"multipliers", Json::array()},
      {"energy", {{"kinetic", s.kinetic}, {"potential", s.potential}, {"total", s.kinetic + s.potential}}},
      {"system",
       {{"com", to_json(s.com)},
        {"momentum", to_json(s.momentum)},
        {"angular_momentum", to_json(s.angular_momentum)}}},
      {"bodies", make_bodies(model, s)},
      {"joints", make_joints(model, s)},
      {"constraints", make_constraints(model, s)}};
}

// -- as tables

constexpr int kWidestMatrix = 12;  // columns that fit a wide terminal

int widest(const Names& names) {
  std::size_t width = 10;
  for (const std::string& name : names) width = std::max(width, name.size());
  return static_cast<int>(width);
}

void print_state(const Model& model, const Evaluation& e) {
  std::unordered_map<std::string, std::string> units;
  for (const Channel& channel : make_channels(model)) units[channel.name] = channel.unit;
  const int width = std::max(widest(e.q_names), widest(e.v_names));
  fmt::print("{:<{}}  {:>16}\n", "q", width, "value");
  for (std::size_t i = 0; i < e.q_names.size(); ++i)
    fmt::print("{:<{}}  {:>16.9g} {}\n", e.q_names[i], width, e.q[static_cast<int>(i)], units[e.q_names[i]]);
  fmt::print("\n{:<{}}  {:>16} {:>16} {:>16}   unit of the value\n", "v", width, "value", "f",
             "acceleration");
  for (std::size_t k = 0; k < e.v_names.size(); ++k) {
    const int i = static_cast<int>(k);
    fmt::print("{:<{}}  {:>16.9g} {:>16.9g} {:>16.9g}   {}\n", e.v_names[k], width, e.v[i], e.f[i], e.vdot[i],
               units[e.v_names[k]]);
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

void print_vectors(const char* title, const char* first, const char* second, const Names& names,
                   const std::vector<Vector3<double>>& a, const std::vector<Vector3<double>>& b) {
  const int width = std::max(widest(names), static_cast<int>(std::string_view(title).size()));
  fmt::print("\n{:<{}}  {:<41} {}\n", title, width, first, second);
  for (std::size_t i = 0; i < names.size(); ++i)
    fmt::print("{:<{}}  {:>13.6g} {:>13.6g} {:>13.6g} {:>13.6g} {:>13.6g} {:>13.6g}\n", names[i], width,
               a[i][0], a[i][1], a[i][2], b[i][0], b[i][1], b[i][2]);
}

void print_tables(const Model& model, const Evaluation& e) {
  const Snapshot& s = e.snapshot;
  fmt::print("t = {:g} s\n\n", e.t);
  print_state(model, e);
  print_mass_matrix(e.M);
  fmt::print("\nenergy: kinetic {:.9g} J, potential {:.9g} J\n", s.kinetic, s.potential);

  Names names;
  std::vector<Vector3<double>> first, second;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    names.push_back(model.bodies[b].name);
    first.push_back(s.scene.X_WB[b].p);
    second.push_back(linear(s.A_WB[b]));
  }
  print_vectors("body", "position [m]", "acceleration [m/s2]", names, first, second);
  names.clear(), first.clear(), second.clear();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    names.push_back(model.joints[j].name());
    first.push_back(linear(s.F_reaction[j]));
    second.push_back(angular(s.F_reaction[j]));
  }
  print_vectors("joint", "reaction force [N]", "reaction torque [N m]", names, first, second);
}

int evaluate(const EvaluateArguments& a) {
  const Model model = a.model.read();
  Names known;
  for (const FormulationInfo& f : formulations()) known.emplace_back(f.name);
  if (std::find(known.begin(), known.end(), a.formulation) == known.end())
    throw wrong_input("--formulation", fmt::format("unknown formulation '{}'", a.formulation),
                      did_you_mean(a.formulation, known));
  const std::unique_ptr<Equations> equations = make_equations(a.formulation, model);
  const Evaluation evaluation = calc_evaluation(equations.get(), a.state);
  print_warnings(model);
  if (a.json.empty())
    print_tables(model, evaluation);
  else
    write_json(to_json(model, a.formulation, evaluation), a.json);
  return kSuccess;
}

}  // namespace

void add_evaluate(CLI::App* program, Action* action) {
  CLI::App* verb =
      program->add_subcommand("evaluate", "the equations of motion at one instant: M, f, accelerations");
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
