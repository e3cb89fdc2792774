#pragma once

#include <memory>
#include <string>
#include <vector>

#include "haltere/analysis/flow.h"
#include "haltere/analysis/mirror.h"
#include "haltere/analysis/periodic_orbit.h"
#include "haltere/simulate/channel_formula.h"

namespace haltere {

/// The question that find_orbit() asks: where a state comes to after a period, how far that is from where it
/// was, and how both change. Numbers are in scales: radians or length scales, for velocities times the rate
/// 2 pi / period (of a steady motion: a second).
class Shooting {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  /// A start, and the parameters it is for.
  struct Start {
    Vector y;
    std::vector<double> parameters;
  };
  /// What becomes of it, seen from a start near by (`from`): positions, then velocities.
  struct Outcome {
    std::string failure;  // empty: it was computed
    Vector start;         // minus `from`
    Vector end;           // minus `from`; of a steady motion the rates
    Vector targets;       // values of the formulas, less what they are to be
  };
  /// How outcomes change with the unknowns: state, then parameters.
  struct Slope {
    std::string failure;
    Matrix start, end, targets;
  };

  /// The request and the model must outlive it.
  Shooting(const OrbitRequest& request, const Model& model);

  bool is_periodic() const { return request_.trim.period.has_value(); }
  bool is_mirrored() const { return mirror_ != nullptr; }
  int n() const { return n_; }                                               // velocities
  int n_state() const { return static_cast<int>(Zx_.cols() + Zv_.cols()); }  // free directions
  int n_parameters() const { return static_cast<int>(request_.trim.parameters.size()); }
  double calc_period(const Start& start) const;
  const std::vector<StateCoordinate>& coordinates() const { return coordinates_; }
  const Vector& scales() const { return scales_; }  // of positions
  double rate() const { return rate_; }             // [1/s]
  const Matrix& position_directions() const { return Zx_; }
  const Matrix& velocity_directions() const { return Zv_; }
  Flow& flow() { return flow_; }

  /// The model's own; `slot` with another value, where one is given.
  Start make_start();
  std::vector<double> make_parameters(std::vector<double> table, int slot, double value) const;
  /// Put together, with other values of parameters: constraints may depend on them.
  std::string settle(Start* start);
  /// InputError unless the equations come back after a period (of a steady motion: do not depend on time),
  /// and look the same in the mirror.
  void check_time(const Start& start);
  /// The same unless they look alike where the coordinates are that have advanced, to `end` (of an Outcome).
  void check_drift(const Start& start, const Vector& end);

  /// Steps of the method, and directions that the constraints allow, for starts near this one.
  std::string prepare(const Start& start, bool choose_steps);
  /// Moves by x in scales, in the directions of prepare().
  std::string move(const Vector& x, Start* start);
  /// The increment that leads from one start to another.
  Vector calc_difference(const Vector& from, const Vector& to) const;
  /// The stretch of time that a start goes: the whole one, or one of equal parts of it.
  struct Part {
    int k = 0, of = 1;
    bool is_last() const { return k + 1 == of; }
  };
  /// Means of a part are its share of the whole.
  Outcome shoot(const Start& start, const Vector& from, const Part& part);
  Outcome shoot(const Start& start, const Vector& from) { return shoot(start, from, {}); }
  Slope differentiate(const Start& start, const Vector& from, const Part& part);
  Slope differentiate(const Start& start) { return differentiate(start, start.y, {}); }
  /// By what the accelerations of the start would change velocities in the time that it goes, in scales and
  /// rates.
  double calc_change(const Start& start);
  /// Steps of the method for one part.
  std::string choose_steps(const Start& start, const Part& part);
  bool has_constraints() const { return sizes_.na > 0; }
  /// Sizes of the parameters, which are unknowns in these units; after prepare().
  void set_parameter_units(const Start& start) { set_parameter_units(start, {}); }
  void set_parameter_units(const Start& start, const Part& part);
  double parameter_unit(int k) const { return parameter_units_[k]; }
  /// What the one who waits is told.
  OrbitProgress progress;

 private:
  void set_parameters(const std::vector<double>& table);
  Vector calc_rates(double t, const Vector& y);  // accelerations
  void compare_rates(const Vector& a, const Vector& b, const std::string& what,
                     const std::string& hint) const;
  double duration(const Start& start) const;  // [s]
  std::string add_means(const Start& start, const Part& part, Vector* end, Vector* means);

  const OrbitRequest& request_;
  const Model& model_;
  Flow flow_;
  std::unique_ptr<Mirror> mirror_;
  const std::vector<StateCoordinate> coordinates_;
  const Sizes sizes_;
  const int n_;
  Vector scales_;
  double rate_ = 1;
  Matrix Zx_, Zv_;  // directions of positions and velocities, in scales, orthonormal
  std::vector<double> parameter_units_;
  std::vector<bool> freed_;  // parameters that no longer follow their formula
  ChannelReader reader_;
};

}  // namespace haltere
