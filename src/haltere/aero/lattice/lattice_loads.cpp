#include "haltere/aero/lattice/lattice_loads.h"

#include <fmt/format.h>

#include "haltere/model/surfaces/planform.h"

namespace haltere {
namespace {

constexpr int kComponents = 6;  // of a wrench: moment, then force

double read_formula(const SurfaceLoad& load, int part) {
  return load.own.at(part);
}
double read_strip(const SurfaceLoad& load, int part) {
  return load.strips.at(part / 3).force()[part % 3];
}

}  // namespace

/// Every formula for the loads, side by side: `load.q.force.x`; strips by the one that acts.
std::vector<SurfaceChannel> list_channels(const VortexLattice<double>& wing) {
  std::vector<SurfaceChannel> list;
  int formula = 0;
  for (const std::string_view word : Words<LatticeLoad>::kNames) {
    for (int k = 0; k < kComponents; ++k) {
      const bool is_force = k >= 3;
      list.push_back(
          {fmt::format("load.{}.{}.{}", word, is_force ? "force" : "moment", "xyz"[k % 3]),
           is_force ? "N" : "N m",
           is_force ? "force by this formula" : "moment by this formula, about the origin of its body",
           read_formula, kComponents * formula + k});
    }
    ++formula;
  }
  int part = kComponents * formula;
  const auto add = [&](const char* name, const char* meaning) {
    list.push_back({name, "", meaning, read_formula, part++});
  };
  add("coupling.iterations", "of the air and the machine in the present step; 0: the wings are led");
  add("coupling.residual", "of the last of them: loads that differ, in parts of the largest so far");
  add("coupling.mass_ratio",
      "of the air's mass to that of the machine, in the motion in which it is largest");
  for (int k = 0; k < count_panels(wing).columns; ++k)
    for (int i = 0; i < 3; ++i)
      list.push_back({fmt::format("strip.{}.force.{}", k + 1, "xyz"[i]), "N",
                      "force on a column of panels, by the formula that acts", read_strip, 3 * k + i});
  return list;
}

}  // namespace haltere
