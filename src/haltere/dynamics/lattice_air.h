#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "haltere/aero/lattice/wind_tunnel.h"
#include "haltere/dynamics/air_coupling.h"
#include "haltere/dynamics/environment.h"
#include "haltere/dynamics/local_jets.h"
#include "haltere/model/model.h"
#include "haltere/model/surfaces/planform.h"

namespace haltere {

/// The air around the `vortex-lattice` and `vortex-body` surfaces of a machine, with their wakes. It goes in the steps that the model
/// says. Around wings that are led its loads are those of the end of a step where the motion has come to it (a row there
/// has them), and before that those of the step before, in the axes of the body. Wings that are free it is coupled with.
class LatticeAir final : public Environment {
 public:
  explicit LatticeAir(const Model& model);

  std::string name() const override { return "air"; }
  std::vector<BodyIndex> bodies() const override;
  void set_machine(const Machine<double>& machine) override;
  void start(const Scene<double>& motion) override;
  double next_time() const override { return next_; }
  void advance(const Scene<double>& motion) override;
  Account<double> add_load(const Scene<double>& scene, Loads<double>* loads) const override;
  std::vector<BodyIndex> coupled_bodies() const override;
  void guess(const Scene<double>& now) override;
  void weigh(const Scene<double>& now, const Eigen::MatrixXd& response) override;
  bool agree(const Scene<double>& end) override;
  void observe(const Scene<double>& scene, Snapshot* out) const override;
  double drawing_step() const override { return step_; }
  void add_sheets(const Scene<double>& motion, std::vector<VortexSheet>* sheets) const override;
  void visit_state(Archive& archive) override;
  bool settle() override;
  double settled_size() const override {
    const std::vector<Vector3<double>>& corners = first_wing().carried.corners;
    return settled_ && tells_slopes_ ? (corners.back() - corners.front()).norm() : 0;
  }
  /// No: tangents do without how settled loads change, for who knows better.
  void tell_slopes(bool yes) { tells_slopes_ = yes; }
  std::vector<std::string> list_notes() const override;
  /// What a wind tunnel would say of this motion, kept up for ever, about the origin of the first wing's body. Nothing
  /// where no air moves against the wings.
  std::optional<TunnelReading> measure(const Scene<double>& scene) const;
  /// Of the model's surfaces, in the order of a reading.
  std::vector<std::string> surface_names() const;
  /// Wings that are free: small motions of the machine change its loads.
  bool is_free() const { return !is_led_; }
  /// Those that carry its wings and are no ground.
  std::vector<BodyIndex> moving_bodies() const;
  class Feedback;  // lattice_feedback.h

 private:
  struct Wing {
    int surface;  // of the model
    VortexLattice<double> kind;
    CarriedWing carried;
  };
  /// Of each wing by each formula on each of its bodies, at the origin and in the axes of the body.
  using Wrenches = std::vector<std::vector<std::vector<Vector6<double>>>>;
  /// The air at one time, for one motion of the wings.
  struct Moment {
    VortexAir air;
    std::vector<VortexAir::Motion> motions;
    Wrenches wrenches;
    std::vector<std::vector<Vector3<double>>> strips;  // of each wing: share_strips()
  };
  static void share(const Wing& wing, const std::vector<PointForce>& forces, const Scene<double>& scene,
                    std::vector<Vector6<double>>* wrenches);
  static void share_strips(const Wing& wing, const std::vector<PointForce>& forces,
                           const Scene<double>& scene, std::vector<Vector3<double>>* strips);
  void calc_motions(const Scene<double>& scene, bool is_settled,
                    std::vector<VortexAir::Motion>* motions) const;
  void update_wrenches(const Scene<double>& scene, Moment* moment) const;
  const Wing& first_wing() const;
  void make_air(VortexAir::Settings settings, const std::vector<LatticeSpec>& specs);
  const Moment& find_moment(const Scene<double>& scene) const;
  std::string say_size() const;
  void require_one_air() const;
  void require_before_planes(double t, const std::vector<VortexAir::Motion>& motions) const;
  VortexAir::Settings make_settings(const Resolver<double>& resolver) const;
  /// What keeps a wing from being led at all times, or "".
  std::string find_freedom(const Wing& wing) const;
  void require_finite(double t) const;
  void require_whole(const Wing& wing) const;

  // -- coupled with the machine
  bool is_coupled() const { return coupling_ != nullptr && !settled_; }
  bool is_strong() const { return wings_.front().kind.coupling == Coupling::kStrong; }
  void make_coupling();
  AirCoupling::Rates calc_rates(const Moment& moment) const;
  Eigen::VectorXd calc_twists(const Scene<double>& scene) const;
  Eigen::VectorXd gather_loads(const Moment& moment) const;
  void calc_unit_velocities(const Scene<double>& scene, const std::vector<VortexAir::Motion>& motions,
                            int body, int axis, std::vector<std::vector<Vector3<double>>>* velocities) const;
  Eigen::MatrixXd calc_matrix(const Scene<double>& scene, const std::vector<VortexAir::Motion>& motions,
                              VortexAir* air) const;
  Account<double> add_coupled_load(const Scene<double>& scene, Loads<double>* loads) const;
  std::vector<Vector6<double>> calc_acting(int wing, const Scene<double>& scene, const Snapshot& out) const;

  const Model& model_;
  std::vector<double> parameters_;  // that the laws of the wings read
  LocalJets locals_;                // that their flaps read
  std::vector<Wing> wings_;
  double step_ = 0;  // of the steps to come                                                           [s]
  double next_ =
      std::numeric_limits<double>::infinity();  // the end of the present one, once it has begun   [s]
  double grid_ = 0;  // where steps of this length began ...                                           [s]
  long steps_ = 0;   // ... and how many of them end with the present one
  bool settled_ = false, tells_slopes_ = true;
  std::unique_ptr<Moment> now_;
  /// The end of the present step, for the motion that was asked for last, if there was one. The two take turns: no memory is
  /// asked for in a step, once the wakes have their length.
  mutable std::unique_ptr<Moment> ahead_;
  mutable bool knows_end_ = false;
  mutable std::unique_ptr<Moment>
      carried_;  // of what is coupled: wakes at the end of the step, wings at its begin
  mutable bool is_carried_ = false;
  // of what is coupled
  bool is_led_ = true;                       // all wings, at all times
  std::vector<int> slots_;                   // bodies that move, on whose twists its loads depend
  std::vector<std::pair<int, int>> shares_;  // wing, place among its bodies
  std::unique_ptr<AirCoupling> coupling_;    // none where all wings are led
  Eigen::MatrixXd K_;                        // at the begin of the step, as it weighs on the machine
  double mass_ratio_ = 0;                    // of the air to the machine
  long coupled_steps_ = 0, iterations_ = 0;  // so far
  int most_iterations_ = 0;                  // of a step
  // workspace
  mutable std::vector<VortexAir::Motion> asked_;
  mutable std::vector<PointForce> forces_;
};

}  // namespace haltere
