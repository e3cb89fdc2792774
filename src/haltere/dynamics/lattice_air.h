#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "haltere/aero/lattice/wind_tunnel.h"
#include "haltere/dynamics/environment.h"
#include "haltere/dynamics/local_jets.h"
#include "haltere/model/model.h"
#include "haltere/model/surfaces/planform.h"

namespace haltere {

/// The air around the `vortex-lattice` and `vortex-body` surfaces of a machine, with their wakes. It goes in the steps that the model
/// says. Its loads are those of the end of a step where the motion has come to it (a row there has them), and
/// before that those of the step before, in the axes of the body: right for motions that are prescribed, and wings
/// that are not are refused.
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
  void observe(const Scene<double>& scene, Snapshot* out) const override;
  double drawing_step() const override { return step_; }
  void add_sheets(const Scene<double>& motion, std::vector<VortexSheet>* sheets) const override;
  void visit_state(Archive& archive) override;
  bool settle() override;
  std::vector<std::string> list_notes() const override;
  /// What a wind tunnel would say of this motion, kept up for ever, about the origin of the first wing's body. Nothing
  /// where no air moves against the wings.
  std::optional<TunnelReading> measure(const Scene<double>& scene) const;
  /// Of the model's surfaces, in the order of a reading.
  std::vector<std::string> surface_names() const;

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
  };
  static void share(const Wing& wing, const std::vector<PointForce>& forces, const Scene<double>& scene,
                    std::vector<Vector6<double>>* wrenches);
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
  void require_held(const Wing& wing) const;
  void require_finite(double t) const;

  const Model& model_;
  std::vector<double> parameters_;  // that the laws of the wings read
  LocalJets locals_;                // that their flaps read
  std::vector<Wing> wings_;
  double step_ = 0;  // of the steps to come                                                           [s]
  double next_ =
      std::numeric_limits<double>::infinity();  // the end of the present one, once it has begun   [s]
  double grid_ = 0;  // where steps of this length began ...                                           [s]
  long steps_ = 0;   // ... and how many of them end with the present one
  bool settled_ = false;
  std::unique_ptr<Moment> now_;
  /// The end of the present step, for the motion that was asked for last, if there was one. The two take turns: no memory is
  /// asked for in a step, once the wakes have their length.
  mutable std::unique_ptr<Moment> ahead_;
  mutable bool knows_end_ = false;
  // workspace
  mutable std::vector<VortexAir::Motion> asked_;
  mutable std::vector<PointForce> forces_;
};

}  // namespace haltere
