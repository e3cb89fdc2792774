#include "haltere/analysis/steady_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "haltere/simulate/start.h"

namespace haltere {
namespace {

constexpr double kSame = 1e-9;  // of the largest number of a unit: what varies by less is rounding; a choice

constexpr std::array<std::pair<std::string_view, double AirCoefficients::*>, 6> kCoefficients{
    {{"CL", &AirCoefficients::CL},
     {"CD", &AirCoefficients::CD},
     {"CY", &AirCoefficients::CY},
     {"Cl", &AirCoefficients::Cl},
     {"Cm", &AirCoefficients::Cm},
     {"Cn", &AirCoefficients::Cn}}};

/// Makes columns of the points of a sweep.
class ColumnMaker {
 public:
  explicit ColumnMaker(const SteadySweep& sweep) : sweep_(sweep) {}

  void add(SweepColumn::Of of, std::string name, std::string unit,
           const std::function<double(const SteadyPoint&)>& read) {
    SweepColumn column{of, std::move(name), std::move(unit), {}};
    for (const SteadyPoint& point : sweep_.points)
      column.values.push_back(point.is_found() ? read(point) : std::numeric_limits<double>::quiet_NaN());
    columns_.push_back(std::move(column));
  }

  void add_air(SweepColumn::Of of, std::string name, std::string unit,
               const std::function<double(const TunnelReading&)>& read) {
    add(of, std::move(name), std::move(unit), [&](const SteadyPoint& point) {
      return point.air ? read(point.air->reading) : std::numeric_limits<double>::quiet_NaN();
    });
  }

  std::vector<SweepColumn> take() { return std::move(columns_); }

 private:
  const SteadySweep& sweep_;
  std::vector<SweepColumn> columns_;
};

void add_air_columns(const std::vector<std::string>& surfaces, ColumnMaker* columns) {
  using Of = SweepColumn::Of;
  for (const auto& [name, member] : kCoefficients)
    columns->add_air(Of::kAir, std::string(name), "",
                     [m = member](const TunnelReading& r) { return r.total.*m; });
  columns->add_air(Of::kAir, "CD_far", "", [](const TunnelReading& r) { return r.CD_far; });
  columns->add_air(Of::kMoreAir, "speed", "m/s", [](const TunnelReading& r) { return r.stream.norm(); });
  columns->add_air(Of::kMoreAir, "dynamic_pressure", "Pa",
                   [](const TunnelReading& r) { return r.dynamic_pressure; });
  columns->add_air(Of::kMoreAir, "area", "m2", [](const TunnelReading& r) { return r.area; });
  columns->add_air(Of::kMoreAir, "span", "m", [](const TunnelReading& r) { return r.span; });
  columns->add_air(Of::kMoreAir, "chord", "m", [](const TunnelReading& r) { return r.chord; });
  for (std::size_t k = 0; k < TunnelReading::kVariables.size(); ++k)
    for (const auto& [name, member] : kCoefficients)
      columns->add_air(Of::kMoreAir, fmt::format("{}_{}", name, TunnelReading::kVariables[k]), "",
                       [k, m = member](const TunnelReading& r) { return r.derivatives[k].*m; });
  for (std::size_t s = 0; surfaces.size() > 1 && s < surfaces.size(); ++s)
    for (const auto& [name, member] : kCoefficients)
      columns->add_air(Of::kMoreAir, fmt::format("surface.{}.{}", surfaces[s], name), "",
                       [s, m = member](const TunnelReading& r) { return r.surfaces[s].*m; });
}

}  // namespace

std::unique_ptr<SteadyState> SteadyWalk::find(double value) {
  const Model model = read_(value);
  const Eigen::VectorXd initial = calc_start(model, model.calc_parameters()).y;
  Eigen::VectorXd guess = initial;
  if (last_.size() == initial.size()) guess += last_ - last_initial_;
  std::unique_ptr<SteadyState> state = find_steady_state(model, options_, &guess);
  if (!state->equilibrium.failure.empty()) throw RunError(state->equilibrium.failure);
  last_ = state->equilibrium.y;
  last_initial_ = initial;
  return state;
}

void add_steady_point(double value, const std::string& formulation, SteadyWalk* walk, SteadySweep* sweep) {
  SteadyPoint point(value);
  try {
    const std::unique_ptr<SteadyState> state = walk->find(value);
    const StateNames names(*state->equations);
    const auto is_found = [](const SteadyPoint& p) { return p.is_found(); };
    const bool is_first = std::none_of(sweep->points.begin(), sweep->points.end(), is_found);
    if (is_first) {
      sweep->q_names = names.q;
      sweep->v_names = names.v;
      for (const Names* list : {&names.q, &names.v})
        for (const std::string& name : *list) sweep->units.push_back(names.unit(name));
    } else if (names.q != sweep->q_names || names.v != sweep->v_names) {
      throw RunError("its coordinates are not those of the points before: a sweep is over one machine");
    }
    const Equilibrium& found = state->equilibrium;
    const Sizes sizes = state->equations->sizes();
    point.q = sizes.q(found.y);
    point.v = sizes.v(found.y);
    point.is_at_rest = found.is_at_rest();
    point.residual = found.residual;
    point.iterations = found.iterations;
    point.notes = found.notes;
    point.acceleration = calc_acceleration_left(*state, formulation);
    point.air = measure_steady_air(*state);
  } catch (const RunError& error) {
    point = SteadyPoint(value, error.what());
  } catch (const InputError& error) {
    if (sweep->points.empty()) throw;
    point = SteadyPoint(value, error.what());
  }
  sweep->points.push_back(std::move(point));
}

std::vector<SweepColumn> list_columns(const SteadySweep& sweep) {
  using Of = SweepColumn::Of;
  ColumnMaker columns(sweep);
  const auto add_states = [&](const Names& names, Eigen::VectorXd SteadyPoint::*values) {
    for (std::size_t i = 0; i < names.size(); ++i)
      columns.add(Of::kState, names[i],
                  sweep.units.at(i + (values == &SteadyPoint::v ? sweep.q_names.size() : 0)),
                  [&](const SteadyPoint& p) { return (p.*values)[static_cast<Eigen::Index>(i)]; });
  };
  add_states(sweep.q_names, &SteadyPoint::q);
  add_states(sweep.v_names, &SteadyPoint::v);
  columns.add(Of::kCheck, "residual", "", [](const SteadyPoint& p) { return p.residual; });
  const auto with_air = std::find_if(sweep.points.begin(), sweep.points.end(),
                                     [](const SteadyPoint& p) { return p.air.has_value(); });
  if (with_air != sweep.points.end()) add_air_columns(with_air->air->surfaces, &columns);
  return columns.take();
}

std::vector<const SweepColumn*> find_varying(const std::vector<SweepColumn>& columns, SweepColumn::Of of) {
  struct Extent {
    double range, size;
  };
  const auto measure = [](const SweepColumn& column) -> Extent {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double x : column.values) {
      if (std::isnan(x)) continue;
      low = std::min(low, x);
      high = std::max(high, x);
    }
    return low <= high ? Extent{high - low, std::max(high, -low)} : Extent{0, 0};
  };
  std::map<std::string, double> largest;  // of a unit
  for (const SweepColumn& column : columns)
    if (column.of == of) largest[column.unit] = std::max(largest[column.unit], measure(column).size);
  std::vector<const SweepColumn*> varying;
  for (const SweepColumn& column : columns)
    if (column.of == of && measure(column).range > kSame * largest[column.unit]) varying.push_back(&column);
  return varying;
}

}  // namespace haltere
