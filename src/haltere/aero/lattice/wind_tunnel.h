#pragma once

#include <string_view>
#include <vector>

#include "haltere/aero/lattice/vortex_air.h"

namespace haltere {

/// Forces and moments without dimension, axes of the stream: drag along it, lift up, side force to the right; roll
/// right wing down, pitch nose up, yaw nose right, about the reference point.
struct AirCoefficients {
  double CL = 0, CD = 0, CY = 0;  // of q S
  double Cl = 0, Cm = 0, Cn = 0;  // of q S b, q S c, q S b
};

/// What a wind tunnel says of wings that are held, or move steadily, in a settled air.
struct TunnelReading {
  Vector3<double> reference = Vector3<double>::Zero();         // point of the moments           [m]
  Vector3<double> stream = Vector3<double>::Zero();            // the air against the wings      [m/s]
  double dynamic_pressure = 0, area = 0, span = 0, chord = 0;  // q, S, b, c = S/b   [Pa, m2, m, m]
  AirCoefficients total;
  double CD_far = 0;  // of the flow far behind
  std::vector<AirCoefficients> surfaces;
  /// Of a column of panels.
  struct Strip {
    double place = 0, width = 0,
           chord = 0;  // to the right of the reference, in the plane across the stream  [m]
    double cl = 0;     // of its own area
  };
  std::vector<std::vector<Strip>> strips;  // of each surface
  /// Rates of change with angle of attack, angle of sideslip (wind from the right) and the rates of roll, pitch and
  /// yaw, these as p b/(2 V), q c/(2 V), r b/(2 V).                                             [1/rad]
  static constexpr std::array<std::string_view, 5> kVariables{"alpha", "beta", "p", "q", "r"};
  std::array<AirCoefficients, kVariables.size()> derivatives;
};

/// The wings in it.
struct TunnelModel {
  std::vector<VortexAir::Motion> motions;
  std::vector<LatticeLoad> loads;                       // which formula holds for each surface
  Vector3<double> reference = Vector3<double>::Zero();  //                                               [m]
  Vector3<double> up = Vector3<double>::UnitZ();        // out of the upper side
  double density = 0;                                   // [kg/m3]
};

/// Settles the air at time t, eleven times. The stream must not be zero.
TunnelReading measure_in_tunnel(double t, const TunnelModel& model, VortexAir* air);

}  // namespace haltere
