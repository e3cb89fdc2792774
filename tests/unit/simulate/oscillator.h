#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "unit/integrate/problems.h"

#include "haltere/dynamics/equations.h"
#include "haltere/model/kind_info.h"

/// A mass on a spring, small enough to check by hand: x'' = -k x (mass 1 kg), written without any
/// formulation, with faults to order. Parameter 0 is k [N/m]; formulas may read `t`, `x`, `v` and `k`.
namespace haltere::testing {

inline Expression parse_formula(const std::string& text, const Model& model) {
  Scope scope;
  scope.find = [&](std::string_view name) -> std::optional<Variable> {
    const Measure any{Measure::Kind::kAny, {}};
    if (name == "t") return Variable{Variable::Source::kLocal, 0, any};
    if (name == "x") return Variable{Variable::Source::kLocal, 1, any};
    if (name == "v") return Variable{Variable::Source::kLocal, 2, any};
    if (const auto slot = model.find_parameter(name))
      return Variable{Variable::Source::kParameter, *slot, any};
    return std::nullopt;
  };
  scope.names = [] { return std::vector<std::string>{}; };
  std::vector<TextProblem> problems;
  const Expression expression = Expression::parse(text, scope, std::nullopt, &problems);
  if (!problems.empty()) throw std::runtime_error(problems[0].message);
  return expression;
}

/// Starts at x = 1 m at rest with k = 1 N/m: x = cos t.
inline Model make_oscillator() {
  Model model;
  model.name = "oscillator";
  ParameterSpec k;
  k.name = "k";
  k.measure = {Measure::Kind::kExact, unit_of("N/m").dimension};
  k.value = 1;
  model.parameters.push_back(k);
  model.bodies.resize(2);
  model.bodies[0].name = "world";
  model.bodies[1].name = "mass";
  model.bodies[1].mass = Expression(1.0);
  JointSpec slide;
  slide.entry.name = "slide";
  slide.entry.kind = find_kind(joint_kinds(), "prismatic");
  slide.entry.values.resize(1);
  slide.parent = {0};
  slide.child = {1};
  slide.prescribed.resize(1);
  slide.driven.resize(1);
  slide.initial_position.resize(1);
  slide.initial_velocity.resize(1);
  model.joints.push_back(slide);
  return model;
}

inline EventSpec make_event(const std::string& name) {
  EventSpec event;
  event.name = name;
  return event;
}

class Oscillator : public Equations {
 public:
  explicit Oscillator(Model model) : model_(std::move(model)), parameters_(model_.calc_parameters()) {}

  double fails_after = std::numeric_limits<double>::infinity();  // the right-hand side, from this time on [s]
  double infinite_after = std::numeric_limits<double>::infinity();  // the recorded reaction [s]
  double leak = 0;                                                  // power that no account knows of [W]

  const Model& model() const override { return model_; }
  Sizes sizes() const override { return {.nq = 1, .nv = 1, .nz = 1, .ng = 0, .na = 0}; }
  Eigen::VectorXd calc_initial_state() override { return Eigen::Vector3d(1, 0, 0); }
  Eigen::VectorXd calc_state(const Scene<double>& scene) const override {
    return Eigen::Vector3d(scene.q[0], scene.v[0], 0);
  }

  Status calc_ydot(double t, ConstRef y, Ref ydot) override {
    ydot << y[1], -parameters_[0] * y[0], leak;
    return t > fails_after ? Status::kSingular : Status::kOk;
  }
  void normalize(Ref, Ref) const override {}
  Eigen::VectorXd calc_scales() const override { return Eigen::Vector3d(1, 1, 0); }

  Status observe(double t, ConstRef y, Snapshot* out) override {
    Snapshot& s = *out;
    s = {};
    s.scene.t = t;
    s.scene.X_WB.resize(2);
    s.scene.X_WB[1].p.z() = y[0];
    s.scene.V_WB.assign(2, Vector6<double>::Zero());
    s.scene.V_WB[1][5] = y[1];
    s.scene.q = y.segment(0, 1);
    s.scene.v = y.segment(1, 1);
    s.scene.q_of = s.scene.v_start = {0};
    calc_locals(t, y, &s.scene.locals);
    s.A_WB.assign(2, Vector6<double>::Zero());
    s.A_WB[1][5] = -parameters_[0] * y[0];
    s.vdot = Eigen::VectorXd::Constant(1, -parameters_[0] * y[0]);
    s.tau = Eigen::VectorXd::Zero(1);
    s.F_reaction.assign(1, Vector6<double>::Zero());
    if (t > infinite_after) s.F_reaction[0][0] = std::numeric_limits<double>::infinity();
    s.kinetic = 0.5 * y[1] * y[1];
    s.potential = 0.5 * parameters_[0] * y[0] * y[0];
    s.work = y[2];
    s.momentum.z() = y[1];
    return Status::kOk;
  }
  void calc_locals(double t, ConstRef y, std::vector<double>* locals) override { *locals = {t, y[0], y[1]}; }
  std::string explain_failure(double, ConstRef) override { return "joint 'slide' has lost its mass"; }

  const std::vector<double>& parameters() const override { return parameters_; }
  void set_parameters(const std::vector<double>& parameters) override { parameters_ = parameters; }

  Status calc_mass_matrix(double, ConstRef, Eigen::MatrixXd* M) override {
    *M = Eigen::MatrixXd::Identity(1, 1);
    return Status::kOk;
  }
  Status calc_generalized_force(double, ConstRef y, Eigen::VectorXd* f) override {
    *f = Eigen::VectorXd::Constant(1, -parameters_[0] * y[0]);
    return Status::kOk;
  }
  std::vector<std::string> coordinate_names() const override { return {"x", "v", "work"}; }
  std::unique_ptr<ImplicitForm> make_implicit_form() const override {
    return std::make_unique<problems::ProblemForm>(
        const_cast<Oscillator&>(*this));  // NOLINT: changes nothing
  }

 private:
  Model model_;
  std::vector<double> parameters_;
};

}  // namespace haltere::testing
