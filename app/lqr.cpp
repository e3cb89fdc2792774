#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/analysis_verbs.h"
#include "app/linear_model.h"
#include "app/output_file.h"
#include "app/quantity.h"
#include "app/wrong_input.h"

#include "haltere/analysis/riccati.h"
#include "haltere/simulate/glob.h"

namespace haltere {
namespace {

constexpr double kMostWeight = 1e30;
constexpr double kRounding = 1e-10;  // gains below this part of the largest are those of nothing

struct LqrArguments {
  LinearArguments linear;
  std::vector<std::string> q, r;
  std::string output;
};

/// Positions that change steadily: there is no value to keep them at.
std::vector<std::string> list_drifting(const SteadyState& state) {
  const std::vector<StateCoordinate> coordinates = list_coordinates(state.model);
  const Sizes sizes = state.equations->sizes();
  const Eigen::VectorXd v = state.equilibrium.y.segment(sizes.nq, sizes.nv)
                                .cwiseQuotient(state.equations->calc_scales().segment(sizes.nq, sizes.nv));
  const double none = kRounding * (v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (coordinates[i].motion != Motion::kTurn && std::abs(v[static_cast<Eigen::Index>(i)]) > none)
      names.push_back(coordinates[i].position);
  return names;
}

/// NAME=VALUE for each name or glob, 0 or more; those that are not named have `otherwise`.
Eigen::VectorXd read_weights(const std::vector<std::string>& texts, const char* option,
                             const std::vector<std::string>& names, double otherwise) {
  Eigen::VectorXd weights = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(names.size()), otherwise);
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos)
      throw wrong_input(option, fmt::format("'{}' has no value", text), "write NAME=VALUE");
    const std::string glob = text.substr(0, sign);
    const double value = read_quantity(option, text.substr(sign + 1), "");
    if (!(value >= 0)) throw wrong_input(option, fmt::format("'{}' must not be negative", text));
    if (value > kMostWeight || (value > 0 && value < 1 / kMostWeight))
      throw wrong_input(option, fmt::format("'{}' is beyond what can be computed with", text),
                        "weights are squares of units: 1e-30 to 1e30");
    bool found = false;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (matches_glob(glob, names[i])) {
        weights[static_cast<Eigen::Index>(i)] = value;
        found = true;
      }
    if (!found) {
      std::string hint = hint_for_glob(glob, names);
      if (hint.empty()) hint = fmt::format("there are {}", fmt::join(names, ", "));
      throw wrong_input(option, fmt::format("nothing is called '{}'", glob), hint);
    }
  }
  return weights;
}

/// What a feedback reads, at the equilibrium, and what each input does with it.
struct Reading {
  std::string name;
  double value = 0;
  Eigen::VectorXd gains;
  bool is_signal = true;
};

/// The turns of a joint, as the angles of its body where the world carries it and the body names them.
std::vector<Reading> read_turns(const std::string& joint_name, const std::array<Eigen::VectorXd, 3>& gains,
                                const SteadyState& state) {
  const Model& model = state.model;
  const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                  [&](const JointSpec& j) { return "joint." + j.name() == joint_name; });
  std::vector<Reading> readings;
  if (joint == model.joints.end() || joint->parent.value != 0 || !model.bodies[joint->child.value].euler) {
    for (std::size_t i = 0; i < 3; ++i)
      readings.push_back({fmt::format("{}.turn.{}", joint_name, "xyz"[i]), 0, gains[i], false});
    return readings;
  }
  const BodySpec& body = model.bodies[joint->child.value];
  Snapshot seen;
  state.equations->observe(0, state.equilibrium.y, &seen);
  const Vector3<double> angles = body.euler->calc_angles(seen.scene.X_WB[joint->child.value].R);
  const std::vector<double> parameters = model.calc_parameters();
  const Matrix3<double> R_WF = joint->parent_frame.calc_X(Resolver<double>{parameters.data()}).R;
  const Matrix3<double> turn_by_angle = R_WF.transpose() * body.euler->calc_E<double>(angles);
  for (int k = 0; k < 3; ++k) {
    Reading angle{fmt::format("body.{}.euler.{}", body.name, k), angles[k],
                  Eigen::VectorXd::Zero(gains[0].size())};
    for (int i = 0; i < 3; ++i) angle.gains += gains[i] * turn_by_angle(i, k);
    readings.push_back(angle);
  }
  return readings;
}

std::vector<Reading> list_readings(const StateSpace& system, const Eigen::MatrixXd& K,
                                   const SteadyState& state) {
  const std::vector<StateCoordinate> coordinates = list_coordinates(state.model);
  const int nq = state.equations->sizes().nq;
  std::vector<Reading> readings;
  std::map<std::string, std::array<Eigen::VectorXd, 3>> turns;  // by joint
  for (std::size_t k = 0; k < system.states.size(); ++k) {
    const std::string& name = system.states[k];
    const Eigen::VectorXd gains = -K.col(static_cast<Eigen::Index>(k));
    if (const std::size_t at = name.find(".turn."); at != std::string::npos) {
      auto& own = turns.try_emplace(name.substr(0, at)).first->second;
      for (Eigen::VectorXd& g : own)
        if (g.size() == 0) g.setZero(gains.size());
      own[name.back() - 'x'] = gains;
      continue;
    }
    Reading reading{name, 0, gains};
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      if (coordinates[i].position == name && coordinates[i].motion != Motion::kTurn)
        reading.value = state.equilibrium.y[coordinates[i].q];
      if (coordinates[i].velocity == name) reading.value = state.equilibrium.y[nq + static_cast<int>(i)];
    }
    readings.push_back(reading);
  }
  for (const auto& [joint, gains] : turns)
    for (Reading& reading : read_turns(joint, gains, state)) readings.push_back(std::move(reading));
  return readings;
}

/// `forces:` of a model file: each input with its gains and what makes it zero at the equilibrium.
std::string write_forces(const std::vector<Reading>& readings, const SteadyState& state,
                         const std::vector<InputCoordinate>& inputs) {
  std::string text = "forces:\n";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const JointSpec& joint = state.model.joints[inputs[i].joint];
    const std::string coordinate =
        joint.nv() > 1 ? fmt::format("{}.{}", joint.name(), inputs[i].coordinate) : joint.name();
    const auto input = static_cast<Eigen::Index>(i);
    double largest = 0;
    for (const Reading& reading : readings) largest = std::max(largest, std::abs(reading.gains[input]));
    std::string gains;
    double offset = 0, size = 0;
    for (const Reading& reading : readings) {
      const double gain = reading.gains[input];
      if (std::abs(gain) <= kRounding * largest) continue;
      gains += reading.is_signal ? fmt::format("      {}: {}\n", reading.name, gain)
                                 : fmt::format(
                                       "      # {}: {}  # no signal: give the body `euler`, or write a "
                                       "formula of its orientation\n",
                                       reading.name, gain);
      offset -= gain * reading.value;
      size += std::abs(gain);
    }
    text += fmt::format("  regulator{}:\n    kind: feedback\n    joint: {}\n", i + 1, coordinate);
    text += gains.empty() ? "    gains: {}\n" : "    gains:\n" + gains;
    if (std::abs(offset) > kRounding * size) text += fmt::format("    offset: {}\n", offset);
  }
  return text;
}

int make_regulator(const LqrArguments& a) {
  if (!a.output.empty()) require_writable(a.output);
  const Model model = a.linear.steady.model.read();
  print_warnings(model);
  const std::unique_ptr<SteadyState> state = require_steady_state(a.linear.steady, model);
  const Linearization linearization = make_linear_model(a.linear, *state);
  if (linearization.inputs.empty())
    throw wrong_input(model.name, "has no input: no coordinate is driven",
                      "name one by --input joint.NAME.torque");
  if (a.linear.formulation != "recursive")
    throw wrong_input("--formulation", "a regulator feeds joint coordinates back", "leave it out");
  if (state->equilibrium.turn.norm() > 0)
    throw RunError(
        "the steady motion turns, and a feedback of world axes would not turn with it: there is no "
        "regulator\n"
        "  try: an equilibrium, or a motion straight on (--set, --keep)");
  const StateSpace system = make_state_space(linearization);
  Eigen::VectorXd q = read_weights(a.q, "--q", system.states, a.q.empty() ? 1 : 0);
  const Eigen::VectorXd r = read_weights(a.r, "--r", system.inputs, 1);
  for (const std::string& name : list_drifting(*state))
    for (std::size_t i = 0; i < system.states.size(); ++i) {
      if (system.states[i] != name) continue;
      double& own = q[static_cast<Eigen::Index>(i)];
      if (own > 0 && !a.q.empty())
        throw wrong_input("--q", fmt::format("'{}' changes steadily: there is no value to keep it at", name),
                          "give weights to the others");
      own = 0;
    }
  if (!(q.maxCoeff() > 0))
    throw wrong_input("--q", "nothing costs anything: there is nothing to regulate",
                      "give a state a weight above 0");
  if (!(r.minCoeff() > 0))
    throw wrong_input("--r", "every input must cost something", "give all of them a value");
  const LinearRegulator regulator = calc_regulator(system.A, system.B, q.asDiagonal(), r.asDiagonal());
  if (!regulator.failure.empty())
    throw RunError(regulator.failure + "\n  try: --q for fewer states, or more --input");
  fmt::print(stderr, "eigenvalues of the closed loop [1/s]:");
  for (const std::complex<double>& x : regulator.eigenvalues) {
    if (x.imag() < 0) continue;
    fmt::print(stderr, " {:.5g}", x.real());
    if (x.imag() > 0) fmt::print(stderr, " +- {:.5g} i", x.imag());
  }
  fmt::print(stderr, "\nresidual of the Riccati equation: {:.1e}\n", regulator.residual);
  if (regulator.n_unseen > 0)
    fmt::print(stderr, "note: {} directions of the state cost nothing and are left alone\n",
               regulator.n_unseen);
  if (regulator.n_unreached > 0)
    fmt::print(stderr, "note: {} directions of the state are not reached by the inputs and are left alone\n",
               regulator.n_unreached);
  write_output(a.output.empty() ? "-" : a.output,
               write_forces(list_readings(system, regulator.K, *state), *state, linearization.inputs));
  return kSuccess;
}

}  // namespace

void add_lqr(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("lqr", "the feedback that keeps an equilibrium at least cost");
  const auto a = std::make_shared<LqrArguments>();
  a->linear.add_to(verb);
  const auto add_list = [&](const char* option, const char* what, auto* list) {
    verb->add_option(option, *list, what)->type_name("NAME=VALUE")->expected(1)->take_all();
  };
  add_list("--q",
           "cost of the square of a state, SI; all 1 where none is given, but for those that change "
           "steadily; else 0 for the others",
           &a->q);
  add_list("--r", "cost of the square of an input, SI; 1 where it is not given", &a->r);
  verb->add_option("-o,--output", a->output, "the `forces:` block, instead of stdout")->type_name("FILE");
  verb->footer(
      "Examples:\n"
      "  haltere lqr cart-pole --set initial.hinge=0 --input joint.track.force --q joint.hinge.angle=10 --q "
      "joint.track.position=1\n"
      "stdout is a `forces:` block for the model file; stderr says the rest.");
  verb->callback([=] { *action = [=] { return make_regulator(*a); }; });
}

}  // namespace haltere
