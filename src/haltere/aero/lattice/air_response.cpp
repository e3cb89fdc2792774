#include "haltere/aero/lattice/air_response.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "haltere/math/complex_dense.h"

namespace haltere {
namespace {

/// Powers z^-first, z^-(first + 1), ...; real and imaginary parts side by side.
Eigen::MatrixXd calc_powers(std::complex<double> z, int first, int count) {
  Eigen::MatrixXd powers(count, 2);
  const std::complex<double> factor = 1. / z;
  std::complex<double> power = std::pow(factor, first);
  for (int k = 0; k < count; ++k, power *= factor) {
    powers(k, 0) = power.real();
    powers(k, 1) = power.imag();
  }
  return powers;
}

Eigen::VectorXcd join_parts(const Eigen::MatrixXd& parts) {
  Eigen::VectorXcd joined(parts.rows());
  joined.real() = parts.col(0);
  joined.imag() = parts.col(1);
  return joined;
}

}  // namespace

double AirResponse::count_numbers(const VortexAir& air, int rows, int n_ways) {
  double panels = 0, places = 0, columns = 0;
  for (int s = 0; s < air.n_surfaces(); ++s) {
    const Lattice& l = air.lattice(s);
    panels += l.n_panels();
    places += 2. * (l.rows() + 1) * (l.columns() + 1);
    columns += air.wake(s).columns();
  }
  const double flows = panels + 3 * places;
  return flows * (panels + rows * (columns + n_ways)) + panels * panels;
}

AirResponse::AirResponse(const VortexAir& air, double t, double step, int rows,
                         const std::vector<Motion>& base, std::vector<Way> ways)
    : air_(air), base_(base), ways_(std::move(ways)), n_panels_(air.n_) {
  air_.settle(t, base);  // where wakes go
  air_.is_settled_ = false;
  air_.step_ = air_.last_step_ = step;
  air_.factor();
  for (const VortexAir::Surface& surface : air_.surfaces_) {
    n_places_ += static_cast<int>(list_segments(surface).size());
    for (const int panel : surface.owners) owners_.push_back(surface.first + panel);
  }
  n_columns_ = static_cast<int>(owners_.size());
  rows_ = n_columns_ > 0 ? rows : 0;
  lay_wakes(rows_);
  update_rings();
  update_wake_rings();
  update_base();
  update_ways();
}

/// In the order of calc_flow(): along the span, along the chord.
std::vector<AirResponse::Segment> AirResponse::list_segments(const VortexAir::Surface& surface) {
  std::vector<Segment> list;
  const Lattice& l = surface.lattice;
  for (int i = 0; i < (surface.spec.sheds_trailing ? l.rows() : l.rows() + 1); ++i)
    for (int j = 0; j < l.columns(); ++j) list.push_back({i, j, i, j + 1});
  for (int i = 0; i < l.rows(); ++i)
    for (int j = 0; j <= l.columns(); ++j) list.push_back({i, j, i + 1, j});
  return list;
}

/// Straight, a row a step; circulations those of the panels at the edge.
void AirResponse::lay_wakes(int rows) {
  const Vector3<double> way = air_.step_ * air_.stream_;
  for (VortexAir::Surface& surface : air_.surfaces_) {
    if (!surface.sheds()) continue;
    surface.wake.clear();
    air_.update_edge(&surface);
    air_.update_shed(&surface);
    std::vector<Vector3<double>> nodes = surface.edge;
    for (int k = rows; k > 0; --k) {
      for (std::size_t j = 0; j < nodes.size(); ++j) nodes[j] = surface.edge[j] + k * way;
      surface.wake.attach(air_.t_ - k * air_.step_, nodes);
      surface.wake.push(surface.shed);
    }
    surface.wake.attach(air_.t_, surface.edge);
  }
}

/// The youngest nodes of the wakes, where the wings are now.
void AirResponse::hang_on_edges() {
  for (VortexAir::Surface& surface : air_.surfaces_) {
    if (!surface.sheds()) continue;
    air_.update_edge(&surface);
    std::vector<Vector3<double>>& nodes = surface.wake.nodes();
    std::copy(surface.edge.begin(), surface.edge.end(),
              nodes.end() - static_cast<std::ptrdiff_t>(surface.edge.size()));
  }
}

/// Of the lines in the workspace alone.
Eigen::VectorXd AirResponse::induce_at_base() {
  VortexAir::Workspace& work = air_.work_;
  work.field.update(work.lines, air_.settings_->core, 0);
  work.points.resize(n_panels_ + n_places_);
  int at = 0;
  for (const VortexAir::Surface& surface : air_.surfaces_)
    for (const Vector3<double>& point : surface.lattice.points()) work.points.set(at++, point);
  for (const VortexAir::Surface& surface : air_.surfaces_)
    for (const Segment& s : list_segments(surface))
      work.points.set(at++,
                      (surface.lattice.ring_node(s.i0, s.j0) + surface.lattice.ring_node(s.i1, s.j1)) / 2);
  air_.induce();
  Eigen::VectorXd flows(n_panels_ + 3 * n_places_);
  for (const VortexAir::Surface& surface : air_.surfaces_)
    for (int p = 0; p < surface.lattice.n_panels(); ++p)
      flows[surface.first + p] = work.velocities[surface.first + p].dot(surface.lattice.normals()[p]);
  for (int i = 0; i < n_places_; ++i) flows.segment<3>(n_panels_ + 3 * i) = work.velocities[n_panels_ + i];
  return flows;
}

/// All of the air against the surfaces as they stand, by the lines in the workspace.
Eigen::VectorXd AirResponse::calc_flows() {
  Eigen::VectorXd flows = induce_at_base();
  Eigen::Index at = n_panels_;
  for (const VortexAir::Surface& surface : air_.surfaces_) {
    const Lattice& l = surface.lattice;
    for (int p = 0; p < l.n_panels(); ++p)
      flows[surface.first + p] += air_.calc_onset(surface, p).dot(l.normals()[p]);
    for (const Segment& s : list_segments(surface)) {
      const Vector3<double> middle = (l.ring_node(s.i0, s.j0) + l.ring_node(s.i1, s.j1)) / 2,
                            own = (l.ring_velocity(s.i0, s.j0) + l.ring_velocity(s.i1, s.j1)) / 2;
      flows.segment<3>(at) += air_.wind(middle) - own;
      at += 3;
    }
  }
  return flows;
}

void AirResponse::set_flows(const Eigen::VectorXd& flows) {
  Eigen::Index at = n_panels_;
  for (VortexAir::Surface& surface : air_.surfaces_)
    for (std::vector<Vector3<double>>* list : {&surface.span_flow, &surface.chord_flow})
      for (Vector3<double>& flow : *list) {
        flow = flows.segment<3>(at);
        at += 3;
      }
}

void AirResponse::update_rings() {
  rings_.resize(n_panels_ + 3 * n_places_, n_panels_);
  const auto one = [](int, int) { return 1.; };
  for (const VortexAir::Surface& surface : air_.surfaces_)
    for (int p = 0; p < surface.lattice.n_panels(); ++p) {
      const int i0 = p / surface.lattice.columns(), j0 = p % surface.lattice.columns();
      air_.work_.lines.clear();
      add_rings(
          1, 1, [&](int i, int j) { return surface.lattice.ring_node(i0 + i, j0 + j); }, one,
          &air_.work_.lines);
      rings_.col(surface.first + p) = induce_at_base();
    }
  factors_.factor(rings_.topRows(n_panels_));
}

void AirResponse::update_wake_rings() {
  wake_rings_.resize(n_panels_ + 3 * n_places_, Eigen::Index{rows_} * n_columns_);
  const auto one = [](int, int) { return 1.; };
  Eigen::Index column = 0;
  for (const VortexAir::Surface& surface : air_.surfaces_)
    for (int c = 0; c < surface.wake.columns() && surface.sheds(); ++c)
      for (int row = 0; row < rows_; ++row) {
        air_.work_.lines.clear();
        add_rings(
            1, 1, [&](int i, int j) { return surface.wake.node(row + i, c + j); }, one,
            [&](int i) { return air_.settings_->core_growth * (air_.t_ - surface.wake.birth(row + i)); },
            &air_.work_.lines);
        wake_rings_.col(column++) = induce_at_base();
      }
}

/// Circulations that stop the flow, with wakes that have them, too.
void AirResponse::update_base() {
  for (Eigen::VectorXd& gamma : air_.gamma_) gamma.setZero(n_panels_);
  air_.work_.lines.clear();
  const Eigen::VectorXd still = calc_flows();
  Eigen::MatrixXd matrix = rings_.topRows(n_panels_);
  for (int c = 0; c < n_columns_; ++c)
    matrix.col(owners_[c]) +=
        wake_rings_.topRows(n_panels_).middleCols(Eigen::Index{c} * rows_, rows_).rowwise().sum();
  DenseLu lu;
  lu.factor(matrix);
  base_gamma_ = -lu.solve(still.head(n_panels_));
  for (Eigen::VectorXd& gamma : air_.gamma_) gamma = base_gamma_;
  lay_wakes(rows_);
  air_.calc_panel_flow();
  air_.collect_lines(true, air_.count_segments());
  air_.calc_flow();
  base_flows_ = calc_flows();
}

void AirResponse::update_ways() {
  direct_.resize(n_panels_ + 3 * n_places_, n_ways());
  displaced_.resize(ways_.size());
  for (int k = 0; k < n_ways(); ++k) {
    std::vector<std::vector<Vector3<double>>> edges(air_.surfaces_.size());
    direct_.col(k).setZero();
    for (const double side : {1., -1.}) {
      air_.set_motion(side > 0 ? ways_[k].plus : ways_[k].minus);
      hang_on_edges();
      air_.collect_lines(true, air_.count_segments());
      direct_.col(k) += side / 2 * calc_flows();
      for (std::size_t s = 0; s < edges.size(); ++s) {
        const std::vector<Vector3<double>>& edge = air_.surfaces_[s].edge;
        edges[s].resize(edge.size(), Vector3<double>::Zero());
        for (std::size_t j = 0; j < edge.size(); ++j) edges[s][j] += side / 2 * edge[j];
      }
    }
    air_.set_motion(base_);
    hang_on_edges();
    update_displaced_rows(k, edges);
  }
}

/// What rows of nodes that left the edge while it was elsewhere do at the wings.
void AirResponse::update_displaced_rows(int way, const std::vector<std::vector<Vector3<double>>>& edges) {
  const auto moves = [](const Vector3<double>& p) { return p != Vector3<double>::Zero(); };
  if (std::none_of(edges.begin(), edges.end(),
                   [&](const auto& edge) { return std::any_of(edge.begin(), edge.end(), moves); }))
    return;
  Eigen::MatrixXd& displaced = displaced_[way];
  displaced.setZero(n_panels_ + 3 * n_places_, rows_);
  for (int row = 1; row <= rows_; ++row)
    for (const double side : {1., -1.}) {
      air_.work_.lines.clear();
      for (std::size_t s = 0; s < edges.size(); ++s) {
        const VortexAir::Surface& surface = air_.surfaces_[s];
        if (!surface.sheds()) continue;
        const Wake& wake = surface.wake;
        const auto node = [&](int i, int j) -> Vector3<double> {
          Vector3<double> place = wake.node(row - 1 + i, j);
          if (i == 1) place += side * edges[s][j];
          return place;
        };
        const auto circulation = [&](int i, int j) { return wake.circulation(row - 1 + i, j); };
        const auto growth = [&](int i) {
          return air_.settings_->core_growth * (air_.t_ - wake.birth(row - 1 + i));
        };
        add_rings(row < rows_ ? 2 : 1, wake.columns(), node, circulation, growth, &air_.work_.lines);
      }
      displaced.col(row - 1) += side / 2 * induce_at_base();
    }
}

/// theory.md (E47), (E48)
void AirResponse::update(std::complex<double> z) {
  z_ = z;
  const Eigen::Index n = n_panels_, n_flows = n_panels_ + 3 * n_places_;
  const Eigen::MatrixXd powers = calc_powers(z, 1, rows_);
  Eigen::MatrixXcd flows = direct_.cast<std::complex<double>>();
  for (int k = 0; k < n_ways(); ++k)
    if (displaced_[k].size() > 0) flows.col(k) += join_parts(displaced_[k] * powers);
  Eigen::MatrixXcd wakes(n_flows, n_columns_);
  for (int c = 0; c < n_columns_; ++c)
    wakes.col(c) = join_parts(wake_rings_.middleCols(Eigen::Index{c} * rows_, rows_) * powers);
  const auto solve = [&](const Eigen::MatrixXcd& through) {
    Eigen::MatrixXcd gamma(n, through.cols());
    for (Eigen::Index k = 0; k < through.cols(); ++k) {
      gamma.col(k).real() = factors_.solve(through.col(k).real());
      gamma.col(k).imag() = factors_.solve(through.col(k).imag());
    }
    return gamma;
  };
  gamma_ = -solve(flows.topRows(n));
  if (n_columns_ > 0) {
    const Eigen::MatrixXcd answer = solve(wakes.topRows(n));
    Eigen::MatrixXcd system = Eigen::MatrixXcd::Identity(n_columns_, n_columns_), edge(n_columns_, n_ways());
    for (int c = 0; c < n_columns_; ++c) {
      system.row(c) += answer.row(owners_[c]);
      edge.row(c) = gamma_.row(owners_[c]);
    }
    const Eigen::MatrixXcd shed = calc_inverse(system).matrix * edge;
    gamma_ -= answer * shed;
    flows += wakes * shed;
  }
  flows_ = flows + rings_.cast<std::complex<double>>() * gamma_;
}

void AirResponse::show(int way, Part part, double side) {
  const bool is_real = part == Part::kReal;
  if (is_real)
    air_.set_motion(side > 0 ? ways_[way].plus : ways_[way].minus);
  else
    air_.set_motion(base_);
  std::complex<double> power = 1;
  for (Eigen::VectorXd& gamma : air_.gamma_) {
    const Eigen::VectorXcd change = power * gamma_.col(way);
    gamma = base_gamma_ + side * (is_real ? Eigen::VectorXd(change.real()) : Eigen::VectorXd(change.imag()));
    power /= z_;
  }
  set_flows(base_flows_ + side * (is_real ? Eigen::VectorXd(flows_.col(way).real())
                                          : Eigen::VectorXd(flows_.col(way).imag())));
}

void AirResponse::show_base() {
  air_.set_motion(base_);
  for (Eigen::VectorXd& gamma : air_.gamma_) gamma = base_gamma_;
  set_flows(base_flows_);
}

}  // namespace haltere
