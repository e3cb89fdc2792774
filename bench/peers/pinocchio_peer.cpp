// Pinocchio's articulated-body algorithm. Compiled once for every x86-64 machine and once for this one.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/config.hpp>

#include "peers/peer.h"

namespace haltere::bench {
namespace {

Eigen::Vector3d eigen(const Triple& x) {
  return {x[0], x[1], x[2]};
}
Eigen::Matrix3d eigen(const Quaternion& q) {
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
}

pinocchio::Model make_model(const Machine& machine) {
  pinocchio::Model model;
  model.gravity.linear() = eigen(machine.gravity);
  std::vector<pinocchio::JointIndex> joints;
  for (const Link& link : machine.links) {
    const pinocchio::SE3 X_PJ(eigen(link.rotation), eigen(link.position));
    const pinocchio::JointIndex parent = link.parent < 0 ? 0 : joints[link.parent];
    const std::string name = "joint" + std::to_string(joints.size());
    joints.push_back(
        link.floating
            ? model.addJoint(parent, pinocchio::JointModelFreeFlyer(), X_PJ, name)
            : model.addJoint(parent, pinocchio::JointModelRevoluteUnaligned(eigen(link.axis)), X_PJ, name));
    const Eigen::Matrix3d R = eigen(link.principal);
    const Eigen::Matrix3d I = R * eigen(link.moments).asDiagonal() * R.transpose();
    model.appendBodyToJoint(joints.back(), pinocchio::Inertia(link.mass, eigen(link.center_of_mass), I),
                            pinocchio::SE3::Identity());
  }
  return model;
}

struct OwnState {
  Eigen::VectorXd q, v, tau;
};

/// Linear part first, base velocities in the axes of the base, quaternion x, y, z, w.
OwnState convert(const MachineState& state, bool floating) {
  const auto copy = [](const std::vector<double>& x) {
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
  };
  OwnState s{copy(state.q), copy(state.v), copy(state.tau)};
  if (!floating) return s;
  const Eigen::Vector4d orientation(s.q[1], s.q[2], s.q[3], s.q[0]);
  const Eigen::Matrix3d R = Eigen::Quaterniond(orientation).toRotationMatrix();
  const Eigen::Vector3d position = s.q.segment<3>(4), w = s.v.head<3>(), v = s.v.segment<3>(3);
  s.q.head<7>() << position, orientation;
  s.v.head<6>() << R.transpose() * v, R.transpose() * w;
  return s;
}

template <pinocchio::Convention kConvention>
class PinocchioPeer final : public Peer {
 public:
  explicit PinocchioPeer(const Machine& machine)
      : floating_(machine.floating()), model_(make_model(machine)), data_(model_) {}

  void set_states(const std::vector<MachineState>& states) override {
    for (const MachineState& state : states) states_.push_back(convert(state, floating_));
  }

  void evaluate(long n) override {
    for (long i = 0; i < n; ++i) {
      const OwnState& s = states_[i % states_.size()];
      pinocchio::aba(model_, data_, s.q, s.v, s.tau, kConvention);
    }
  }

  std::vector<double> calc_vdot(int state) override {
    const OwnState& s = states_[state];
    const Eigen::VectorXd a = pinocchio::aba(model_, data_, s.q, s.v, s.tau, kConvention);
    std::vector<double> vdot(a.begin(), a.end());
    if (!floating_) return vdot;
    // spatial acceleration of the base in its own axes -> classical one in world axes, angular part first
    const Eigen::Matrix3d R = Eigen::Quaterniond(s.q.segment<4>(3)).toRotationMatrix();
    const Eigen::Vector3d linear = a.head<3>() + s.v.segment<3>(3).cross(s.v.head<3>());
    Eigen::Map<Eigen::Vector3d>(vdot.data()) = R * a.segment<3>(3);
    Eigen::Map<Eigen::Vector3d>(vdot.data() + 3) = R * linear;
    return vdot;
  }

 private:
  const bool floating_;
  const pinocchio::Model model_;
  pinocchio::Data data_;
  std::vector<OwnState> states_;
};

template <pinocchio::Convention kConvention>
Peer* make(const Machine& machine) {
  return new PinocchioPeer<kConvention>(machine);
}

}  // namespace
}  // namespace haltere::bench

extern "C" const haltere::bench::PeerLibrary* haltere_peer_library() {
  using namespace haltere::bench;
  static const PeerLibrary library{
      "Pinocchio " PINOCCHIO_VERSION,
      {{"aba", make<pinocchio::Convention::LOCAL>}, {"aba, world", make<pinocchio::Convention::WORLD>}}};
  return &library;
}
