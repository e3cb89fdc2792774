#include "haltere/analysis/layout.h"

#include "haltere/model/joints.h"

namespace haltere {

Layout::Layout(const Model& model, const std::vector<double>& parameters) {
  const Resolver<double> resolver{parameters.data()};
  std::optional<Vector3<double>> center;  // axes go through the first joint on the world
  int q = 0;
  for (int j = 0; j < model.n_tree(); ++j) {
    const JointSpec& joint = model.joints[j];
    Transform<double> X_WF;
    if (joint.parent.value == 0) {
      X_WF = joint.parent_frame.calc_X<double>(resolver);
      const auto any = resolve<JointKinds, double>(joint.entry, resolver);
      X_WF = X_WF * std::visit([](const auto& kind) { return kind.calc_alignment(); }, any);
      if (!center) center = X_WF.p;
      X_WF.p -= *center;
    }
    add_joint(joint, X_WF, q);
    const bool turns = joint.nq() > joint.nv() && !joint.prescribed_sequence;
    q += turns ? 1 : 0;
    for (int k = 0; k < joint.nv(); ++k)
      if (joint.mode(k) != CoordinateMode::kPrescribed) {
        ++n_;
        ++q;
      }
  }
}

/// Its free coordinates start at n_ and, in the positions, at q.
void Layout::add_joint(const JointSpec& joint, const Transform<double>& X_WF, int q) {
  const bool in_world = joint.parent.value == 0;
  int v = n_;
  int k = 0;
  if (joint.nq() > joint.nv()) {
    if (!joint.prescribed_sequence) {
      blocks_.push_back({v, X_WF.R, true, in_world, q, {}});
      v += 3;
      q += 4;
    }
    k = 3;
  }
  if (!in_world) return;
  const bool is_planar = joint.nv() == 3 && joint.motion(0) == Motion::kLength;
  Block lengths{v, {}, false, true, q, X_WF.p};
  for (int i = 0; k < joint.nv(); ++k) {
    if (joint.mode(k) == CoordinateMode::kPrescribed) continue;
    if (joint.motion(k) == Motion::kAngle) {
      // about z of the aligned frame; the second angle of a universal joint is about an axis that moves
      if (k == 0 || is_planar) hinges_.push_back({v + i, X_WF.R.col(2)});
    } else {
      const int axis = joint.nv() == 6 ? k - 3 : is_planar ? k : 2;
      lengths.axes.conservativeResize(3, lengths.size() + 1);
      lengths.axes.col(lengths.size() - 1) = X_WF.R.col(axis);
    }
    ++i;
  }
  if (lengths.size() > 0 && (joint.nv() == 6 || is_planar)) blocks_.push_back(lengths);
}

Layout::Layout(const Model& model) {
  const int n_bodies = static_cast<int>(model.bodies.size());
  int q = 0;
  for (int b = 1; b < n_bodies; ++b, n_ += 6, q += 7) {
    blocks_.push_back({n_, Matrix3<double>::Identity(), true, true, q + 3, {}});
    blocks_.push_back({n_ + 3, Matrix3<double>::Identity(), false, true, q, Vector3<double>::Zero()});
  }
}

Eigen::VectorXd Layout::calc_turn(const Vector3<double>& axis, ConstRef q) const {
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(n_);
  for (const Block& block : blocks_) {
    if (!block.in_world) continue;
    Vector3<double> vector = axis;
    if (!block.is_turn) vector = axis.cross(block.origin + block.axes * q.segment(block.q, block.size()));
    rate.segment(block.start, block.size()) = block.axes.transpose() * vector;
  }
  for (const Hinge& hinge : hinges_) rate[hinge.v] = hinge.axis.dot(axis);
  return rate;
}

Eigen::MatrixXd Layout::calc_turn_slope(const Vector3<double>& axis) const {
  Eigen::MatrixXd slope = Eigen::MatrixXd::Zero(n_, n_);
  for (const Block& block : blocks_)
    if (block.in_world && !block.is_turn)
      slope.block(block.start, block.start, block.size(), block.size()) =
          block.axes.transpose() * skew<double>(axis) * block.axes;
  return slope;
}

Eigen::MatrixXd Layout::calc_rate(const Vector3<double>& axis) const {
  Eigen::MatrixXd rate = Eigen::MatrixXd::Zero(n_, n_);
  for (const Block& block : blocks_)
    if (block.in_world)
      rate.block(block.start, block.start, block.size(), block.size()) =
          block.axes.transpose() * skew<double>(axis) * block.axes;
  return rate;
}

Eigen::MatrixXd Layout::calc_carry(ConstRef v) const {
  Eigen::MatrixXd carry = Eigen::MatrixXd::Zero(n_, n_);
  for (const Block& block : blocks_)
    if (block.is_turn) carry.block<3, 3>(block.start, block.start) = skew<double>(v.segment<3>(block.start));
  return carry;
}

Eigen::MatrixXd Layout::calc_child_axes(ConstRef q) const {
  Eigen::MatrixXd axes = Eigen::MatrixXd::Identity(n_, n_);
  for (const Block& block : blocks_)
    if (block.is_turn)
      axes.block<3, 3>(block.start, block.start) = rotation_of<double>(q.segment<4>(block.q));
  return axes;
}

}  // namespace haltere
