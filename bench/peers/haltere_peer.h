#pragma once

#include <memory>

#include "peers/peer.h"

#include "haltere/dynamics/equations.h"

namespace haltere::bench {

/// haltere's right-hand side: rates of the positions, accelerations, and with `driven` joints the work that
/// each motor does. Driven torques are part of the model, so one such peer knows the first state only.
class HalterePeer final : public Peer {
 public:
  HalterePeer(const Machine& machine, const std::vector<double>* driven);

  void set_states(const std::vector<MachineState>& states) override;
  void evaluate(long n) override;
  std::vector<double> calc_vdot(int state) override;

 private:
  std::unique_ptr<Model> model_;
  std::unique_ptr<Equations> equations_;
  std::vector<Eigen::VectorXd> states_;
  Eigen::VectorXd ydot_;
};

}  // namespace haltere::bench
