#include "haltere/aero/lattice/vortex_air.h"

#include <utility>

namespace haltere {

// -- wakes

void Wake::clear() {
  nodes_.clear();
  circulations_.clear();
}

void Wake::attach(const std::vector<Vector3<double>>& edge) {
  nodes_.insert(nodes_.end(), edge.begin(), edge.end());
}

void Wake::push(const std::vector<double>& circulations) {
  circulations_.insert(circulations_.end(), circulations.begin(), circulations.end());
}

void Wake::visit_state(Archive& archive) {
  std::vector<double> numbers;
  for (const Vector3<double>& node : nodes_) numbers.insert(numbers.end(), node.begin(), node.end());
  archive.grow(numbers);
  archive.grow(circulations_);
  if (!archive.is_loading()) return;
  if (numbers.size() != 3 * (circulations_.size() / columns_ + 1) * (columns_ + 1) ||
      circulations_.size() % columns_ != 0)
    throw ArchiveMismatch("a wake has another number of nodes than its circulations say");
  nodes_.resize(numbers.size() / 3);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    nodes_[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
}

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
  for (Eigen::VectorXd& gamma : gamma_) gamma.setZero(n_);
  set_motion(motions);
  for (Surface& surface : surfaces_) {
    surface.wake.clear();
    surface.wake.attach(surface.edge());
  }
  solve();
}

void VortexAir::advance(double t, const std::vector<Motion>& motions) {
  convect(t - t_);
  last_step_ = std::exchange(step_, t - t_);
  t_ = t;
  set_motion(motions);
  for (Surface& surface : surfaces_) {
    std::vector<double> shed;
    for (const int panel : surface.owners) shed.push_back(gamma_[0][surface.first + panel]);
    surface.wake.push(shed);
    surface.wake.attach(surface.edge());
  }
  std::swap(gamma_[1], gamma_[2]);
  std::swap(gamma_[0], gamma_[1]);
  solve();
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
        [&](int i, int j) { return wake.circulation(i, j); }, &lines_);
  }
}

/// Every node of the wakes, those at the edge among them, goes with the air as it was at the beginning.
void VortexAir::convect(double dt) {
  collect_lines(true);
  for (Surface& surface : surfaces_) {
    std::vector<Vector3<double>>& nodes = surface.wake.nodes();
    PointList points(static_cast<int>(nodes.size())), velocities(points.size());
    for (int i = 0; i < points.size(); ++i) points.set(i, nodes[i]);
    if (surface.spec.wake_is_free) lines_.add_velocities(points, settings_.core, &velocities);
    for (int i = 0; i < points.size(); ++i) velocities.set(i, velocities[i] + wind(nodes[i]));
    for (int i = 0; i < points.size(); ++i) nodes[i] += dt * velocities[i];
  }
}

/// No flow through the panels: sum_j Gamma_j V_j . n_i = -(wind + wakes - own motion) . n_i.
void VortexAir::solve() {
  PointList points(n_), flow(n_);
  std::vector<Vector3<double>> normals;
  for (const Surface& surface : surfaces_)
    for (int p = 0; p < surface.lattice.n_panels(); ++p) {
      points.set(surface.first + p, surface.lattice.points()[p]);
      normals.push_back(surface.lattice.normals()[p]);
    }
  // each leg of a ring is one of two rings, of opposite sense
  influence_.setZero(n_, n_);
  PointList leg(n_);
  VortexLines one;
  const auto add_leg = [&](const Vector3<double>& a, const Vector3<double>& b, int positive, int negative) {
    leg.resize(n_);
    one.clear();
    one.begin(a);
    one.extend(b, 1);
    one.add_velocities(points, settings_.core, &leg);
    for (int p = 0; p < n_; ++p) {
      const double w = leg[p].dot(normals[p]);
      if (positive >= 0) influence_(p, positive) += w;
      if (negative >= 0) influence_(p, negative) -= w;
    }
  };
  for (const Surface& surface : surfaces_) {
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
  factors_.factor(influence_);
  collect_lines(false);
  lines_.add_velocities(points, settings_.core, &flow);
  Eigen::VectorXd b(n_);
  for (const Surface& surface : surfaces_)
    for (int p = 0; p < surface.lattice.n_panels(); ++p) {
      const int k = surface.first + p;
      b[k] = -(wind(points[k]) + flow[k] - surface.lattice.point_velocities()[p]).dot(normals[k]);
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
    lines_.add_velocities(points, settings_.core, &flow);
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
      gamma += gamma_[k + 1][surface.first + surface.lattice.panel(0, j)];  // what was shed a step before
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

/// Of a panel; 0 outside.
double VortexAir::bound(const Surface& surface, int i, int j) const {
  const Lattice& l = surface.lattice;
  const bool outside = i < 0 || j < 0 || i >= l.rows() || j >= l.columns();
  return outside ? 0 : gamma_[0][surface.first + l.panel(i, j)];
}

/// rho Gamma V x l, theory.md (E36).
PointForce VortexAir::calc_segment(const Vector3<double>& a, const Vector3<double>& b, double circulation,
                                   const Vector3<double>& flow) const {
  return {(a + b) / 2, settings_.density * circulation * flow.cross(b - a)};
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
      forces->push_back({l.middles()[p], pressure * l.areas()[p] * l.normals()[p]});
    }
}

/// Of every bound segment that does not shed.
void VortexAir::add_joukowski(int s, std::vector<PointForce>* forces) const {
  const Surface& surface = surfaces_[s];
  const Lattice& l = surface.lattice;
  const int m = l.rows(), n = l.columns();
  for (int i = surface.spec.sheds_leading ? 1 : 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      forces->push_back(calc_segment(l.ring_node(i, j), l.ring_node(i, j + 1),
                                     bound(surface, i, j) - bound(surface, i - 1, j),
                                     span_flow_[s][i * n + j]));
  const bool sheds_tip = surface.spec.sheds_tip || surface.spec.sheds_leading;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= n - (sheds_tip ? 1 : 0); ++j)
      forces->push_back(calc_segment(l.ring_node(i, j), l.ring_node(i + 1, j),
                                     bound(surface, i, j - 1) - bound(surface, i, j),
                                     chord_flow_[s][i * (n + 1) + j]));
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
      forces->push_back({place, settings_.density * l.areas()[p] * phi_rate * l.normals()[p]});
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
    forces->push_back(calc_segment(l.ring_node(i0, j0), l.ring_node(i1, j1),
                                   shed - gamma_[0][surface.first + surface.owners[k]], edge_flow_[s][k]));
  }
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
  archive(t_, step_, last_step_);
  for (Eigen::VectorXd& gamma : gamma_) archive(gamma);
  for (Surface& surface : surfaces_) {
    surface.motion.corners.resize(surface.lattice.n_nodes());
    surface.motion.velocities.resize(surface.lattice.n_nodes());
    for (Vector3<double>& corner : surface.motion.corners) archive(corner);
    for (Vector3<double>& velocity : surface.motion.velocities) archive(velocity);
    surface.wake.visit_state(archive);
  }
  if (!archive.is_loading()) return;
  for (Surface& surface : surfaces_)
    surface.lattice.update(surface.motion.corners, surface.motion.velocities);
  collect_lines(false);
  calc_flow();
}

}  // namespace haltere
