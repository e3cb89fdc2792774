#include "haltere/analysis/linearization.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <fmt/format.h>

#include "haltere/dynamics/machine/machine.h"
#include "haltere/math/dense.h"
#include "haltere/model/quantity.h"
#include "haltere/simulate/glob.h"

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// of the largest singular value: below it rows depend on each other. Tangents are exact to rounding; the room
// above that is a choice.
constexpr double kDependent = 1e-9;
// of the largest entry: what a pivot of the inertias must have to be more than rounding
constexpr double kNoInertia = 1e-13;
// of the norm of F: part by which it may lead out of the neutral directions; the root of rounding, a choice
constexpr double kInvariant = 1e-8;

InputCoordinate make_input(const Model& model, int j, int k) {
  const JointSpec& joint = model.joints[j];
  return {name_coordinate(joint, Quantity::kJointForce, k),
          std::string(unit_of(joint.motion(k), Quantity::kJointForce)), j, k};
}

/// Names of positions in the order of velocities.
void name_coordinates(const Equations& equations, const ImplicitForm& form, bool of_joints,
                      Linearization* out) {
  if (of_joints) {
    int turn = 0;
    for (const StateCoordinate& c : list_coordinates(equations.model())) {
      const bool turns = c.motion == Motion::kTurn;
      const std::string stem = c.position.substr(0, c.position.rfind('.'));
      out->positions.push_back(turns ? fmt::format("{}.turn.{}", stem, "xyz"[turn++ % 3]) : c.position);
      out->velocities.push_back(c.velocity);
    }
    return;
  }
  const Sizes sizes = equations.sizes();
  const std::vector<std::string> names = equations.coordinate_names();
  out->velocities.assign(names.begin() + sizes.nq, names.begin() + sizes.nq + sizes.nv);
  out->positions.resize(names.empty() ? 0 : sizes.nv);
  for (const ImplicitForm::Link& link : form.links()) {
    const std::string& name = names[link.q];
    const std::string stem = name.substr(0, name.rfind(".orientation"));
    for (int i = 0; i < (link.turns ? 3 : 1); ++i)
      out->positions[link.v + i] = link.turns ? fmt::format("{}.turn.{}", stem, "xyz"[i]) : name;
  }
}

class Linearizer {
 public:
  Linearizer(const LinearizationOptions& options, const Equilibrium& equilibrium, Equations* tree);
  Linearization make();

 private:
  bool update_tangents();
  void update_rows();
  bool update_F();
  void add_inputs();
  void add_wrenches();
  void add_outputs();
  void add_neutral();
  Matrix map_to_bodies(const Matrix& joint_velocities) const;

  const LinearizationOptions& options_;
  const Equilibrium& equilibrium_;
  Equations& tree_;
  std::unique_ptr<Equations> own_;
  Equations* equations_ = nullptr;
  std::unique_ptr<ImplicitForm> form_;
  std::unique_ptr<Layout> layout_;  // none: coordinates are numbers, and the machine rests
  Vector y_, s_, inverse_s_;
  Eigen::Index n_ = 0, m_ = 0, ns_ = 0;
  Vector x_scales_;  // of the model's states
  ImplicitForm::Point<double> point_;
  ImplicitForm::Changes changes_;
  Matrix K_, C_, M_;        // as work over the scales of their coordinates, of the largest inertia
  double work_ = 0;         // that inertia
  Matrix carry_, rate_;     // of increments on what moves; of vectors in axes that turn
  Matrix A_, Zx_, Zv_, P_;  // rows of velocity; motions that obey; dv = P dq + Zv eta
  Eigen::PartialPivLU<Matrix> inertia_;
  Linearization result_;
};

Linearizer::Linearizer(const LinearizationOptions& options, const Equilibrium& equilibrium, Equations* tree)
    : options_(options), equilibrium_(equilibrium), tree_(*tree) {
  if (options.formulation == "recursive") {
    equations_ = tree;
    y_ = equilibrium.y;
    layout_ = std::make_unique<Layout>(tree->model(), tree->parameters());
  } else {
    own_ = make_equations(options.formulation, tree->model(), {.chart = options.chart, .own_charts = false});
    equations_ = own_.get();
    equations_->set_parameters(tree->parameters());
    Snapshot seen;
    tree->observe(0, equilibrium.y, &seen);
    y_ = equations_->calc_state(seen.scene);
    if (options.chart == "lie") layout_ = std::make_unique<Layout>(tree->model());
  }
  form_ = equations_->make_implicit_form();
  n_ = form_->n();
  m_ = form_->m();
  s_ = form_->scales();
  inverse_s_ = s_.cwiseInverse();
  const Vector scales = equations_->calc_scales();
  x_scales_ = equations_->sizes().x(scales);
  ns_ = x_scales_.size();
}

Linearization Linearizer::make() {
  if (n_ == 0) {
    result_.failure = "nothing in this machine is free to move: it has no small motions";
    return std::move(result_);
  }
  name_coordinates(*equations_, *form_, options_.formulation == "recursive", &result_);
  result_.scales = s_;
  result_.n_states = static_cast<int>(ns_);
  result_.state_scales = x_scales_;
  add_state_names(equations_->model(), &result_.model_states);
  if (!layout_ && !equilibrium_.is_at_rest()) {
    result_.failure = fmt::format(
        "a motion is linearised in the chart lie, not in {}: its coordinates are no steady ones\n"
        "  try: --chart lie, or --formulation recursive",
        options_.chart);
    return std::move(result_);
  }
  if (!update_tangents()) {
    result_.failure =
        "the equations cannot be evaluated at the equilibrium: " + equations_->explain_failure(0, y_);
    return std::move(result_);
  }
  update_rows();
  if (!update_F()) {
    result_.failure = "a motion that the constraints allow meets no inertia: accelerations are not defined";
    return std::move(result_);
  }
  add_inputs();
  add_wrenches();
  add_outputs();
  add_neutral();
  return std::move(result_);
}

/// K, C and M of the equations of motion, as work over the scales, where loads of constraints balance them.
bool Linearizer::update_tangents() {
  const Sizes sizes = equations_->sizes();
  Vector ydot = Vector::Zero(sizes.ny());
  if (equations_->calc_ydot(0, y_, ydot) != Status::kOk || !ydot.allFinite()) return false;
  point_ = {0, Vector::Zero(n_), y_.segment(sizes.nq, n_), ydot.segment(sizes.nq, n_), Vector::Zero(m_)};
  form_->set_start(y_);
  const Matrix all = Matrix::Identity(3 * n_ + m_ + ns_, 3 * n_ + m_ + ns_);
  if (form_->calc_changes(point_, all, &changes_) != Status::kOk) return false;
  if (m_ > 0) {
    ImplicitForm::Residual<double> residual{Vector(n_), Vector(m_)};
    if (form_->calc(point_, &residual) != Status::kOk) return false;
    const Vector units = form_->row_scales().cwiseInverse();
    const Matrix loads = s_.asDiagonal() * changes_.r.middleCols(3 * n_, m_) * units.asDiagonal();
    point_.lambda = units.cwiseProduct(Vector(solve_least(loads, -s_.cwiseProduct(residual.r), kDependent)));
    if (form_->calc_changes(point_, all, &changes_) != Status::kOk) return false;
  }
  K_ = s_.asDiagonal() * changes_.r.leftCols(n_) * s_.asDiagonal();
  C_ = s_.asDiagonal() * changes_.r.middleCols(n_, n_) * s_.asDiagonal();
  M_ = s_.asDiagonal() * changes_.r.middleCols(2 * n_, n_) * s_.asDiagonal();
  work_ = n_ == 0 ? 0 : M_.lpNorm<Eigen::Infinity>();
  if (!(work_ > 0)) return n_ == 0;
  for (Matrix* matrix : {&K_, &C_, &M_}) *matrix /= work_;
  return true;
}

/// Positions obey H dq = 0, velocities A dv + R dq = 0: the rate of the former, in axes that turn, and the
/// nonholonomic rows.
void Linearizer::update_rows() {
  carry_ = rate_ = Matrix::Zero(n_, n_);
  if (layout_) {
    rate_ = inverse_s_.asDiagonal() * layout_->calc_rate(equilibrium_.turn) * s_.asDiagonal();
    carry_ = layout_->calc_carry(point_.v) - rate_;
  }
  const Matrix rows = form_->row_scales().cwiseInverse().asDiagonal() * changes_.g;
  const Matrix by_position = rows.leftCols(n_) * s_.asDiagonal();
  const Matrix by_velocity = rows.middleCols(n_, n_) * s_.asDiagonal();
  std::vector<int> holonomic;
  Matrix R(m_, n_);
  A_.resize(m_, n_);
  for (int i = 0; i < m_; ++i) {
    if (form_->is_holonomic(i)) holonomic.push_back(i);
    A_.row(i) = form_->is_holonomic(i) ? by_position.row(i) : by_velocity.row(i);
    R.row(i) = form_->is_holonomic(i) ? Matrix(by_position.row(i) * carry_) : Matrix(by_position.row(i));
  }
  Zx_ = calc_kernel(by_position(holonomic, Eigen::all), kDependent);
  Zv_ = calc_kernel(A_, kDependent);
  P_ = -solve_least(A_, R, kDependent);
}

/// M (du/dt + rate u) + C u + K x + A^T dlambda = 0,   dx/dt = u + carry x,   u = P x + Zv eta.
bool Linearizer::update_F() {
  const Eigen::Index nx = Zx_.cols(), nv = Zv_.cols();
  const Matrix mass = Zv_.transpose() * M_ * Zv_;
  inertia_ = Eigen::PartialPivLU<Matrix>(mass);
  if (nv > 0) {
    const Vector pivots = inertia_.matrixLU().diagonal().cwiseAbs();
    double least = pivots.minCoeff() / mass.cwiseAbs().maxCoeff();
    if (options_
            .without_air) {  // with wings the length scale may be a span far longer than what the mass lies about
      const Vector sizes = mass.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
      const Eigen::PartialPivLU<Matrix> scaled(sizes.asDiagonal() * mass * sizes.asDiagonal());
      least = scaled.matrixLU().diagonal().cwiseAbs().minCoeff();
    }
    if (!(least > kNoInertia)) return false;
  }
  result_.n_positions = static_cast<int>(nx);
  result_.X = Matrix::Zero(n_, nx + nv + ns_);
  result_.X.leftCols(nx) = Zx_;
  result_.V.resize(n_, nx + nv + ns_);
  result_.V << P_ * Zx_, Zv_, Matrix::Zero(n_, ns_);
  Matrix& F = result_.F;
  F.resize(nx + nv + ns_, nx + nv + ns_);
  F.topRows(nx) = Zx_.transpose() * (result_.V + carry_ * result_.X);
  Matrix loads = M_ * (P_ * Zx_ * F.topRows(nx)) + (M_ * rate_ + C_) * result_.V + K_ * result_.X;
  loads.rightCols(ns_) += s_.asDiagonal() * changes_.r.rightCols(ns_) * x_scales_.asDiagonal() / work_;
  if (nv > 0) F.middleRows(nx, nv) = -inertia_.solve(Zv_.transpose() * loads);
  // xdot, by positions, velocities and states
  Matrix rates = changes_.xdot.leftCols(n_) * s_.asDiagonal() * result_.X +
                 changes_.xdot.middleCols(n_, n_) * s_.asDiagonal() * result_.V;
  rates.rightCols(ns_) += changes_.xdot.rightCols(ns_) * x_scales_.asDiagonal();
  F.bottomRows(ns_) = x_scales_.cwiseInverse().asDiagonal() * rates;
  return F.allFinite();
}

/// A force along a joint velocity does its work: its generalised force is the slope of that velocity.
void Linearizer::add_inputs() {
  result_.inputs = options_.inputs;
  const Eigen::Index nx = Zx_.cols(), nv = Zv_.cols();
  result_.B = Matrix::Zero(nx + nv + ns_, static_cast<Eigen::Index>(options_.inputs.size()));
  const Scene<double> places = make_scene<double>(equations_->model());
  for (std::size_t i = 0; i < options_.inputs.size(); ++i) {
    const InputCoordinate& input = options_.inputs[i];
    const int row = places.v_start[input.joint] + input.coordinate;
    const Vector force = changes_.v.row(row).segment(n_, n_).transpose();
    if (nv > 0)
      result_.B.col(static_cast<Eigen::Index>(i)).segment(nx, nv) =
          inertia_.solve(Zv_.transpose() * (s_.cwiseProduct(force) / work_));
  }
}

/// The work of a wrench is along the twist of its body.
void Linearizer::add_wrenches() {
  const Eigen::Index nx = Zx_.cols(), nv = Zv_.cols();
  result_.wrenches = Matrix::Zero(nx + nv + ns_, static_cast<Eigen::Index>(6 * options_.bodies.size()));
  if (options_.bodies.empty() || nv == 0) return;
  const Matrix twists = map_to_bodies(Matrix::Identity(n_, n_));
  for (std::size_t i = 0; i < options_.bodies.size(); ++i) {
    const Matrix forces = twists.middleRows<6>(Eigen::Index{6} * (options_.bodies[i] - 1)).transpose();
    result_.wrenches.block(nx, static_cast<Eigen::Index>(6 * i), nv, 6) =
        inertia_.solve(Zv_.transpose() * (s_.asDiagonal() * forces / work_));
  }
}

/// Signals, then positions and velocities of joints.
void Linearizer::add_outputs() {
  const Model& model = equations_->model();
  const Scene<double> places = make_scene<double>(model);
  std::vector<Vector> rows;
  const auto add = [&](const std::string& name, const Matrix& changes, Eigen::Index row) {
    const Vector by_q = changes.row(row).head(n_), by_v = changes.row(row).segment(n_, n_);
    rows.emplace_back(result_.X.transpose() * s_.cwiseProduct(by_q) +
                      result_.V.transpose() * s_.cwiseProduct(by_v));
    rows.back().tail(ns_) += x_scales_.cwiseProduct(Vector(changes.row(row).tail(ns_)));
    result_.outputs.push_back(name);
  };
  for (std::size_t i = 0; i < model.states.size(); ++i)
    add("state." + model.states[i].name, changes_.locals, static_cast<Eigen::Index>(1 + i));
  for (std::size_t i = 0; i < model.signals.size(); ++i)
    add("signal." + model.signals[i].name, changes_.locals,
        static_cast<Eigen::Index>(1 + model.probes.size() + i));
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const JointSpec& joint = model.joints[j];
    for (int k = 0; k < joint.nv(); ++k) {
      if (joint.mode(k) == CoordinateMode::kPrescribed) continue;
      if (joint.motion(k) != Motion::kTurn)
        add(name_coordinate(joint, Quantity::kJointPosition, k), changes_.q, places.q_of[j] + k);
      add(name_coordinate(joint, Quantity::kJointVelocity, k), changes_.v, places.v_start[j] + k);
    }
  }
  result_.C.resize(static_cast<Eigen::Index>(rows.size()), result_.F.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) result_.C.row(static_cast<Eigen::Index>(i)) = rows[i];
}

/// Twists of all bodies for velocities of the joints, one a column.
Matrix Linearizer::map_to_bodies(const Matrix& joint_velocities) const {
  const Sizes sizes = tree_.sizes();
  const auto n_bodies = static_cast<Eigen::Index>(tree_.model().bodies.size());
  Matrix twists(6 * (n_bodies - 1), joint_velocities.cols() + 1);
  Scene<double> seen;
  Vector y = equilibrium_.y;
  for (Eigen::Index i = 0; i < twists.cols(); ++i) {
    sizes.v(y).setZero();
    if (i > 0) sizes.v(y) = joint_velocities.col(i - 1);
    tree_.calc_scene(0, y, &seen);
    for (Eigen::Index b = 1; b < n_bodies; ++b) twists.col(i).segment<6>(6 * (b - 1)) = seen.V_WB[b];
  }
  return twists.rightCols(joint_velocities.cols()).colwise() - twists.col(0);
}

/// The symmetry of the motion, where it is one of F as well (coordinates that were told to drift may not be).
void Linearizer::add_neutral() {
  const Eigen::Index size = result_.F.rows();
  result_.neutral.resize(size, 0);
  if (!layout_ || size == 0) return;
  const Symmetry& symmetry = equilibrium_.symmetry;
  const Layout tree_layout(tree_.model(), tree_.parameters());
  Matrix drift = tree_layout.calc_child_axes(equilibrium_.y) * symmetry.drift;
  if (own_) drift = map_to_bodies(drift);
  const Eigen::Index n_drift = drift.cols(), n_axes = static_cast<Eigen::Index>(symmetry.axes.size()),
                     n_boosts = static_cast<Eigen::Index>(symmetry.galilean.size());
  if (n_drift + n_axes + n_boosts == 0) return;  // Eigen puts nothing together from parts without columns
  Matrix x = Matrix::Zero(n_, n_drift + n_axes + n_boosts), u = x;
  x.leftCols(n_drift) = drift;
  for (Eigen::Index k = 0; k < n_axes; ++k) {
    x.col(n_drift + k) = layout_->calc_turn(symmetry.axes[k], y_);
    u.col(n_drift + k) = layout_->calc_rate(symmetry.axes[k]) * point_.v;
  }
  for (Eigen::Index k = 0; k < n_boosts; ++k) u.col(n_drift + n_axes + k) = drift.col(symmetry.galilean[k]);
  x = (inverse_s_.asDiagonal() * x).eval();
  u = (inverse_s_.asDiagonal() * u).eval();
  Matrix z(size, x.cols());
  z << Zx_.transpose() * x, Zv_.transpose() * (u - P_ * x), Matrix::Zero(ns_, x.cols());
  // orthonormal, and only what F keeps among them
  for (Eigen::Index k = z.cols(); k > 0; --k) {
    const Matrix Q = calc_range(z, kDependent);
    const Matrix away = result_.F * z - Q * (Q.transpose() * (result_.F * z));
    Eigen::Index worst = 0;
    if (away.colwise().norm().maxCoeff(&worst) <= kInvariant * result_.F.norm()) {
      result_.neutral = Q;
      return;
    }
    if (z.cols() == 1) return;
    Matrix rest(size, z.cols() - 1);
    rest << z.leftCols(worst), z.rightCols(z.cols() - 1 - worst);
    z = rest;
  }
}

/// Rows of Z, as many as it has columns, that determine all others; sorted.
std::vector<int> choose_independent(const Matrix& Z) {
  if (Z.cols() == 0) return {};
  std::vector<int> chosen = order_columns(Z.transpose(), kDependent).columns;
  chosen.resize(Z.cols());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

std::vector<InputCoordinate> list_driven(const Model& model) {
  std::vector<InputCoordinate> inputs;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    for (int k = 0; k < model.joints[j].nv(); ++k)
      if (model.joints[j].mode(k) == CoordinateMode::kDriven) inputs.push_back(make_input(model, j, k));
  return inputs;
}

std::vector<InputCoordinate> select_inputs(const Model& model, const std::string& glob) {
  std::vector<InputCoordinate> inputs;
  std::vector<std::string> names;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    for (int k = 0; k < model.joints[j].nv(); ++k) {
      if (model.joints[j].mode(k) == CoordinateMode::kPrescribed) continue;
      InputCoordinate input = make_input(model, j, k);
      names.push_back(input.name);
      if (matches_glob(glob, input.name)) inputs.push_back(std::move(input));
    }
  if (!inputs.empty()) return inputs;
  std::string hint = hint_for_glob(glob, names);
  if (hint.empty()) hint = "inputs are forces and torques of joints: joint.NAME.torque, joint.NAME.force";
  throw InputError({Problem{{}, "--input", fmt::format("no input matches '{}'", glob), std::move(hint)}});
}

Linearization linearize(const LinearizationOptions& options, const Equilibrium& equilibrium,
                        Equations* equations) {
  if (!options.without_air) require_no_memory(equations->model(), "linear model");
  require_no_delays(equations->model(), "a linear model");
  return Linearizer(options, equilibrium, equations).make();
}

StateSpace make_state_space(const Linearization& l) {
  const Eigen::Index nx = l.n_positions, size = l.F.rows(), ns = l.n_states;
  const std::vector<int> positions = choose_independent(l.X.leftCols(nx)),
                         velocities = choose_independent(l.V.middleCols(nx, size - nx - ns));
  StateSpace out;
  for (const int i : positions) out.states.push_back(l.positions[i]);
  for (const int i : velocities) out.states.push_back(l.velocities[i]);
  out.states.insert(out.states.end(), l.model_states.begin(), l.model_states.end());
  for (const InputCoordinate& input : l.inputs) out.inputs.push_back(input.name);
  out.outputs = l.outputs;
  Matrix T(size, size);
  T << l.scales(positions).asDiagonal() * l.X(positions, Eigen::all),
      l.scales(velocities).asDiagonal() * l.V(velocities, Eigen::all), Matrix::Zero(ns, size);
  T.bottomRightCorner(ns, ns) = l.state_scales.asDiagonal();
  const Matrix inverse = T.inverse();
  out.A = T * l.F * inverse;
  out.B = T * l.B;
  out.C = l.C * inverse;
  out.D = Matrix::Zero(out.C.rows(), out.B.cols());
  return out;
}

}  // namespace haltere
