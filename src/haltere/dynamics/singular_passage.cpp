#include "haltere/dynamics/singular_passage.h"

#include <algorithm>
#include <array>

#include "haltere/dynamics/equations.h"

namespace haltere {
namespace {

// between two states, in radians or length scales; how many on each side; how far to look for them
constexpr double kStep = 0.02;
constexpr int kNodes = 6, kReach = 40;
constexpr int kFewest = 4;
// where the number of weak rows is looked at once, in steps
constexpr int kLook[] = {8, -8, 16, -16, 24, -24};

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
  const Node node{0, moved_, moved_};
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
int SingularPassage::collect(double t, ConstRef y, double step, Node* nodes, Stabilizer* stabilizer,
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

bool SingularPassage::pass(double t, Ref y, Ref ydot, Stabilizer* stabilizer, Equations* equations) {
  resize(*equations);
  const double pace = calc_pace(*equations, y);
  if (pace == 0) return false;
  const int n_ahead = collect(t, y, pace, ahead_.data(), stabilizer, equations),
            n_behind = collect(t, y, -pace, behind_.data(), stabilizer, equations);
  if (n_ahead < kFewest || n_behind < kFewest) return false;
  std::array<const Node*, 2 * kNodes> nodes{};
  for (int i = 0; i < n_ahead; ++i) nodes[i] = &ahead_[i];
  for (int i = 0; i < n_behind; ++i) nodes[n_ahead + i] = &behind_[i];
  combine(t, std::span(nodes).first(n_ahead + n_behind), y, ydot, equations);
  return true;
}

/// Lagrange's polynomial at tau = 0.
void SingularPassage::combine(double t, std::span<const Node* const> nodes, Ref y, Ref ydot,
                              Equations* equations) {
  const Sizes sizes = equations->sizes();
  met_.setZero();
  moved_.setZero();
  for (const Node* node : nodes) {
    double weight = 1;
    for (const Node* other : nodes)
      if (other != node) weight *= other->tau / (other->tau - node->tau);
    met_ += weight * node->correction;
    moved_ += weight * node->ydot;
  }
  y.head(sizes.nq + sizes.nv) += met_.head(sizes.nq + sizes.nv);
  equations->normalize(y, ydot);
  equations->calc_qdot(t, y, ydot);
  ydot.tail(sizes.ny() - sizes.nq) = moved_.tail(sizes.ny() - sizes.nq);
}

}  // namespace haltere
