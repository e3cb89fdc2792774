#include "haltere/dynamics/singular_passage.h"

#include <algorithm>
#include <cmath>

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/formulation.h"

namespace haltere {
namespace {

// Between two states, in radians or length scales; how many on each side; how far to look for them, in steps.
// Six of 0.02 on each side: a polynomial of degree 11 over a quarter of a radian, good to about 1e-9 of the
// accelerations (decision 0010). The reach of 40 steps, 0.8 rad, is a choice.
constexpr double kStep = 0.02;
constexpr int kNodes = 6, kReach = 40;
// on each side: with fewer the way ends here, as at the longest reach of a machine; a choice
constexpr int kFewest = 4;
// where the number of weak rows is looked at once, in steps: beside any passage (0.16 to 0.48 rad)
constexpr int kLook[] = {8, -8, 16, -16, 24, -24};

// of the largest multiplier: loads of a branch that are told alike, to this part, by all states and by the
// inner ones have no pole here. The polynomial is good to about 1e-9; the room above that is a choice.
constexpr double kSmooth = 1e-6;

// the same of accelerations, of the largest of them; a choice, between the 1e-9 of smooth forces and the tenths of
// a stop
constexpr double kAlike = 1e-5;

using Spatials = std::vector<Vector6<double>>;

void add(double weight, const Spatials& from, Spatials* to) {
  to->resize(from.size(), Vector6<double>::Zero());
  for (std::size_t i = 0; i < from.size(); ++i) (*to)[i] += weight * from[i];
}

void add(double weight, const Eigen::VectorXd& from, Eigen::VectorXd* to) {
  if (to->size() != from.size()) to->setZero(from.size());
  *to += weight * from;
}

/// Weights of Lagrange's polynomials at tau = 0. The first `n_ahead` lie on one side, the others on the other.
template <class Node>
void set_weights(const std::vector<Node*>& nodes, int n_ahead) {
  const Node *first = nodes[n_ahead - 1], *last = nodes.back();
  for (Node* node : nodes) {
    node->weight = 1;
    for (const Node* other : nodes)
      if (other != node) node->weight *= other->tau / (other->tau - node->tau);
    // without the outermost their factors are missing in the product
    node->inner_weight = node == first || node == last ? 0
                                                       : node->weight * (first->tau - node->tau) /
                                                             first->tau * (last->tau - node->tau) / last->tau;
  }
}

/// Whether both polynomials tell the same accelerations: not where a force bends or jumps between the states.
/// `scales` of (q, v).
template <class Node>
bool tell_alike(const std::vector<Node*>& nodes, const Sizes& sizes, const Eigen::VectorXd& scales) {
  double apart = 0, size = 0;
  for (int i = sizes.nq; i < sizes.nq + sizes.nv; ++i) {
    if (!(scales[i] > 0)) continue;
    double difference = 0, largest = 0;
    for (const Node* node : nodes) {
      difference += (node->weight - node->inner_weight) * node->ydot[i];
      largest = std::max(largest, std::abs(node->ydot[i]));
    }
    apart = std::max(apart, std::abs(difference) / scales[i]);
    size = std::max(size, largest / scales[i]);
  }
  return apart <= kAlike * size;
}

/// What a solve for accelerations and multipliers tells.
struct Solution {
  Eigen::VectorXd vdot, tau, lambda;
  Spatials A_WB, F_reaction, F_constraint, lambda_constraint;

  void add(double weight, const Snapshot& at) {
    haltere::add(weight, at.vdot, &vdot);
    haltere::add(weight, at.tau, &tau);
    haltere::add(weight, at.lambda, &lambda);
    haltere::add(weight, at.A_WB, &A_WB);
    haltere::add(weight, at.F_reaction, &F_reaction);
    F_constraint.resize(at.constraints.size(), Vector6<double>::Zero());
    lambda_constraint.resize(at.constraints.size(), Vector6<double>::Zero());
    for (std::size_t i = 0; i < at.constraints.size(); ++i) {
      F_constraint[i] += weight * at.constraints[i].F;
      lambda_constraint[i] += weight * at.constraints[i].lambda;
    }
  }
  void write_accelerations(Snapshot* out) const {
    out->vdot = vdot;
    out->A_WB = A_WB;
  }
  void write_loads(Snapshot* out) const {
    out->tau = tau;
    out->lambda = lambda;
    out->F_reaction = F_reaction;
    for (std::size_t i = 0; i < out->constraints.size(); ++i) {
      out->constraints[i].F = F_constraint[i];
      out->constraints[i].lambda = lambda_constraint[i];
    }
  }
};

}  // namespace

void SingularPassage::resize(const Equations& equations) {
  const Sizes sizes = equations.sizes();
  if (zero_.size() == equations.n_change() && g_.size() == sizes.ng && moved_.size() == sizes.ny()) return;
  motion_.setZero(equations.n_change());
  dq_ = zero_ = motion_;
  moved_.setZero(sizes.ny());
  met_ = moved_;
  g_.setZero(sizes.ng);
  gdot_.setZero(sizes.na);
  const Node node{0, 0, 0, moved_, moved_};
  ahead_.assign(kNodes, node);
  behind_ = ahead_;
  moves_with_time_ = equations.has_moving_constraints();
}

/// The time in which the machine moves by kStep; 0: it rests.
double SingularPassage::calc_pace(const Equations& equations, ConstRef y) {
  equations.read_velocities(y, motion_);
  const double most = motion_.cwiseQuotient(equations.change_scales()).lpNorm<Eigen::Infinity>();
  return most > 0 ? kStep / most : 0;
}

/// y moved along its motion, into moved_.
void SingularPassage::move(double tau, ConstRef y, const Equations& equations) {
  moved_ = y;
  dq_ = tau * motion_;
  equations.shift(dq_, zero_, moved_);
}

int SingularPassage::count_usual(double t, ConstRef y, Stabilizer* stabilizer, Equations* equations) {
  int usual = equations->count_weak_rows();
  const double pace = usual > 0 ? calc_pace(*equations, y) : 0;
  if (pace == 0) return usual;
  for (const int i : kLook) {
    move(i * pace, y, *equations);
    const double when = moves_with_time_ ? t + i * pace : t;
    if (stabilizer->meet(when, moved_, equations, false) == Status::kOk)
      usual = std::min(usual, equations->count_weak_rows());
  }
  return usual;
}

SingularPassage::Place SingularPassage::find_place(double t, ConstRef y, Stabilizer* stabilizer,
                                                   Equations* equations) {
  const int weak = equations->count_weak_rows();
  const bool first = usual_ < 0;
  if (first) {
    resize(*equations);
    usual_ = count_usual(t, y, stabilizer, equations);
  }
  usual_ = std::min(usual_, weak);
  if (weak > usual_) return Place::kNear;
  return first ? Place::kUnclear : Place::kElsewhere;
}

bool SingularPassage::is_near(double t, ConstRef y, double ahead, Stabilizer* stabilizer,
                              Equations* equations) {
  resize(*equations);
  if (calc_pace(*equations, y) == 0) return false;
  move(ahead, y, *equations);
  met_ = moved_;
  const double when = moves_with_time_ ? t + ahead : t;
  return equations->calc_drift(when, met_, g_, gdot_) == Status::kOk &&
         find_place(when, met_, stabilizer, equations) == Place::kNear;
}

/// States with independent rows on one side of y; returns how many there are.
int SingularPassage::collect_side(double t, ConstRef y, double step, Node* nodes, Stabilizer* stabilizer,
                                  Equations* equations) {
  int n = 0;
  for (int i = 1; i <= kReach && n < kNodes; ++i) {
    const double tau = i * step, when = moves_with_time_ ? t + tau : t;
    move(tau, y, *equations);
    if (equations->calc_drift(when, moved_, g_, gdot_) != Status::kOk) break;
    if (equations->count_weak_rows() > usual_) continue;
    met_ = moved_;
    // where rows are independent again and still cannot be met the way ends: a machine at its longest reach
    if (stabilizer->meet(when, met_, equations, true) != Status::kOk) break;
    Node& node = nodes[n];
    if (equations->calc_met_ydot(when, met_, node.ydot) != Status::kOk) break;
    node.tau = tau;
    node.correction = met_ - moved_;
    ++n;
  }
  return n;
}

/// States on both sides, with the weights of Lagrange's polynomial at y; none where there are too few, or where
/// what they tell is not smooth.
std::span<SingularPassage::Node* const> SingularPassage::collect(double t, ConstRef y, Stabilizer* stabilizer,
                                                                 Equations* equations) {
  resize(*equations);
  const double pace = calc_pace(*equations, y);
  if (pace == 0) return {};
  const int n_ahead = collect_side(t, y, pace, ahead_.data(), stabilizer, equations),
            n_behind = collect_side(t, y, -pace, behind_.data(), stabilizer, equations);
  if (n_ahead < kFewest || n_behind < kFewest) return {};
  nodes_.clear();
  for (int i = 0; i < n_ahead; ++i) nodes_.push_back(&ahead_[i]);
  for (int i = 0; i < n_behind; ++i) nodes_.push_back(&behind_[i]);
  set_weights(nodes_, n_ahead);
  if (!tell_alike(nodes_, equations->sizes(), equations->formulation().layout().scales)) return {};
  return nodes_;
}

bool SingularPassage::pass(double t, Ref y, Ref ydot, Stabilizer* stabilizer, Equations* equations) {
  const std::span<Node* const> nodes = collect(t, y, stabilizer, equations);
  if (nodes.empty()) return false;
  const Sizes sizes = equations->sizes();
  met_.setZero();
  moved_.setZero();
  for (const Node* node : nodes) {
    met_ += node->weight * node->correction;
    moved_ += node->weight * node->ydot;
  }
  sizes.qv(y) += sizes.qv(met_);
  equations->normalize(y, ydot);
  equations->calc_qdot(t, y, ydot);
  ydot.tail(sizes.ny() - sizes.nq) = moved_.tail(sizes.ny() - sizes.nq);
  return true;
}

bool SingularPassage::observe(double t, ConstRef y, Stabilizer* stabilizer, Equations* equations,
                              Snapshot* out) {
  const Place place = find_place(t, y, stabilizer, equations);
  if (place != Place::kNear) return place == Place::kUnclear;
  const std::span<Node* const> nodes = collect(t, y, stabilizer, equations);
  if (nodes.empty()) return true;
  Snapshot there;
  Solution branch;
  Eigen::VectorXd lambda;  // by the inner states
  for (const Node* node : nodes) {
    move(node->tau, y, *equations);
    met_ = moved_ + node->correction;
    const double when = moves_with_time_ ? t + node->tau : t;
    if (equations->observe_met(when, met_, &there) != Status::kOk) return true;
    branch.add(node->weight, there);
    add(node->inner_weight, there.lambda, &lambda);
  }
  branch.write_accelerations(out);
  const double apart = (branch.lambda - lambda).lpNorm<Eigen::Infinity>();
  if (apart <= kSmooth * lambda.lpNorm<Eigen::Infinity>()) branch.write_loads(out);
  return true;
}

}  // namespace haltere
