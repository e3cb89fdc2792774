// MuJoCo's smooth forward dynamics: composite-body mass matrix, sparse factorisation, recursive Newton-Euler
// bias.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <mujoco/mujoco.h>

#include "peers/peer.h"

namespace haltere::bench {
namespace {

mjModel* make_model(const Machine& machine) {
  const std::vector<TextFile> texts = write_mjcf(machine);
  mjVFS* files = static_cast<mjVFS*>(std::malloc(sizeof(mjVFS)));  // too large for the stack
  mj_defaultVFS(files);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = texts[i].text;
    mj_makeEmptyFileVFS(files, texts[i].name.c_str(), static_cast<int>(text.size()));
    std::memcpy(files->filedata[i], text.data(), text.size());
  }
  char error[1000] = "";
  mjModel* model = mj_loadXML(texts[0].name.c_str(), files, error, sizeof(error));
  mj_deleteVFS(files);
  std::free(files);
  if (model != nullptr) return model;
  std::fprintf(stderr, "MuJoCo does not take the machine '%s': %s\n", machine.name.c_str(), error);
  std::exit(1);
}

class MujocoPeer : public Peer {
 public:
  explicit MujocoPeer(const Machine& machine)
      : floating_(machine.floating()), model_(make_model(machine)), data_(mj_makeData(model_)) {}
  ~MujocoPeer() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void set_states(const std::vector<MachineState>& states) override {
    for (const MachineState& state : states) states_.push_back(convert(state));
  }

  void evaluate(long n) override {
    for (long i = 0; i < n; ++i) update(states_[i % states_.size()]);
  }

  std::vector<double> calc_vdot(int state) override {
    update(states_[state]);
    std::vector<double> vdot(data_->qacc, data_->qacc + model_->nv);
    if (!floating_) return vdot;
    const Quaternion orientation{data_->qpos[3], data_->qpos[4], data_->qpos[5], data_->qpos[6]};
    const Triple alpha = rotate(orientation, {vdot[3], vdot[4], vdot[5]});
    for (int i = 0; i < 3; ++i) vdot[3 + i] = vdot[i];
    for (int i = 0; i < 3; ++i) vdot[i] = alpha[i];
    return vdot;
  }

 protected:
  /// qacc of this state.
  virtual void update(const MachineState& state) = 0;

  void set_state(const MachineState& s) const {
    std::memcpy(data_->qpos, s.q.data(), s.q.size() * sizeof(double));
    std::memcpy(data_->qvel, s.v.data(), s.v.size() * sizeof(double));
    std::memcpy(data_->qfrc_applied, s.tau.data(), s.tau.size() * sizeof(double));
  }

  /// Position before orientation, velocity before angular velocity, the latter in the axes of the base.
  MachineState convert(MachineState s) const {
    if (!floating_) return s;
    const Quaternion orientation{s.q[0], s.q[1], s.q[2], s.q[3]};
    const Triple w = rotate_back(orientation, {s.v[0], s.v[1], s.v[2]});
    for (int i = 0; i < 3; ++i) s.q[i] = s.q[4 + i];
    for (int i = 0; i < 4; ++i) s.q[3 + i] = orientation[i];
    for (int i = 0; i < 3; ++i) s.v[i] = s.v[3 + i];
    for (int i = 0; i < 3; ++i) s.v[3 + i] = w[i];
    return s;
  }

  const bool floating_;
  mjModel* const model_;
  mjData* const data_;
  std::vector<MachineState> states_;
};

/// Only what smooth accelerations need: the fewest calls by which MuJoCo can be asked for them.
class SmoothPeer final : public MujocoPeer {
 public:
  using MujocoPeer::MujocoPeer;

 private:
  void update(const MachineState& state) override {
    set_state(state);
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    mj_crb(model_, data_);
    mj_factorM(model_, data_);
    mj_comVel(model_, data_);
    mj_rne(model_, data_, 0, data_->qfrc_bias);
    mju_sub(data_->qfrc_smooth, data_->qfrc_applied, data_->qfrc_bias, model_->nv);
    mj_solveM(model_, data_, data_->qacc, data_->qfrc_smooth, 1);
  }
};

/// What its users call, with constraints, contacts, actuators and sensors switched off.
class ForwardPeer final : public MujocoPeer {
 public:
  using MujocoPeer::MujocoPeer;

 private:
  void update(const MachineState& state) override {
    set_state(state);
    mj_forward(model_, data_);
  }
};

template <class P>
Peer* make(const Machine& machine) {
  return new P(machine);
}

}  // namespace
}  // namespace haltere::bench

extern "C" const haltere::bench::PeerLibrary* haltere_peer_library() {
  using namespace haltere::bench;
  static const std::string version = std::string("MuJoCo ") + mj_versionString();
  static const PeerLibrary library{version.c_str(),
                                   {{"smooth", make<SmoothPeer>}, {"mj_forward", make<ForwardPeer>}}};
  return &library;
}
