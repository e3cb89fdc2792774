#include "haltere/aero/lattice/wind_tunnel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haltere {
namespace {

using Vector = Vector3<double>;

// of angles and of rates without dimension: coefficients are smooth, central differences of this width are right to
// its square, and lose half of the digits
constexpr double kTurn = 1e-4;

/// Axes of the stream.
struct StreamAxes {
  Vector back, lift, right;
  StreamAxes(const Vector& stream, const Vector& up) : back(stream.normalized()) {
    lift = (up - up.dot(back) * back).normalized();
    right = lift.cross(back);
  }
};

class Tunnel {
 public:
  Tunnel(double t, const TunnelModel& model, VortexAir* air) : t_(t), model_(model), air_(air) {}

  TunnelReading read() {
    air_->settle(t_, model_.motions);
    reading_.reference = model_.reference;
    reading_.stream = air_->mean_stream();
    const StreamAxes axes(reading_.stream, model_.up);
    measure_wings(axes);
    reading_.dynamic_pressure = model_.density / 2 * reading_.stream.squaredNorm();
    for (std::size_t s = 0; s < model_.motions.size(); ++s) {
      reading_.surfaces.push_back(calc_coefficients(static_cast<int>(s), axes));
      add_strips(static_cast<int>(s), axes);
    }
    reading_.total = calc_total(axes);
    reading_.CD_far = air_->calc_far_drag() / (reading_.dynamic_pressure * reading_.area);
    for (std::size_t k = 0; k < TunnelReading::kVariables.size(); ++k)
      reading_.derivatives[k] = differentiate(static_cast<int>(k), axes);
    return reading_;
  }

 private:
  /// Area of all panels, and how far they reach across the stream: of wings, where there are some.
  void measure_wings(const StreamAxes& axes) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    bool has_wings = false;
    for (int s = 0; s < air_->n_surfaces(); ++s) has_wings |= !air_->lattice(s).is_closed();
    for (int s = 0; s < air_->n_surfaces(); ++s) {
      const Lattice& lattice = air_->lattice(s);
      if (has_wings && lattice.is_closed()) continue;
      for (const double area : lattice.areas()) reading_.area += area;
      for (int i = 0; i <= lattice.rows(); ++i)
        for (int j = 0; j <= lattice.columns(); ++j) {
          const double y = lattice.corner(i, j).dot(axes.right);
          least = std::min(least, y);
          most = std::max(most, y);
        }
    }
    reading_.span = most - least;
    reading_.chord = reading_.area / reading_.span;
  }

  AirCoefficients calc_coefficients(int surface, const StreamAxes& axes) const {
    Vector force = Vector::Zero(), moment = Vector::Zero();
    for (const PointForce& f : air_->calc_forces(surface, model_.loads[surface])) {
      force += f.force;
      moment += (f.point - model_.reference).cross(f.force);
    }
    const double scale = reading_.dynamic_pressure * reading_.area;
    return {.CL = force.dot(axes.lift) / scale,
            .CD = force.dot(axes.back) / scale,
            .CY = force.dot(axes.right) / scale,
            .Cl = -moment.dot(axes.back) / (scale * reading_.span),
            .Cm = moment.dot(axes.right) / (scale * reading_.chord),
            .Cn = -moment.dot(axes.lift) / (scale * reading_.span)};
  }

  AirCoefficients calc_total(const StreamAxes& axes) const {
    AirCoefficients sum;
    for (int s = 0; s < air_->n_surfaces(); ++s) add(1, calc_coefficients(s, axes), &sum);
    return sum;
  }

  static void add(double factor, const AirCoefficients& a, AirCoefficients* sum) {
    sum->CL += factor * a.CL;
    sum->CD += factor * a.CD;
    sum->CY += factor * a.CY;
    sum->Cl += factor * a.Cl;
    sum->Cm += factor * a.Cm;
    sum->Cn += factor * a.Cn;
  }

  void add_strips(int surface, const StreamAxes& axes) {
    const Lattice& lattice = air_->lattice(surface);
    if (lattice.is_closed()) {
      reading_.strips.emplace_back();
      return;
    }
    const std::vector<double> lifts = air_->calc_column_forces(surface, model_.loads[surface], axes.lift);
    std::vector<TunnelReading::Strip>& strips = reading_.strips.emplace_back();
    for (int j = 0; j < lattice.columns(); ++j) {
      double area = 0;
      Vector middle = Vector::Zero();
      for (int i = 0; i < lattice.rows(); ++i) {
        area += lattice.areas()[lattice.panel(i, j)];
        middle += lattice.middles()[lattice.panel(i, j)] / lattice.rows();
      }
      const Vector across = lattice.corner(0, j + 1) - lattice.corner(0, j);
      const double width = (across - across.dot(axes.back) * axes.back).norm();
      strips.push_back({.place = (middle - model_.reference).dot(axes.right),
                        .width = width,
                        .chord = area / width,
                        .cl = lifts[j] / (reading_.dynamic_pressure * area)});
    }
  }

  /// The same wings as they see the stream turned, or turn themselves: only how they move against the air counts.
  AirCoefficients calc_at(int variable, double turn, const StreamAxes& axes) {
    const double speed = reading_.stream.norm();
    Vector stream = reading_.stream, rate = Vector::Zero();
    switch (variable) {
      case 0:
        stream = speed * (std::cos(turn) * axes.back + std::sin(turn) * axes.lift);
        break;
      case 1:
        stream = speed * (std::cos(turn) * axes.back - std::sin(turn) * axes.right);
        break;
      case 2:
        rate = -turn * 2 * speed / reading_.span * axes.back;
        break;
      case 3:
        rate = turn * 2 * speed / reading_.chord * axes.right;
        break;
      default:
        rate = -turn * 2 * speed / reading_.span * axes.lift;
    }
    std::vector<VortexAir::Motion> motions = model_.motions;
    for (VortexAir::Motion& motion : motions)
      for (std::size_t i = 0; i < motion.corners.size(); ++i)
        motion.velocities[i] += reading_.stream - stream + rate.cross(motion.corners[i] - model_.reference);
    air_->settle(t_, motions);
    return calc_total(StreamAxes(stream, model_.up));
  }

  AirCoefficients differentiate(int variable, const StreamAxes& axes) {
    AirCoefficients slope;
    add(1 / (2 * kTurn), calc_at(variable, kTurn, axes), &slope);
    add(-1 / (2 * kTurn), calc_at(variable, -kTurn, axes), &slope);
    return slope;
  }

  double t_;
  const TunnelModel& model_;
  VortexAir* air_;
  TunnelReading reading_;
};

}  // namespace

TunnelReading measure_in_tunnel(double t, const TunnelModel& model, VortexAir* air) {
  return Tunnel(t, model, air).read();
}

}  // namespace haltere
