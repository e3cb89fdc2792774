#include "haltere/simulate/stated.h"

#include <algorithm>
#include <cmath>

#include "haltere/dynamics/equations.h"

namespace haltere {
namespace {

using Vector = Eigen::VectorXd;

// of the scale of a row; of velocities, of the largest: what rounding leaves of a residual, as kMet of
// stabilization.cpp
constexpr double kMet = 1e-13;
// part of the residual: a change that leaves more will not help another time; a choice
constexpr double kEnough = 0.5;
constexpr int kMostRounds = 20;  // against a loop without end: each at least halves what is left

bool any(const std::vector<bool>& flags, bool wanted) {
  return std::find(flags.begin(), flags.end(), wanted) != flags.end();
}

/// A copy in which the motion of the held coordinates is prescribed to stay.
Model hold(const Model& model, const std::vector<bool>& held, const Vector& y) {
  const std::vector<StateCoordinate> coordinates = list_coordinates(model);
  Model copy = model;
  std::size_t i = 0;
  for (int j = 0; j < model.n_tree(); ++j)
    for (int k = 0; k < model.joints[j].nv(); ++k) {
      if (model.joints[j].mode(k) == CoordinateMode::kPrescribed) continue;
      const StateCoordinate& c = coordinates[i];
      JointSpec& joint = copy.joints[j];
      if (!held[i++]) continue;
      if (c.motion != Motion::kTurn) {
        joint.prescribed[k] = Expression(y[c.q]);
      } else {
        joint.prescribed_sequence = EulerSequence{};
        const Matrix3<double> R = rotation_of<double>(y.segment<4>(c.q));
        joint.prescribed[k] = Expression(joint.prescribed_sequence->calc_angles(R)[k]);
      }
    }
  return copy;
}

/// The tree with some of its coordinates held where they are: what is left can be moved by the means that
/// move the whole, and at the same price.
class HeldTree {
 public:
  HeldTree(const Equations& whole, const std::vector<bool>& held, const Vector& y)
      : model_(hold(whole.model(), held, y)), tree_("recursive", model_) {
    tree_.set_parameters(whole.parameters());
    const std::vector<StateCoordinate> coordinates = list_coordinates(whole.model());
    for (int i = 0; i < static_cast<int>(coordinates.size()); ++i) {
      if (held[i]) continue;
      const StateCoordinate& c = coordinates[i];
      v_.push_back(whole.sizes().nq + i);
      const int last = c.motion == Motion::kTurn ? c.q + 3 : c.q;
      for (int q = c.q; q <= last && (q_.empty() || q_.back() < last); ++q) q_.push_back(q);
    }
  }

  /// Where the rows cannot be met it comes as near as it can.
  void assemble(Vector* y) {
    Vector own = calc_own(*y);
    Stabilizer(Stabilization{}).assemble(0, own, &tree_);
    if (own.allFinite()) (*y)(q_) = own.head(tree_.sizes().nq);
  }

  /// Once for all changes of velocity from these positions.
  Status factor(const Vector& y) {
    const Sizes sizes = tree_.sizes();
    Vector g = Vector::Zero(sizes.ng), gdot = Vector::Zero(sizes.na);
    return tree_.calc_drift(0, calc_own(y), g, gdot);
  }
  void add_velocity_change(const Vector& r, Vector* y) {
    Vector dv(tree_.sizes().nv);
    tree_.calc_change(r, dv);
    (*y)(v_) += dv;
  }

 private:
  Vector calc_own(const Vector& y) const {
    Vector own = Vector::Zero(tree_.sizes().ny());
    own.head(tree_.sizes().nq) = y(q_);
    return own;
  }

  Model model_;
  Equations tree_;
  std::vector<int> q_, v_;  // where its coordinates stand in the state of the whole
};

/// Velocities on their way to the constraints.
class VelocityFit {
 public:
  VelocityFit(Equations* tree, Vector* y) : tree_(*tree), y_(*y) {
    const Sizes sizes = tree_.sizes();
    g_.setZero(sizes.ng);
    gdot_.setZero(sizes.na);
    update();
    const Vector scales = tree_.calc_scales().segment(sizes.nq, sizes.nv);
    const auto v = sizes.v(y_);
    size_ = sizes.nv == 0 ? left_ : std::max(left_, v.cwiseQuotient(scales).lpNorm<Eigen::Infinity>());
  }

  bool is_met() const { return left_ <= kMet * size_; }
  /// Changes until nothing is left, or another one would not help.
  template <class AddChange>
  void reduce(const AddChange& add_change) {
    for (int i = 0; i < kMostRounds && status_ == Status::kOk && !is_met(); ++i) {
      const double before = left_;
      const Vector y_before = y_;
      add_change(Vector(-gdot_), &y_);
      update();
      if (left_ < kEnough * before) continue;
      if (left_ < before) return;
      y_ = y_before;
      return update();
    }
  }
  Settling result() const { return {status_, worst_row_, left_, size_}; }

 private:
  void update() {
    status_ = tree_.calc_drift(0, y_, g_, gdot_);
    if (status_ == Status::kOk && !gdot_.allFinite()) status_ = Status::kNotFinite;
    left_ = gdot_.cwiseQuotient(tree_.row_scales()).cwiseAbs().maxCoeff(&worst_row_);
  }

  Equations& tree_;
  Vector& y_;
  Vector g_, gdot_;
  Status status_ = Status::kOk;
  int worst_row_ = -1;
  double left_ = 0, size_ = 0;
};

/// Least change of all positions; velocities stay.
Settling assemble_all(Equations* tree, Vector* y) {
  const Sizes sizes = tree->sizes();
  const Vector v = sizes.v(*y);
  Stabilizer stabilizer(Stabilization{});
  const Status status = stabilizer.assemble(0, *y, tree);
  sizes.v(*y) = v;
  return {status, stabilizer.worst_row(), stabilizer.position_drift()};
}

bool are_positions_met(Equations* tree, const Vector& y) {
  Vector g = Vector::Zero(tree->sizes().ng), gdot = Vector::Zero(tree->sizes().na);
  if (tree->calc_drift(0, y, g, gdot) != Status::kOk) return false;
  for (Eigen::Index i = 0; i < g.size(); ++i)
    if (!(std::abs(g[i]) <= kMet * tree->row_scales()[tree->position_rows()[i]])) return false;
  return true;
}

}  // namespace

CoordinateSelection list_stated(const Model& model) {
  CoordinateSelection stated;
  for (int j = 0; j < model.n_tree(); ++j) {
    const JointSpec& joint = model.joints[j];
    const bool turned = joint.initial_orientation.form != RotationSpec::Form::kNone;
    for (int k = 0; k < joint.nv(); ++k) {
      if (joint.mode(k) == CoordinateMode::kPrescribed) continue;
      stated.positions.push_back(joint.motion(k) == Motion::kTurn ? turned
                                                                  : joint.initial_position[k].has_value());
      stated.velocities.push_back(joint.initial_velocity[k].has_value());
    }
  }
  return stated;
}

Settling settle_positions(const std::vector<bool>& stated, Equations* tree, Vector* y) {
  if (!any(stated, true) || !any(stated, false) || are_positions_met(tree, *y)) return assemble_all(tree, y);
  const Vector guess = *y;
  HeldTree(*tree, stated, *y).assemble(y);
  const Settling settling = assemble_all(tree, y);
  if (settling.status == Status::kOk) return settling;
  *y = guess;
  return assemble_all(tree, y);
}

Settling settle_velocities(const std::vector<bool>& stated, Equations* tree, Vector* y) {
  VelocityFit fit(tree, y);
  if (!fit.is_met() && any(stated, true) && any(stated, false)) {
    HeldTree rest(*tree, stated, *y);
    if (rest.factor(*y) == Status::kOk)
      fit.reduce([&](const Vector& r, Vector* state) { rest.add_velocity_change(r, state); });
  }
  const Sizes sizes = tree->sizes();
  Vector dv(sizes.nv);
  fit.reduce([&](const Vector& r, Vector* state) {
    tree->calc_change(r, dv);
    sizes.v(*state) += dv;
  });
  return fit.result();
}

}  // namespace haltere
