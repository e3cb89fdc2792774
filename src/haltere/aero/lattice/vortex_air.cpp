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

void set_points(const std::vector<Vector3<double>>& places, PointList* points) {
  points->resize(static_cast<int>(places.size()));
  for (int i = 0; i < points->size(); ++i) points->set(i, places[i]);
}

}  // namespace

// -- surfaces

VortexAir::Surface::Surface(const LatticeSpec& s, int first_panel)
    : spec(s),
      lattice(s.rows, s.columns, s.layout, s.is_closed),
      wake(s.is_closed || !s.sheds_trailing ? 0
                                            : s.columns + (s.sheds_tip || s.sheds_leading ? s.rows : 0) +
                                                  (s.sheds_leading ? s.columns : 0)),
      first(first_panel) {
  for (std::vector<double>& list : released) list.assign(s.columns, 0.);
  if (s.is_closed || !s.sheds_trailing) return;
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

void VortexAir::update_edge(Surface* surface) const {
  surface->edge.clear();
  for (const auto& [i, j] : surface->chain) surface->edge.push_back(surface->lattice.ring_node(i, j));
}

void VortexAir::attach_wakes() {
  for (Surface& surface : surfaces_) {
    if (!surface.sheds()) continue;
    update_edge(&surface);
    surface.wake.attach(t_, surface.edge);
  }
}

VortexAir::VortexAir(Settings settings, const std::vector<LatticeSpec>& surfaces)
    : settings_(std::make_shared<const Settings>(std::move(settings))) {
  for (const LatticeSpec& spec : surfaces) {
    surfaces_.emplace_back(spec, n_);
    n_ += spec.rows * spec.columns;
  }
  for (Eigen::VectorXd& gamma : gamma_) gamma.setZero(n_);
}

void VortexAir::set_settings(Settings settings) {
  settings_ = std::make_shared<const Settings>(std::move(settings));
}

Vector3<double> VortexAir::wind(const Vector3<double>& place) const {
  return settings_->wind ? settings_->wind(t_, place) : Vector3<double>::Zero();
}

double VortexAir::circulation(int surface, int i, int j) const {
  return gamma_[0][surfaces_[surface].first + surfaces_[surface].lattice.panel(i, j)];
}

// -- steps

void VortexAir::start(double t, double step, const std::vector<Motion>& motions, Before before) {
  t_ = t;
  step_ = last_step_ = step;
  is_settled_ = false;
  for (Eigen::VectorXd& gamma : gamma_) gamma.setZero(n_);
  for (Surface& surface : surfaces_)
    for (std::vector<double>& list : surface.released) std::fill(list.begin(), list.end(), 0.);
  matrix_.forget();
  set_motion(motions);
  for (Surface& surface : surfaces_) {
    surface.wake.clear();
    if (surface.spec.is_closed) surface.body.start(surface.lattice, settings_->core);
  }
  attach_wakes();
  factor();
  solve();
  if (before == Before::kSame) gamma_[1] = gamma_[2] = gamma_[0];
  calc_flow();
}

/// Every node of the wakes, those at the edge among them, goes with the air as it was at the beginning; by Heun's
/// method with the mean of that and of what the air is at the end then.
void VortexAir::advance(double t, const std::vector<Motion>& motions) {
  carry(t);
  place(motions);
}

void VortexAir::carry(double t) {
  const double dt = t - t_;
  for (Surface& surface : surfaces_) surface.wake.limit(t_, settings_->limits);
  collect_lines(true, count_free_nodes());
  calc_wake_velocities(&Surface::node_velocities);
  for (Surface& surface : surfaces_) {
    surface.lattice_before = surface.lattice;
    surface.nodes_before = surface.wake.nodes();
  }
  last_step_ = std::exchange(step_, dt);
  t_ = t;
  is_settled_ = false;
  for (Surface& surface : surfaces_) {
    if (!surface.sheds()) continue;
    std::vector<Vector3<double>>& nodes = surface.wake.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] += dt * surface.node_velocities[i];
    update_shed(&surface);
    surface.wake.push(surface.shed);
    std::swap(surface.released[1], surface.released[2]);
    std::swap(surface.released[0], surface.released[1]);
  }
  std::swap(gamma_[1], gamma_[2]);
  std::swap(gamma_[0], gamma_[1]);
  gamma_[0] = gamma_[1];  // where the search begins
}

void VortexAir::place(const std::vector<Motion>& motions) {
  set_motion(motions);
  for (Surface& surface : surfaces_)
    if (surface.spec.is_closed) surface.body.advance(surface.lattice, settings_->core);
  attach_wakes();
  factor();
  solve();
  if (settings_->convection == Convection::kHeun) correct_wakes(step_);
  calc_flow();
  count_mishaps();
}

void VortexAir::correct_wakes(double dt) {
  calc_wake_velocities(&Surface::later_velocities);
  for (Surface& surface : surfaces_)
    for (std::size_t i = 0; i < surface.node_velocities.size(); ++i)
      surface.wake.nodes()[i] += dt / 2 * (surface.later_velocities[i] - surface.node_velocities[i]);
  solve();
}

void VortexAir::count_mishaps() {
  const ImagePlanes& planes = settings_->planes;
  for (const Surface& surface : surfaces_) {
    const std::vector<Vector3<double>>& now = surface.wake.nodes();
    for (const Surface& wing : surfaces_)
      mishaps_.crossings += count_crossings(wing.lattice_before, wing.lattice, surface.nodes_before, now);
    if (planes.is_empty()) continue;
    for (std::size_t k = 0; k < surface.nodes_before.size(); ++k)
      mishaps_.behind_planes +=
          planes.calc_depth(now[k]) > 0 && planes.calc_depth(surface.nodes_before[k]) <= 0 ? 1 : 0;
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
  if (n_nodes == 0)  // nothing sheds
    for (const Surface& surface : surfaces_)
      for (int p = 0; p < surface.lattice.n_panels(); ++p, ++n_nodes) stream_ += calc_onset(surface, p);
  stream_ /= n_nodes;
  behind_ = stream_.normalized();
  far_ = kFar * size;
  for (Surface& surface : surfaces_) {
    if (surface.spec.is_closed) {
      const Lattice& l = surface.lattice;
      surface.body.settle(l, settings_->core, wind((l.corner(0, 0) + l.corner(l.rows(), 0)) / 2));
      continue;
    }
    if (!surface.sheds()) continue;
    update_edge(&surface);
    surface.wake.settle(t_, surface.edge, far_ * behind_, std::vector(surface.owners.size(), 0.));
  }
  factor();
  solve();
  gamma_[1] = gamma_[2] = gamma_[0];
  for (Surface& surface : surfaces_) {
    if (!surface.sheds()) continue;
    update_shed(&surface);
    surface.wake.settle(t_, surface.edge, far_ * behind_, surface.shed);
  }
  calc_panel_flow();
  collect_lines(true, count_segments());
  calc_flow();
}

/// Of each segment of the edge: what its panel had before, of a leading edge what it releases of that.
void VortexAir::update_shed(Surface* surface) const {
  std::vector<double>& shed = surface->shed;
  shed.clear();
  for (const int panel : surface->owners) shed.push_back(gamma_[0][surface->first + panel]);
  if (surface->spec.sheds_leading) {
    const std::vector<double>& released = surface->released[0];
    std::copy(released.rbegin(), released.rend(), shed.end() - static_cast<std::ptrdiff_t>(released.size()));
  }
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

long VortexAir::count_free_nodes() const {
  long n = 0;
  for (const Surface& surface : surfaces_)
    if (surface.spec.wake_is_free) n += static_cast<long>(surface.wake.nodes().size());
  return n;
}

/// Of the wings, each of them a place where loads are looked at.
long VortexAir::count_segments() const {
  long n = 0;
  for (const Surface& surface : surfaces_)
    if (!surface.spec.is_closed)
      n += 2L * surface.lattice.n_nodes() + static_cast<long>(surface.chain.size());
  return n;
}

/// At most so many points will ask what the lines induce. A tree for few of them is dearer than the sum.
void VortexAir::collect_lines(bool with_bound, long points) {
  VortexLines& lines = work_.lines;
  lines.clear();
  for (const Surface& surface : surfaces_) {
    const Lattice& lattice = surface.lattice;
    if (with_bound)
      add_rings(
          lattice.rows(), lattice.columns(), [&](int i, int j) { return lattice.ring_node(i, j); },
          [&](int i, int j) { return gamma_[0][surface.first + lattice.panel(i, j)]; }, &lines);
    const Wake& wake = surface.wake;
    // what a segment does is computed from its second end: in settled air the near one, beside which the other is 1e5 sizes
    // away, so that it would leave ten digits of the distance to the line
    const int last = is_settled_ ? wake.rows() : 0, way = is_settled_ ? -1 : 1;
    add_rings(
        wake.rows(), wake.columns(), [&](int i, int j) { return wake.node(last + way * i, j); },
        [&](int i, int j) { return way * wake.circulation(is_settled_ ? last - 1 - i : i, j); },
        [&](int i) { return settings_->core_growth * (t_ - wake.birth(last + way * i)); }, &lines);
  }
  const bool is_worth_a_tree = points * (1 + settings_->planes.n_images()) >= FarField::kPointsFrom;
  work_.field.update(lines, settings_->core, is_worth_a_tree ? settings_->far_field : 0);
}

/// Velocities at points by lines and their images.
void VortexAir::induce() {
  const auto add = [this](const PointList& at, PointList* out) { work_.field.add_velocities(at, out); };
  work_.velocities.resize(work_.points.size());
  add(work_.points, &work_.velocities);
  settings_->planes.add_images(work_.points, &work_.velocities, &work_.images, add);
}

/// By all lines, which are those of wakes and wings.
void VortexAir::calc_wake_velocities(std::vector<Vector3<double>> Surface::*velocities) {
  for (Surface& surface : surfaces_) {
    const std::vector<Vector3<double>>& nodes = surface.wake.nodes();
    std::vector<Vector3<double>>& own = surface.*velocities;
    own.clear();
    for (const Vector3<double>& node : nodes) own.push_back(wind(node));
    if (!surface.spec.wake_is_free || nodes.empty()) continue;
    set_points(nodes, &work_.points);
    induce();
    far_error_ = std::max(far_error_, work_.field.calc_error(work_.points, kSample));
    for (std::size_t i = 0; i < nodes.size(); ++i) own[i] += work_.velocities[static_cast<int>(i)];
  }
}

/// The wake of a settled air has the circulations of the panels at the edge.
std::vector<RingLeg> VortexAir::list_settled_legs() const {
  std::vector<RingLeg> legs;
  for (const Surface& surface : surfaces_) {
    if (!surface.sheds()) continue;
    const Wake& wake = surface.wake;
    const int n = wake.columns();
    const auto of = [&](int k) { return k < 0 || k >= n ? -1 : surface.first + surface.owners[k]; };
    for (int k = 0; k <= n; ++k) legs.push_back({wake.node(1, k), wake.node(0, k), of(k), of(k - 1)});
    for (int k = 0; k < n; ++k) {
      legs.push_back({wake.node(0, k), wake.node(0, k + 1), of(k), -1});
      legs.push_back({wake.node(1, k), wake.node(1, k + 1), -1, of(k)});
    }
  }
  return legs;
}

void VortexAir::factor() {
  list_lattices();
  if (is_settled_)
    matrix_.update_whole(work_.lattices, list_settled_legs(), settings_->core, settings_->planes);
  else
    matrix_.update(work_.lattices, settings_->core, settings_->planes);
}

void VortexAir::list_lattices() {
  work_.lattices.clear();
  for (const Surface& surface : surfaces_) work_.lattices.push_back(&surface.lattice);
}

/// No flow through the panels: sum_j Gamma_j V_j . n_i = -(wind + wakes - own motion) . n_i.      theory.md (E35)
/// Lines are those of wakes and wings after this.
void VortexAir::solve() {
  calc_panel_flow();
  work_.through.resize(n_);
  for (const Surface& surface : surfaces_)
    for (int p = 0; p < surface.lattice.n_panels(); ++p)
      work_.through[surface.first + p] = -surface.panel_flow[p].dot(surface.lattice.normals()[p]);
  matrix_.solve(work_.through, &gamma_[0]);
  const bool is_heun = settings_->convection == Convection::kHeun;
  collect_lines(true, count_segments() + (is_heun ? count_free_nodes() : 0));
}

/// At the points of the panels, where the bound rings count for nothing.
void VortexAir::calc_panel_flow() {
  collect_lines(false, n_);
  for (Surface& surface : surfaces_)
    calc_flow_at(surface.lattice.points(), surface.lattice.point_velocities(), &surface.panel_flow);
}

/// Velocity of the air against the surface at the middle of every bound segment, by all lines; pressures on what is closed.
void VortexAir::calc_flow() {
  update_bodies();
  for (Surface& surface : surfaces_) {
    if (surface.spec.is_closed) continue;
    const Lattice& l = surface.lattice;
    const auto add = [&](int i0, int j0, int i1, int j1) {
      work_.places.emplace_back((l.ring_node(i0, j0) + l.ring_node(i1, j1)) / 2);
      work_.own_velocities.emplace_back((l.ring_velocity(i0, j0) + l.ring_velocity(i1, j1)) / 2);
    };
    const auto take = [&](std::vector<Vector3<double>>* flow) {
      calc_flow_at(work_.places, work_.own_velocities, flow);
      work_.places.clear();
      work_.own_velocities.clear();
    };
    for (int i = 0; i < (surface.spec.sheds_trailing ? l.rows() : l.rows() + 1); ++i)
      for (int j = 0; j < l.columns(); ++j) add(i, j, i, j + 1);
    take(&surface.span_flow);
    for (int i = 0; i < l.rows(); ++i)
      for (int j = 0; j <= l.columns(); ++j) add(i, j, i + 1, j);
    take(&surface.chord_flow);
    const auto& chain = surface.chain;
    for (std::size_t k = 0; k + 1 < chain.size(); ++k)
      add(chain[k].first, chain[k].second, chain[k + 1].first, chain[k + 1].second);
    take(&surface.edge_flow);
  }
  update_release();
}

/// Pressures on what is closed.
void VortexAir::update_bodies() {
  for (Surface& surface : surfaces_) {
    if (!surface.spec.is_closed) continue;
    ClosedBody::Flow flow{settings_->density, wind(surface.body.middle()), calc_weights(), {}};
    for (int k = 0; k < 3; ++k) flow.circulations[k] = gamma_[k].data() + surface.first;
    surface.body.update_pressures(surface.lattice, flow);
  }
}

/// Of the air against what moves there itself.
void VortexAir::calc_flow_at(const std::vector<Vector3<double>>& places,
                             const std::vector<Vector3<double>>& own, std::vector<Vector3<double>>* flow) {
  set_points(places, &work_.points);
  induce();
  flow->clear();
  for (std::size_t i = 0; i < places.size(); ++i)
    flow->push_back(wind(places[i]) + work_.velocities[static_cast<int>(i)] - own[i]);
}

// -- loads

double VortexAir::rate(int panel) const {
  return (gamma_[0][panel] - gamma_[1][panel]) / step_;
}

/// The derivative at the end of the parabola through three points, whose distances may differ.
std::array<double, 3> VortexAir::calc_weights() const {
  const double h1 = step_, h2 = last_step_;
  return {(2 * h1 + h2) / (h1 * (h1 + h2)), -(h1 + h2) / (h1 * h2), h1 / (h2 * (h1 + h2))};
}

std::array<double, 3> VortexAir::calc_rate_weights(LatticeLoad load) const {
  if (load == LatticeLoad::kQ) return calc_weights();
  return {1 / step_, -1 / step_, 0};
}

/// The air flows through the panels as their points move.
void VortexAir::respond(const std::vector<std::vector<Vector3<double>>>& velocities, Eigen::VectorXd* gamma) {
  work_.through.resize(n_);
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    Lattice moving = surfaces_[s].lattice;
    moving.update(surfaces_[s].motion.corners, velocities[s]);
    for (int p = 0; p < moving.n_panels(); ++p)
      work_.through[surfaces_[s].first + p] = moving.point_velocities()[p].dot(moving.normals()[p]);
  }
  gamma->setZero(n_);
  matrix_.solve(work_.through, gamma);
}

/// Of the mean of a ring and the one before it, by three points; ahead of a leading edge that sheds is the ring of
/// the wake that hangs there.
double VortexAir::rate_of_potential(int s, int i, int j) const {
  const Surface& surface = surfaces_[s];
  const std::array<double, 3> weights = calc_weights();
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
  add_forces(s, load, &forces);
  return forces;
}

void VortexAir::add_forces(int s, LatticeLoad load, std::vector<PointForce>* forces) const {
  if (surfaces_[s].spec.is_closed) {
    add_pressures(surfaces_[s], forces);
    return;
  }
  if (load == LatticeLoad::kBernoulli) {
    add_bernoulli(s, forces);
    return;
  }
  add_joukowski(s, forces);
  add_unsteady(s, load == LatticeLoad::kQ, forces);
  if (load == LatticeLoad::kJEdge) add_edge(s, forces);
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
  return {(a + b) / 2, settings_->density * circulation * flow.cross(b - a), 0, 0};
}

void VortexAir::add_pressures(const Surface& surface, std::vector<PointForce>* forces) const {
  const Lattice& l = surface.lattice;
  for (int p = 0; p < l.n_panels(); ++p) {
    const int column = p % l.columns();
    forces->push_back(
        {l.middles()[p], -surface.body.pressures()[p] * l.areas()[p] * l.normals()[p], column, column});
  }
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
      const double pressure =
          settings_->density * (surface.panel_flow[p].dot(gradient) + rate(surface.first + p));
      forces->push_back({l.middles()[p], pressure * l.areas()[p] * l.normals()[p], j, j});
    }
}

/// Of every bound segment that does not shed; the last row of rings has one behind where nothing does.
void VortexAir::add_joukowski(int s, std::vector<PointForce>* forces) const {
  const Surface& surface = surfaces_[s];
  const Lattice& l = surface.lattice;
  const int m = l.rows(), n = l.columns();
  const auto add = [&](const PointForce& f, int column, int other_column) {
    forces->push_back({f.point, f.force, column, other_column});
  };
  for (int i = 0; i < (surface.spec.sheds_trailing ? m : m + 1); ++i)
    for (int j = 0; j < n; ++j) {
      const double ahead = i > 0 ? bound(surface, i - 1, j) : surface.released[0][j];
      add(calc_segment(l.ring_node(i, j), l.ring_node(i, j + 1), bound(surface, i, j) - ahead,
                       surface.span_flow[i * n + j]),
          j, j);
    }
  const bool sheds_tip = surface.spec.sheds_tip || surface.spec.sheds_leading;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= n - (sheds_tip ? 1 : 0); ++j)
      add(calc_segment(l.ring_node(i, j), l.ring_node(i + 1, j),
                       bound(surface, i, j - 1) - bound(surface, i, j), surface.chord_flow[i * (n + 1) + j]),
          std::max(j - 1, 0), std::min(j, n - 1));
}

/// rho A n times the rate of the potential, in the middle of the panel or, of load Q, at its segment.
PointForce VortexAir::calc_rate_force(int s, int i, int j, bool is_q, double phi_rate) const {
  const Lattice& l = surfaces_[s].lattice;
  const int p = l.panel(i, j);
  const Vector3<double> place =
      is_q ? Vector3<double>((l.ring_node(i, j) + l.ring_node(i, j + 1)) / 2) : l.middles()[p];
  return {place, settings_->density * l.areas()[p] * phi_rate * l.normals()[p], j, j};
}

void VortexAir::add_unsteady(int s, bool is_q, std::vector<PointForce>* forces) const {
  const Surface& surface = surfaces_[s];
  const Lattice& l = surface.lattice;
  for (int i = 0; i < l.rows(); ++i)
    for (int j = 0; j < l.columns(); ++j)
      forces->push_back(calc_rate_force(
          s, i, j, is_q, is_q ? rate_of_potential(s, i, j) : rate(surface.first + l.panel(i, j))));
}

void VortexAir::add_rate_forces(int s, LatticeLoad load, const Eigen::VectorXd& rates,
                                std::vector<PointForce>* forces) const {
  const Surface& surface = surfaces_[s];
  const Lattice& l = surface.lattice;
  const bool is_q = load == LatticeLoad::kQ;
  for (int i = 0; i < l.rows(); ++i)
    for (int j = 0; j < l.columns(); ++j) {
      double rate = rates[surface.first + l.panel(i, j)];
      if (is_q) rate = (rate + (i > 0 ? rates[surface.first + l.panel(i - 1, j)] : 0)) / 2;
      forces->push_back(calc_rate_force(s, i, j, is_q, rate));
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
    const PointForce f =
        calc_segment(l.ring_node(i0, j0), l.ring_node(i1, j1), shed - own, surface.edge_flow[k]);
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
    if (!surface.sheds()) continue;
    const Wake& wake = surface.wake;
    const auto of = [&](int k) { return k < 0 || k >= wake.columns() ? 0. : wake.circulation(0, k); };
    for (int k = 0; k <= wake.columns(); ++k) {
      const Vector3<double> node = across(wake.node(0, k));
      trails.begin(node - far_ * behind_);
      trails.extend(node + far_ * behind_, of(k - 1) - of(k));
    }
  }
  double drag = 0;
  ImagePlanes::Workspace images;
  for (const Surface& surface : surfaces_) {
    if (!surface.sheds()) continue;
    const Wake& wake = surface.wake;
    PointList points(wake.columns()), flow(wake.columns());
    for (int k = 0; k < wake.columns(); ++k)
      points.set(k, (across(wake.node(0, k)) + across(wake.node(0, k + 1))) / 2);
    const auto add = [&](const PointList& at, PointList* out) {
      trails.add_velocities(at, settings_->core, out);
    };
    add(points, &flow);
    settings_->planes.add_images(points, &flow, &images, add);
    for (int k = 0; k < wake.columns(); ++k)
      drag += settings_->density * wake.circulation(0, k) / 2 *
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
  return settings_->density * sum;
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
    if (surface.spec.is_closed)
      surface.body.visit_state(archive, surface.lattice);
    else if (surface.sheds())
      surface.wake.visit_state(archive);
  }
  if (archive.is_loading())
    for (Surface& surface : surfaces_)
      surface.lattice.update(surface.motion.corners, surface.motion.velocities);
  list_lattices();
  matrix_.visit_state(archive, work_.lattices, settings_->core, settings_->planes);
  if (!archive.is_loading()) return;
  calc_panel_flow();
  collect_lines(true, count_segments());
  calc_flow();
}

}  // namespace haltere
