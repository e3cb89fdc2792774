#include "haltere/aero/lattice/closed_body.h"

#include <cmath>
#include <numbers>

#include "haltere/aero/lattice/lattice_frame.h"
#include "haltere/aero/lattice/ring_matrix.h"

namespace haltere {
namespace {

/// Of a triangle seen from p; positive where it goes round with a right hand about what points away.
///   [oosterom1983]
double calc_solid_angle(const Vector3<double>& p, Vector3<double> a, Vector3<double> b, Vector3<double> c) {
  a -= p;
  b -= p;
  c -= p;
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  return 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + a.dot(c) * lb + b.dot(c) * la);
}

/// The potential of rings at the panels, on their inner side: by solid angles, the own one is a half.
double calc_inner_potential(const Lattice& l, int panel, const Eigen::VectorXd& gamma) {
  const Vector3<double>& p = l.points()[panel];
  double sum = 0;
  for (int i = 0; i < l.rows(); ++i)
    for (int j = 0; j < l.columns(); ++j) {
      if (l.panel(i, j) == panel) continue;
      const Vector3<double>&a = l.corner(i, j), &c = l.corner(i + 1, j + 1);
      sum += gamma[l.panel(i, j)] *
             (calc_solid_angle(p, a, l.corner(i, j + 1), c) + calc_solid_angle(p, a, c, l.corner(i + 1, j)));
    }
  return sum / (4 * std::numbers::pi) - gamma[panel] / 2;
}

/// Of values at the panels, along the sheet. Beyond a pole lies the column opposite.
class SheetGradient {
 public:
  explicit SheetGradient(const Lattice& lattice) : l_(lattice) {}

  template <class Values>
  Vector3<double> calc(const Values& values, int i, int j) const {
    const int n = l_.columns(), m = l_.rows(), p = l_.panel(i, j);
    const int across = (j + n / 2) % n;
    const int ahead = i > 0 ? l_.panel(i - 1, j) : l_.panel(0, across);
    const int behind = i + 1 < m ? l_.panel(i + 1, j) : l_.panel(m - 1, across);
    const double before = calc_reach(p, edge(i, j)) + calc_reach(ahead, edge(i, i > 0 ? j : across));
    const double after =
        calc_reach(p, edge(i + 1, j)) + calc_reach(behind, edge(i + 1, i + 1 < m ? j : across));
    // three points with unequal distances
    const double along =
        ((values(behind) - values(p)) * before / after + (values(p) - values(ahead)) * after / before) /
        (before + after);
    const int left = l_.panel(i, (j + n - 1) % n), right = l_.panel(i, (j + 1) % n);
    const Vector3<double> chord = l_.points()[right] - l_.points()[left];
    return (edge(i + 1, j) - edge(i, j)).normalized() * along +
           chord * ((values(right) - values(left)) / chord.squaredNorm());
  }

 private:
  /// The middle of the side of a panel between two rows.
  Vector3<double> edge(int i, int j) const { return (l_.corner(i, j) + l_.corner(i, j + 1)) / 2; }
  double calc_reach(int panel, const Vector3<double>& edge) const {
    return (l_.points()[panel] - edge).norm();
  }

  const Lattice& l_;
};

}  // namespace

void ClosedBody::start(const Lattice& lattice, double core) {
  motions_ = {};
  turning_.setZero();
  vessel_.clear();
  vessel_of_.reset();
  read_motion(lattice, core);
}

void ClosedBody::advance(const Lattice& lattice, double core) {
  motions_[2] = motions_[1];
  motions_[1] = motions_[0];
  turning_.setZero();
  read_motion(lattice, core);
}

void ClosedBody::settle(const Lattice& lattice, double core, const Vector3<double>& wind) {
  read_motion(lattice, core);
  motions_[2] = motions_[1] = motions_[0];
  turning_ =
      (LatticeFrame(lattice, choose_body_corners(lattice)).R() * now().spin).cross(now().velocity - wind);
}

/// Of the velocities of both poles and of a corner between them.
void ClosedBody::read_motion(const Lattice& l, double core) {
  const Matrix3<double> R = LatticeFrame(l, choose_body_corners(l)).R();
  const int m = l.rows();
  const Vector3<double> length = l.corner(m, 0) - l.corner(0, 0), arm = l.corner(m / 2, 0) - l.corner(0, 0);
  const auto against = [&](int i) -> Vector3<double> {
    return l.ring_velocity(i, 0) - l.ring_velocity(0, 0);
  };
  Vector3<double> spin = length.cross(against(m)) / length.squaredNorm();
  spin += R.col(0) * ((against(m / 2) - spin.cross(arm)).dot(R.col(2)) / arm.dot(R.col(1)));
  motions_[0] = {(l.corner(0, 0) + l.corner(m, 0)) / 2, (l.ring_velocity(0, 0) + l.ring_velocity(m, 0)) / 2,
                 R.transpose() * spin};
  if (vessel_of_ ? is_rigid(l, *vessel_of_) : now().spin.isZero(0)) return;
  vessel_of_ = l;

  // rings that carry the fluid along at the walls: their potential within, which is 0 for a spin about the axis itself
  vessel_.assign(l.n_panels(), Vector3<double>::Zero());
  const auto block = RingMatrix::make_block(l, core);
  Eigen::VectorXd through(l.n_panels());
  for (int axis = 1; axis < 3; ++axis) {
    for (int p = 0; p < l.n_panels(); ++p)
      through[p] = R.col(axis).cross(l.points()[p] - now().middle).dot(l.normals()[p]);
    const Eigen::VectorXd gamma = block->factors.solve(through);
    for (int p = 0; p < l.n_panels(); ++p) vessel_[p][axis] = calc_inner_potential(l, p, gamma);
  }
}

/// -p = rho [dGamma/dt + a . r + dspin/dt . k + (|v|^2 - |W - U|^2 - |w x r|^2)/2],
///  v = grad(Gamma + spin . k) - (w x r along the sheet)                               theory.md (E41), (E42)
void ClosedBody::update_pressures(const Lattice& l, const Flow& flow) {
  const Matrix3<double> R = LatticeFrame(l, choose_body_corners(l)).R();
  const Vector3<double> w = R * now().spin;
  Vector3<double> a = turning_, spin_rate = Vector3<double>::Zero();
  for (int k = 0; k < 3; ++k) {
    a += flow.weights[k] * motions_[k].velocity;
    spin_rate += flow.weights[k] * motions_[k].spin;
  }
  const auto inner = [&](const Vector3<double>& rates, int p) {
    return vessel_.empty() ? 0. : vessel_[p].dot(rates);
  };
  const auto outer = [&](int p) { return flow.circulations[0][p] + inner(now().spin, p); };
  const SheetGradient gradient(l);
  const double far = (flow.wind - now().velocity).squaredNorm();
  pressures_.clear();
  for (int i = 0; i < l.rows(); ++i)
    for (int j = 0; j < l.columns(); ++j) {
      const int p = l.panel(i, j);
      const Vector3<double>& n = l.normals()[p];
      const Vector3<double> r = l.points()[p] - now().middle, turn = w.cross(r);
      const Vector3<double> v = gradient.calc(outer, i, j) - (turn - n * n.dot(turn));
      double rate = a.dot(r) + inner(spin_rate, p);
      for (int k = 0; k < 3; ++k) rate += flow.weights[k] * flow.circulations[k][p];
      pressures_.push_back(-flow.density * (rate + (v.squaredNorm() - far - turn.squaredNorm()) / 2));
    }
}

void ClosedBody::visit_state(Archive& archive, const Lattice& lattice) {
  for (Motion& motion : motions_) archive(motion.middle, motion.velocity, motion.spin);
  archive(turning_);
  std::vector<double> numbers;
  const auto add = [&](const std::vector<Vector3<double>>& list) {
    for (const Vector3<double>& x : list) numbers.insert(numbers.end(), x.begin(), x.end());
  };
  if (vessel_of_) {
    add(vessel_);
    add(vessel_of_->corners());
  }
  archive.grow(numbers);
  if (!archive.is_loading()) return;
  vessel_.clear();
  vessel_of_.reset();
  if (numbers.empty()) return;
  if (numbers.size() != 3 * static_cast<std::size_t>(lattice.n_panels() + lattice.n_nodes()))
    throw ArchiveMismatch("the air within a body has another number of panels");
  std::vector<Vector3<double>> all;
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    all.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  vessel_.assign(all.begin(), all.begin() + lattice.n_panels());
  vessel_of_ = lattice.make_at({all.begin() + lattice.n_panels(), all.end()});
}

}  // namespace haltere
