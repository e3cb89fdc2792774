#include "peers/haltere_peer.h"

#include "haltere/io/model/model_reader.h"

namespace haltere::bench {

HalterePeer::HalterePeer(const Machine& machine, const std::vector<double>* driven)
    : model_(
          std::make_unique<Model>(read_model_text(write_haltere(machine, driven), machine.name + ".yaml"))),
      equations_(make_equations("recursive", *model_)),
      ydot_(equations_->sizes().ny()) {}

void HalterePeer::set_states(const std::vector<MachineState>& states) {
  for (const MachineState& state : states) {
    Eigen::VectorXd y = Eigen::VectorXd::Zero(equations_->sizes().ny());
    std::copy(state.q.begin(), state.q.end(), y.begin());
    std::copy(state.v.begin(), state.v.end(), y.begin() + equations_->sizes().nq);
    states_.push_back(std::move(y));
  }
}

void HalterePeer::evaluate(long n) {
  for (long i = 0; i < n; ++i) equations_->calc_ydot(0, states_[i % states_.size()], ydot_);
}

std::vector<double> HalterePeer::calc_vdot(int state) {
  const Sizes sizes = equations_->sizes();
  if (equations_->calc_ydot(0, states_[state], ydot_) != Status::kOk) return {};
  const double* vdot = ydot_.data() + sizes.nq;
  return {vdot, vdot + sizes.nv};
}

}  // namespace haltere::bench
