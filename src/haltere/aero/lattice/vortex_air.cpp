#include "haltere/aero/lattice/vortex_air.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "haltere/aero/lattice/crossings.h"
#include "haltere/aero/lattice/leading_edge.h"

namespace haltere {
namespace {

// a settled wake in sizes of the machine: what is missing behind its end induces 1e-10 of what the wake does, and
// lengths keep ten digits; a choice
constexpr double kFar = 1e5;
// nodes of each wake at which a far field is summed one by one, too, in every step: a thousandth of the work of a wake of some
// thousand nodes; a choice
constexpr int kSample = 8;

}  // namespace

// -- surfaces

VortexAir::Surface::Surface(const LatticeSpec& s, int first_panel)
    : spec(s),
      lattice(s.rows, s.columns, s.layout),
      wake(s.columns + (s.sheds_tip || s.sheds_leading ? s.rows : 0) + (s.sheds_leading ? s.columns : 0)),
      first(first_panel) {
  const int m = s.rows, n = s.columns;
  for (int j = 0; j <= n; ++j) chain.emplace_back(m, j);
  for (int j = 0; j < n; ++j) owners.push_back(lattice.panel(m - 1, j));
  if (s.sheds_tip || s.sheds_leading)
    for (int i = m - 1; i >= 0; --i) {
      chain.emplace_back(i, n);
      owners.push_back(lattice.panel(i, n - 1));
    }
  if (s.sheds_leading)
    for (int j = n - 1; j >= 0; --j) {
      chain.emplace_back(0, j);
      owners.push_back(lattice.panel(0, j));
    }
  for (std::vector<double>& list : released) list.assign(n, 0.);
}

std::vector<Vector3<double>> VortexAir::Surface::edge() const {
  std::vector<Vector3<double>> nodes;
  for (const auto& [i, j] : chain) nodes.push_back(lattice.ring_node(i, j));
  return nodes;
}

VortexAir::VortexAir(Settings settings, const std::vector<LatticeSpec>& surfaces)
    : settings_(std::move(settings)) {
  for (const LatticeSpec& spec : surfaces) {
    surfaces_.emplace_back(spec, n_);
    n_ += spec.rows * spec.columns;
  }
  for (Eigen::VectorXd& gamma : gamma_) gamma.setZero(n_);
}

Vector3<double> VortexAir::wind(const Vector3<double>& place) const {
  return settings_.wind ? settings_.wind(t_, place) : Vector3<double>::Zero();
}

double VortexAir::circulation(int surface, int i, int j) const {
  return gamma_[0][surfaces_[surface].first + surfaces_[surface].lattice.panel(i, j)];
}

// -- steps

void VortexAir::start(double t, double step, const std::vector<Motion>& motions) {
  t_ = t;
  step_ = last_step_ = step;
  is_settled_ = false;
  for (Eigen::VectorXd& gamma : gamma_) gamma.setZero(n_);
  for (Surface& surface : surfaces_)
    for (std::vector<double>& list : surface.released) std::fill(list.begin(), list.end(), 0.);
  set_motion(motions);
  for (Surface& surface : surfaces_) {
    surface.wake.clear();
    surface.wake.attach(t_, surface.edge());
  }
  factor();
  solve();
}

/// Every node of the wakes, those at the edge among them, goes with the air as it was at the beginning; by Heun's
/// method with the mean of that and of what the air is at the end then.
void VortexAir::advance(double t, const std::vector<Motion>& motions) {
  const double dt = t - t_;
  for (Surface& surface : surfaces_) surface.wake.limit(t_, settings_.limits);
  collect_lines(true);
  const Nodes before = calc_wake_velocities();
  std::vector<Lattice> lattices;
  Nodes nodes;
  for (const Surface& surface : surfaces_) {
    lattices.push_back(surface.lattice);
    nodes.push_back(surface.wake.nodes());
  }
  last_step_ = std::exchange(step_, dt);
  t_ = t;
  is_settled_ = false;
  set_motion(motions);
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    Wake& wake = surfaces_[s].wake;
    for (std::size_t i = 0; i < before[s].size(); ++i) wake.nodes()[i] += dt * before[s][i];
    wake.push(list_shed(surfaces_[s]));
    wake.attach(t_, surfaces_[s].edge());
  }
  std::swap(gamma_[1], gamma_[2]);
  std::swap(gamma_[0], gamma_[1]);
  for (Surface& surface : surfaces_) {
    std::swap(surface.released[1], surface.released[2]);
    std::swap(surface.released[0], surface.released[1]);
  }
  factor();
  solve();
  if (settings_.convection == Convection::kHeun) {
    const Nodes after = calc_wake_velocities();
    for (std::size_t s = 0; s < surfaces_.size(); ++s)
      for (std::size_t i = 0; i < before[s].size(); ++i)
        surfaces_[s].wake.nodes()[i] += dt / 2 * (after[s][i] - before[s][i]);
    solve();
  }
  count_mishaps(lattices, nodes);
}

/// `lattices`, `nodes`: as they were at the beginning of the step.
void VortexAir::count_mishaps(const std::vector<Lattice>& lattices, const Nodes& nodes) {
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    const std::vector<Vector3<double>>& now = surfaces_[s].wake.nodes();
    for (std::size_t i = 0; i < lattices.size(); ++i)
      mishaps_.crossings += count_crossings(lattices[i], surfaces_[i].lattice, nodes[s], now);
    if (settings_.planes.is_empty()) continue;
    for (std::size_t k = 0; k < nodes[s].size(); ++k)
      mishaps_.behind_planes +=
          settings_.planes.calc_depth(now[k]) > 0 && settings_.planes.calc_depth(nodes[s][k]) <= 0 ? 1 : 0;
  }
}

void VortexAir::settle(double t, const std::vector<Motion>& motions) {
  t_ = t;
  step_ = last_step_ = 1;  // nothing changes, however long a step is
  is_settled_ = true;
  set_motion(motions);
  stream_.setZero();
  Vector3<double> first = Vector3<double>::Zero();
  double size = 0;
  int n_nodes = 0;
  for (const Surface& surface : surfaces_)
    for (const auto& [i, j] : surface.chain) {
      const Vector3<double>& node = surface.lattice.ring_node(i, j);
      stream_ += wind(node) - surface.lattice.ring_velocity(i, j);
      if (n_nodes++ == 0) first = node;
      size = std::max(size, (surface.lattice.corner(0, j) - first).norm());
      size = std::max(size, (node - first).norm());
    }
  stream_ /= n_nodes;
  behind_ = stream_.normalized();
  far_ = kFar * size;
  for (Surface& surface : surfaces_)
    surface.wake.settle(t_, surface.edge(), far_ * behind_, std::vector(surface.owners.size(), 0.));
  factor();
  solve();
  gamma_[1] = gamma_[2] = gamma_[0];
  for (Surface& surface : surfaces_)
    surface.wake.settle(t_, surface.edge(), far_ * behind_, list_shed(surface));
  collect_lines(false);
  calc_flow();
}

/// Of each segment of the edge: what its panel had before, of a leading edge what it releases of that.
std::vector<double> VortexAir::list_shed(const Surface& surface) const {
  std::vector<double> shed;
  for (const int panel : surface.owners) shed.push_back(gamma_[0][surface.first + panel]);
  if (surface.spec.sheds_leading) {
    const std::vector<double>& released = surface.released[0];
    std::copy(released.rbegin(), released.rend(), shed.end() - static_cast<std::ptrdiff_t>(released.size()));
  }
  return shed;
}

/// The undisturbed air against the point of a panel.
Vector3<double> VortexAir::calc_onset(const Surface& surface, int panel) const {
  return wind(surface.lattice.points()[panel]) - surface.lattice.point_velocities()[panel];
}

double VortexAir::suction(int s, int column) const {
  const Lattice& l = surfaces_[s].lattice;
  const auto middle = [&](int i) -> Vector3<double> {
    return (l.corner(i, column) + l.corner(i, column + 1)) / 2;
  };
  std::vector<double> sides{0};
  for (int i = 0; i < l.rows(); ++i) sides.push_back(sides.back() + (middle(i + 1) - middle(i)).norm());
  const double speed = calc_onset(surfaces_[s], l.panel(0, column)).norm();
  const double whole = std::numbers::pi * speed * sides.back() * calc_first_part(sides);
  return whole > 0 ? circulation(s, 0, column) / whole : 0;
}

/// All of the first ring's circulation, or what its suction has beyond the critical one.
void VortexAir::update_release() {
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    Surface& surface = surfaces_[s];
    if (!surface.spec.sheds_leading) continue;
    for (int j = 0; j < surface.lattice.columns(); ++j) {
      const int p = surface.lattice.panel(0, j);
      const double gamma = gamma_[0][surface.first + p];
      double& released = surface.released[0][j] = gamma;
      const Vector3<double> flow = calc_onset(surface, p);
      const double across = std::abs(flow.dot(surface.lattice.normals()[p]));
      if (surface.spec.critical_angle > 0 && across <= flow.norm() * std::sin(surface.spec.critical_angle))
        released = 0;
      if (surface.spec.critical_suction > 0) {
        const double present = std::abs(suction(static_cast<int>(s), j));
        const double beyond = std::max(0., present - surface.spec.critical_suction);
        released = present > 0 ? gamma * beyond / present : 0;
      }
    }
  }
}

void VortexAir::set_motion(const std::vector<Motion>& motions) {
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    surfaces_[s].motion = motions[s];
    surfaces_[s].lattice.update(motions[s].corners, motions[s].velocities);
  }
}

void VortexAir::collect_lines(bool with_bound) {
  lines_.clear();
  for (const Surface& surface : surfaces_) {
    const Lattice& lattice = surface.lattice;
    if (with_bound)
      add_rings(
          lattice.rows(), lattice.columns(), [&](int i, int j) { return lattice.ring_node(i, j); },
          [&](int i, int j) { return gamma_[0][surface.first + lattice.panel(i, j)]; }, &lines_);
    const Wake& wake = surface.wake;
    add_rings(
        wake.rows(), wake.columns(), [&](int i, int j) { return wake.node(i, j); },
        [&](int i, int j) { return wake.circulation(i, j); },
        [&](int i) { return settings_.core_growth * (t_ - wake.birth(i)); }, &lines_);
  }
  field_.update(lines_, settings_.core, settings_.far_field);
}

/// By all lines_, which are those of wakes and wings.
VortexAir::Nodes VortexAir::calc_wake_velocities() {
  Nodes all;
  for (const Surface& surface : surfaces_) {
    const std::vector<Vector3<double>>& nodes = surface.wake.nodes();
    PointList points(static_cast<int>(nodes.size())), velocities(points.size());
    for (int i = 0; i < points.size(); ++i) points.set(i, nodes[i]);
    if (surface.spec.wake_is_free) {
      induce(points, &velocities);
      far_error_ = std::max(far_error_, field_.calc_error(points, kSample));
    }
    std::vector<Vector3<double>>& own = all.emplace_back();
    for (int i = 0; i < points.size(); ++i) own.emplace_back(velocities[i] + wind(nodes[i]));
  }
  return all;
}

/// Each leg of a ring is one of two rings, of opposite sense: add_leg(from, to, ring, other ring).
template <class AddLeg>
void VortexAir::add_bound_legs(const Surface& surface, const AddLeg& add_leg) const {
  const Lattice& l = surface.lattice;
  const int m = l.rows(), n = l.columns();
  const auto of = [&](int i, int j) {
    return i < 0 || j < 0 || i >= m || j >= n ? -1 : surface.first + l.panel(i, j);
  };
  for (int i = 0; i <= m; ++i)
    for (int j = 0; j < n; ++j) add_leg(l.ring_node(i, j), l.ring_node(i, j + 1), of(i, j), of(i - 1, j));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= n; ++j) add_leg(l.ring_node(i, j), l.ring_node(i + 1, j), of(i, j - 1), of(i, j));
}

/// The wake of a settled air has the circulations of the panels at the edge.
template <class AddLeg>
void VortexAir::add_settled_legs(const Surface& surface, const AddLeg& add_leg) const {
  const Wake& wake = surface.wake;
  const int n = wake.columns();
  const auto of = [&](int k) { return k < 0 || k >= n ? -1 : surface.first + surface.owners[k]; };
  for (int k = 0; k <= n; ++k) add_leg(wake.node(0, k), wake.node(1, k), of(k - 1), of(k));
  for (int k = 0; k < n; ++k) {
    add_leg(wake.node(0, k), wake.node(0, k + 1), of(k), -1);
    add_leg(wake.node(1, k), wake.node(1, k + 1), -1, of(k));
  }
}

/// What rings of circulation one do to the flow through the panels.
void VortexAir::factor() {
  PointList points(n_), leg(n_);
  for (const Surface& surface : surfaces_)
    for (int p = 0; p < surface.lattice.n_panels(); ++p)
      points.set(surface.first + p, surface.lattice.points()[p]);
  influence_.setZero(n_, n_);
  VortexLines one;
  const auto add_leg = [&](const Vector3<double>& a, const Vector3<double>& b, int positive, int negative) {
    leg.resize(n_);
    one.clear();
    one.begin(a);
    one.extend(b, 1);
    induce_one_by_one(one, points, &leg);
    for (const Surface& surface : surfaces_)
      for (int i = 0; i < surface.lattice.n_panels(); ++i) {
        const int p = surface.first + i;
        const double w = leg[p].dot(surface.lattice.normals()[i]);
        if (positive >= 0) influence_(p, positive) += w;
        if (negative >= 0) influence_(p, negative) -= w;
      }
  };
  for (const Surface& surface : surfaces_) {
    add_bound_legs(surface, add_leg);
    if (is_settled_) add_settled_legs(surface, add_leg);
  }
  factors_.factor(influence_);
}

/// No flow through the panels: sum_j Gamma_j V_j . n_i = -(wind + wakes - own motion) . n_i.      theory.md (E35)
void VortexAir::solve() {
  PointList points(n_), flow(n_);
  for (const Surface& surface : surfaces_)
    for (int p = 0; p < surface.lattice.n_panels(); ++p)
      points.set(surface.first + p, surface.lattice.points()[p]);
  collect_lines(false);
  induce(points, &flow);
  Eigen::VectorXd b(n_);
  for (const Surface& surface : surfaces_)
    for (int p = 0; p < surface.lattice.n_panels(); ++p) {
      const int k = surface.first + p;
      b[k] = -(wind(points[k]) + flow[k] - surface.lattice.point_velocities()[p])
                  .dot(surface.lattice.normals()[p]);
    }
  gamma_[0] = factors_.solve(b);
  calc_flow();
}

/// Velocity of the air against the surface at the middle of every bound segment and at the points of the
/// panels, where the bound rings count for nothing. lines_ are those of the wakes before, and of all after this.
void VortexAir::calc_flow() {
  span_flow_.assign(surfaces_.size(), {});
  chord_flow_ = edge_flow_ = panel_flow_ = span_flow_;
  const auto at_points = [&](const std::vector<Vector3<double>>& places,
                             const std::vector<Vector3<double>>& own) {
    PointList points(static_cast<int>(places.size())), flow(points.size());
    for (int i = 0; i < points.size(); ++i) points.set(i, places[i]);
    induce(points, &flow);
    std::vector<Vector3<double>> out;
    for (int i = 0; i < points.size(); ++i) out.emplace_back(wind(places[i]) + flow[i] - own[i]);
    return out;
  };
  for (std::size_t s = 0; s < surfaces_.size(); ++s)
    panel_flow_[s] = at_points(surfaces_[s].lattice.points(), surfaces_[s].lattice.point_velocities());
  collect_lines(true);
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    const Lattice& l = surfaces_[s].lattice;
    std::vector<Vector3<double>> places, own;
    const auto add = [&](int i0, int j0, int i1, int j1) {
      places.emplace_back((l.ring_node(i0, j0) + l.ring_node(i1, j1)) / 2);
      own.emplace_back((l.ring_velocity(i0, j0) + l.ring_velocity(i1, j1)) / 2);
    };
    const auto take = [&] {
      std::vector<Vector3<double>> flow = at_points(places, own);
      places.clear();
      own.clear();
      return flow;
    };
    for (int i = 0; i < l.rows(); ++i)
      for (int j = 0; j < l.columns(); ++j) add(i, j, i, j + 1);
    span_flow_[s] = take();
    for (int i = 0; i < l.rows(); ++i)
      for (int j = 0; j <= l.columns(); ++j) add(i, j, i + 1, j);
    chord_flow_[s] = take();
    const auto& chain = surfaces_[s].chain;
    for (std::size_t k = 0; k + 1 < chain.size(); ++k)
      add(chain[k].first, chain[k].second, chain[k + 1].first, chain[k + 1].second);
    edge_flow_[s] = take();
  }
  update_release();
}

// -- loads

double VortexAir::rate(int panel) const {
  return (gamma_[0][panel] - gamma_[1][panel]) / step_;
}

/// Of the mean of a ring and the one before it, by three points; ahead of a leading edge that sheds is the ring of
/// the wake that hangs there.
double VortexAir::rate_of_potential(int s, int i, int j) const {
  const Surface& surface = surfaces_[s];
  const double h1 = step_, h2 = last_step_;
  const std::array<double, 3> weights{(2 * h1 + h2) / (h1 * (h1 + h2)), -(h1 + h2) / (h1 * h2),
                                      h1 / (h2 * (h1 + h2))};
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    double gamma = gamma_[k][surface.first + surface.lattice.panel(i, j)];
    if (i > 0)
      gamma += gamma_[k][surface.first + surface.lattice.panel(i - 1, j)];
    else if (surface.spec.sheds_leading && k < 2)
      gamma += surface.released[k + 1][j];  // what was shed a step before
    sum += weights[k] * gamma / 2;
  }
  return sum;
}

std::vector<PointForce> VortexAir::calc_forces(int s, LatticeLoad load) const {
  std::vector<PointForce> forces;
  if (load == LatticeLoad::kBernoulli) {
    add_bernoulli(s, &forces);
    return forces;
  }
  add_joukowski(s, &forces);
  add_unsteady(s, load == LatticeLoad::kQ, &forces);
  if (load == LatticeLoad::kJEdge) add_edge(s, &forces);
  return forces;
}

std::vector<double> VortexAir::calc_column_forces(int s, LatticeLoad load,
                                                  const Vector3<double>& direction) const {
  std::vector<double> columns(surfaces_[s].lattice.columns(), 0.);
  for (const PointForce& f : calc_forces(s, load))
    for (const int j : {f.column, f.other_column}) columns[j] += f.force.dot(direction) / 2;
  return columns;
}

/// Of a panel; 0 outside.
double VortexAir::bound(const Surface& surface, int i, int j) const {
  const Lattice& l = surface.lattice;
  const bool outside = i < 0 || j < 0 || i >= l.rows() || j >= l.columns();
  return outside ? 0 : gamma_[0][surface.first + l.panel(i, j)];
}

/// rho Gamma V x l, theory.md (E36).
PointForce VortexAir::calc_segment(const Vector3<double>& a, const Vector3<double>& b, double circulation,
                                   const Vector3<double>& flow) const {
  return {(a + b) / 2, settings_.density * circulation * flow.cross(b - a), 0, 0};
}

void VortexAir::add_bernoulli(int s, std::vector<PointForce>* forces) const {
  const Surface& surface = surfaces_[s];
  const Lattice& l = surface.lattice;
  for (int i = 0; i < l.rows(); ++i)
    for (int j = 0; j < l.columns(); ++j) {
      const int p = l.panel(i, j);
      const Vector3<double>&a = l.corner(i, j), &b = l.corner(i, j + 1), &c = l.corner(i + 1, j + 1),
            &d = l.corner(i + 1, j);
      const Vector3<double> dc = (d + c - a - b) / 2, ds = (b + c - a - d) / 2;
      const Vector3<double> gradient =
          dc / dc.squaredNorm() * (bound(surface, i, j) - bound(surface, i - 1, j)) +
          ds / ds.squaredNorm() * (bound(surface, i, j + 1) - bound(surface, i, j - 1)) / 2;
      const double pressure = settings_.density * (panel_flow_[s][p].dot(gradient) + rate(surface.first + p));
      forces->push_back({l.middles()[p], pressure * l.areas()[p] * l.normals()[p], j, j});
    }
}

/// Of every bound segment that does not shed.
void VortexAir::add_joukowski(int s, std::vector<PointForce>* forces) const {
  const Surface& surface = surfaces_[s];
  const Lattice& l = surface.lattice;
  const int m = l.rows(), n = l.columns();
  const auto add = [&](const PointForce& f, int column, int other_column) {
    forces->push_back({f.point, f.force, column, other_column});
  };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const double ahead = i > 0 ? bound(surface, i - 1, j) : surface.released[0][j];
      add(calc_segment(l.ring_node(i, j), l.ring_node(i, j + 1), bound(surface, i, j) - ahead,
                       span_flow_[s][i * n + j]),
          j, j);
    }
  const bool sheds_tip = surface.spec.sheds_tip || surface.spec.sheds_leading;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= n - (sheds_tip ? 1 : 0); ++j)
      add(calc_segment(l.ring_node(i, j), l.ring_node(i + 1, j),
                       bound(surface, i, j - 1) - bound(surface, i, j), chord_flow_[s][i * (n + 1) + j]),
          std::max(j - 1, 0), std::min(j, n - 1));
}

/// rho A n times the rate of the potential, in the middle of each panel or, of load Q, at its segment.
void VortexAir::add_unsteady(int s, bool is_q, std::vector<PointForce>* forces) const {
  const Surface& surface = surfaces_[s];
  const Lattice& l = surface.lattice;
  for (int i = 0; i < l.rows(); ++i)
    for (int j = 0; j < l.columns(); ++j) {
      const int p = l.panel(i, j);
      const double phi_rate = is_q ? rate_of_potential(s, i, j) : rate(surface.first + p);
      const Vector3<double> place =
          is_q ? Vector3<double>((l.ring_node(i, j) + l.ring_node(i, j + 1)) / 2) : l.middles()[p];
      forces->push_back({place, settings_.density * l.areas()[p] * phi_rate * l.normals()[p], j, j});
    }
}

/// Of the segments that shed, with the circulation of the wake less that of the panel.
void VortexAir::add_edge(int s, std::vector<PointForce>* forces) const {
  const Surface& surface = surfaces_[s];
  const Lattice& l = surface.lattice;
  for (std::size_t k = 0; k + 1 < surface.chain.size(); ++k) {
    const auto& [i0, j0] = surface.chain[k];
    const auto& [i1, j1] = surface.chain[k + 1];
    const double shed = surface.wake.rows() > 0 ? surface.wake.circulation(0, static_cast<int>(k)) : 0;
    const int column = surface.owners[k] % l.columns();
    const bool is_leading = i0 == 0 && i1 == 0;
    const double own =
        is_leading ? surface.released[0][column] : gamma_[0][surface.first + surface.owners[k]];
    const PointForce f = calc_segment(l.ring_node(i0, j0), l.ring_node(i1, j1), shed - own, edge_flow_[s][k]);
    forces->push_back({f.point, f.force, column, column});
  }
}

/// Half of what the wakes induce far behind acts at the wing: the force on half of the flow there along itself.
///   D = sum rho Gamma/2 (v x l) . d                                                       theory.md (E40)
double VortexAir::calc_far_drag() const {
  // the legs that go behind, straight and without an end
  VortexLines trails;
  const auto across = [this](const Vector3<double>& p) -> Vector3<double> {
    return p - p.dot(behind_) * behind_;
  };
  for (const Surface& surface : surfaces_) {
    const Wake& wake = surface.wake;
    const auto of = [&](int k) { return k < 0 || k >= wake.columns() ? 0. : wake.circulation(0, k); };
    for (int k = 0; k <= wake.columns(); ++k) {
      const Vector3<double> node = across(wake.node(0, k));
      trails.begin(node - far_ * behind_);
      trails.extend(node + far_ * behind_, of(k - 1) - of(k));
    }
  }
  double drag = 0;
  for (const Surface& surface : surfaces_) {
    const Wake& wake = surface.wake;
    PointList points(wake.columns()), flow(wake.columns());
    for (int k = 0; k < wake.columns(); ++k)
      points.set(k, (across(wake.node(0, k)) + across(wake.node(0, k + 1))) / 2);
    induce_one_by_one(trails, points, &flow);
    for (int k = 0; k < wake.columns(); ++k)
      drag += settings_.density * wake.circulation(0, k) / 2 *
              flow[k].cross(wake.node(0, k + 1) - wake.node(0, k)).dot(behind_);
  }
  return drag;
}

Vector3<double> VortexAir::calc_impulse() const {
  Vector3<double> sum = Vector3<double>::Zero();
  const auto add = [&](int rows, int columns, const auto& node, const auto& circulation) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const std::array<Vector3<double>, 4> ring{node(i, j), node(i, j + 1), node(i + 1, j + 1),
                                                  node(i + 1, j)};
        for (int k = 0; k < 4; ++k) sum += circulation(i, j) / 2 * ring[k].cross(ring[(k + 1) % 4]);
      }
  };
  for (const Surface& surface : surfaces_) {
    const Lattice& l = surface.lattice;
    add(
        l.rows(), l.columns(), [&](int i, int j) { return l.ring_node(i, j); },
        [&](int i, int j) { return gamma_[0][surface.first + l.panel(i, j)]; });
    const Wake& wake = surface.wake;
    add(
        wake.rows(), wake.columns(), [&](int i, int j) { return wake.node(i, j); },
        [&](int i, int j) { return wake.circulation(i, j); });
  }
  return settings_.density * sum;
}

void VortexAir::visit_state(Archive& archive) {
  archive(t_, step_, last_step_, far_, far_error_, mishaps_.crossings, mishaps_.behind_planes);
  archive(behind_);
  for (Eigen::VectorXd& gamma : gamma_) archive(gamma);
  for (Surface& surface : surfaces_) {
    surface.motion.corners.resize(surface.lattice.n_nodes());
    surface.motion.velocities.resize(surface.lattice.n_nodes());
    for (Vector3<double>& corner : surface.motion.corners) archive(corner);
    for (Vector3<double>& velocity : surface.motion.velocities) archive(velocity);
    for (std::vector<double>& list : surface.released) archive(list);
    surface.wake.visit_state(archive);
  }
  if (!archive.is_loading()) return;
  for (Surface& surface : surfaces_)
    surface.lattice.update(surface.motion.corners, surface.motion.velocities);
  collect_lines(false);
  calc_flow();
}

}  // namespace haltere
