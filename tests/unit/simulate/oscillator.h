#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "unit/integrate/problems.h"

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/formulation.h"
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
  slide.driven = {Expression(0.0)};
  slide.initial_position = {Expression(1.0)};
  slide.initial_velocity.resize(1);
  model.joints.push_back(slide);
  return model;
}

inline EventSpec make_event(const std::string& name) {
  EventSpec event;
  event.name = name;
  return event;
}

/// Faults to order.
struct Faults {
  double fails_after = std::numeric_limits<double>::infinity();  // the right-hand side, from this time on [s]
  double infinite_after = std::numeric_limits<double>::infinity();  // the recorded reaction [s]
  double leak = 0;                                                  // power that no account knows of [W]
};

/// x and v, by hand.
class OscillatorFormulation final : public Formulation {
 public:
  OscillatorFormulation(const Model& model, const Faults& faults) : faults_(faults) {
    layout_.sizes = {.nq = 1, .nv = 1};
    layout_.names = {"x", "v"};
    layout_.scales.setOnes(2);
    layout_.change_scales.setOnes(1);
    none_ = std::make_unique<ConstraintSet<double>>(model, model.calc_parameters(), 1);
    constraints_ = none_.get();
  }
  void set_machine(const Machine<double>& machine) override { k_ = machine.parameters[0]; }
  void read(double t, ConstRef y, Bodies, Scene<double>* scene) override {
    scene->t = t;
    scene->q[0] = y[0];
    scene->v[0] = y[1];
    scene->X_WB[1].p.z() = y[0];
    scene->V_WB[1][5] = y[1];
    scene->locals = {t, y[0], y[1]};
  }
  void write(const Scene<double>& scene, Ref y) const override {
    y[0] = scene.q[0];
    y[1] = scene.v[0];
  }
  void calc_qdot(ConstRef y, Ref ydot) override { ydot[0] = y[1]; }
  void normalize(Ref, Ref) const override {}
  void shift(ConstRef dq, ConstRef dv, Ref y) const override {
    y[0] += dq[0];
    y[1] += dv[0];
  }
  void read_velocities(ConstRef y, Ref dq) const override { dq[0] = y[1]; }
  Status factor(Scene<double>* scene, BodyLoads<double>*) override {
    vdot_ = -k_ * scene->q[0];
    return scene->t > faults_.fails_after ? Status::kSingular : Status::kOk;
  }
  void solve(const Eigen::VectorXd&) override {}
  void calc_change(Level, ConstRef, Ref) override {}
  void calc_response(const std::vector<BodyIndex>&, Eigen::MatrixXd*) override {}
  void add_response(const std::vector<BodyIndex>&, const Eigen::VectorXd&) override {}
  Status write_rates(const Scene<double>&, ConstRef y, Ref ydot) override {
    ydot[0] = y[1];
    ydot[1] = vdot_;
    return Status::kOk;
  }
  Vector6<double> calc_A_WB(BodyIndex) const override { return vdot_ * Vector6<double>::Unit(5); }
  double calc_prescribed_power(const Scene<double>&, int) const override { return faults_.leak; }
  void observe(const Scene<double>& scene, const BodyLoads<double>&, Snapshot* out) override {
    *out = {};
    out->scene = scene;
    out->A_WB = {Vector6<double>::Zero(), calc_A_WB({1})};
    out->vdot = Eigen::VectorXd::Constant(1, vdot_);
    out->tau = Eigen::VectorXd::Zero(1);
    out->F_reaction.assign(1, Vector6<double>::Zero());
    if (scene.t > faults_.infinite_after) out->F_reaction[0][0] = std::numeric_limits<double>::infinity();
    out->kinetic = 0.5 * scene.v[0] * scene.v[0];
    out->gravity_potential = 0.5 * k_ * scene.q[0] * scene.q[0];  // of the spring
    out->momentum.z() = scene.v[0];
  }
  void calc_free_motion(const Scene<double>&, const BodyLoads<double>&, Eigen::MatrixXd* M,
                        Eigen::VectorXd* f) override {
    *M = Eigen::MatrixXd::Identity(1, 1);
    *f = Eigen::VectorXd::Constant(1, vdot_);
  }
  void calc_constraint_matrix(ConstRef, const Scene<double>&, Eigen::MatrixXd* A,
                              Eigen::VectorXd* b) override {
    A->resize(0, 1);
    b->resize(0);
  }
  std::unique_ptr<ImplicitForm> make_implicit_form() const override {
    return nullptr;  // Oscillator has one
  }
  std::string find_fault(ConstRef, const Scene<double>&) override {
    return "joint 'slide' has lost its mass";
  }

 private:
  const Faults& faults_;
  double k_ = 1, vdot_ = 0;
  std::unique_ptr<ConstraintSet<double>> none_;
};

struct OscillatorParts : Faults {
  Model own_model;
};

/// Its joint is driven, by nothing: that makes a place for its work.
class Oscillator : public OscillatorParts, public Equations {
 public:
  explicit Oscillator(Model model)
      : OscillatorParts{{}, std::move(model)},
        Equations(std::make_unique<OscillatorFormulation>(own_model, *this), own_model) {}
  std::unique_ptr<ImplicitForm> make_implicit_form() const override {
    return std::make_unique<problems::ProblemForm>(
        const_cast<Oscillator&>(*this));  // NOLINT: changes nothing
  }
};

}  // namespace haltere::testing
