#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "haltere/dynamics/implicit_form.h"
#include "haltere/math/rotation.h"

/// Small equations with known solutions, for tests of integrators: no machine, no formulation.
namespace haltere::problems {

/// r = vdot - a(t, q, v), its derivatives by central differences: good enough for Newton's method.
class ProblemForm final : public ImplicitForm {
 public:
  explicit ProblemForm(Integrand& problem)
      : ImplicitForm(problem.sizes()), problem_(problem), sizes_(problem.sizes()) {
    std::vector<int> all(sizes_.nv);
    for (int i = 0; i < sizes_.nv; ++i) all[i] = i;
    set_pattern(problem.calc_scales().segment(sizes_.nq, sizes_.nv), {},
                std::vector<std::vector<int>>(sizes_.nv, all), list_links(sizes_));
    y_.setZero(sizes_.ny());
    ydot_ = y_;
    for (Eigen::VectorXd* x : {&shifted_.dq, &shifted_.v, &shifted_.vdot}) x->setZero(sizes_.nv);
    at_plus_.r.setZero(sizes_.nv);
    at_minus_.r = at_plus_.r;
  }
  std::string row_name(int) const override { return ""; }
  bool is_holonomic(int) const override { return true; }
  void read_multipliers(Eigen::VectorXd*) const override {}
  void take_row_forces(const Take&) override {}
  void calc_row_forces(const Eigen::VectorXd&, Eigen::VectorXd*) override {}

 private:
  static std::vector<Link> list_links(const Sizes& sizes) {
    if (sizes.nq > sizes.nv) return {{0, 0, true}};  // a quaternion and nothing else
    std::vector<Link> links;
    for (int i = 0; i < sizes.nq; ++i) links.push_back({i, i, false});
    return links;
  }
  Status evaluate(const Point<double>& p, Residual<double>* out) override {
    move(p.dq, y_);
    y_.segment(sizes_.nq, sizes_.nv) = p.v;
    const Status status = problem_.calc_ydot(p.t, y_, ydot_);
    out->r = p.vdot - ydot_.segment(sizes_.nq, sizes_.nv);
    return status;
  }
  Status evaluate(const Point<Dual>& p, Residual<Dual>* out) override {
    constexpr double kStep = 1e-5;  // in units of a velocity's scale: truncation 1e-10, rounding 1e-11
    for (int d = 0; d < Dual::kDirections; ++d) {
      double size = 0;
      for (int i = 0; i < sizes_.nv; ++i)
        size = std::max({size, std::abs(p.v[i].d[d]) / scales()[i], std::abs(p.dq[i].d[d]) / scales()[i]});
      const double e = size > 0 ? kStep / size : 0;
      for (int i = 0; i < sizes_.nv; ++i) out->r[i].d[d] = 0;
      if (e == 0) continue;
      // both sides, or the one that can be evaluated
      const double up = evaluate_at(p, d, e, &at_plus_) ? e : 0,
                   down = evaluate_at(p, d, -e, &at_minus_) ? e : 0;
      if (up == 0 && !evaluate_at(p, d, 0, &at_plus_)) return Status::kSingular;
      if (down == 0 && !evaluate_at(p, d, 0, &at_minus_)) return Status::kSingular;
      if (up + down == 0) return Status::kSingular;
      for (int i = 0; i < sizes_.nv; ++i) out->r[i].d[d] = (at_plus_.r[i] - at_minus_.r[i]) / (up + down);
    }
    return Status::kOk;
  }

  const Scene<Dual>& dual_scene() const override { return no_scene_; }
  bool evaluate_at(const Point<Dual>& p, int d, double e, Residual<double>* out) {
    shifted_.t = p.t;
    for (int i = 0; i < sizes_.nv; ++i) {
      shifted_.dq[i] = p.dq[i].value + e * p.dq[i].d[d];
      shifted_.v[i] = p.v[i].value + e * p.v[i].d[d];
      shifted_.vdot[i] = p.vdot[i].value + e * p.vdot[i].d[d];
    }
    return evaluate(shifted_, out) == Status::kOk && out->r.allFinite();
  }

  Integrand& problem_;
  Sizes sizes_;
  Eigen::VectorXd y_, ydot_;
  Point<double> shifted_;
  Residual<double> at_plus_, at_minus_;
  Scene<Dual> no_scene_;
};

class Problem : public Integrand {
 public:
  std::string explain_failure(double, ConstRef) override { return "the hinge is stretched"; }
  std::unique_ptr<ImplicitForm> make_implicit_form() const override {
    return std::make_unique<ProblemForm>(
        const_cast<Problem&>(*this));  // NOLINT: calc_ydot changes nothing here
  }

  virtual Eigen::VectorXd calc_initial_state() const { return calc_exact(0); }
  virtual Eigen::VectorXd calc_exact(double t) const = 0;
};

/// q'' = -q: q = cos t. With `nz` work states z' = q v: z = (q^2 - 1) / 2.                   source: analytic
class Oscillator : public Problem {
 public:
  explicit Oscillator(int nz = 1) : nz_(nz) {}
  Sizes sizes() const override { return {.nq = 1, .nv = 1, .nz = nz_}; }
  Eigen::VectorXd calc_scales() const override { return make_state(1, 1, 0); }
  Status calc_ydot(double, ConstRef y, Ref ydot) override {
    ydot[0] = y[1];
    ydot[1] = -y[0];
    ydot.tail(nz_).setConstant(y[0] * y[1]);
    return Status::kOk;
  }
  Eigen::VectorXd calc_exact(double t) const override {
    return make_state(std::cos(t), -std::sin(t), -std::sin(t) * std::sin(t) / 2);
  }

 private:
  Eigen::VectorXd make_state(double q, double v, double z) const {
    Eigen::VectorXd y(2 + nz_);
    y << q, v, Eigen::VectorXd::Constant(nz_, z);
    return y;
  }
  int nz_;
};

/// Two bodies, relative motion in the plane: semi-major axis `length`, one revolution in 2 pi seconds,
/// starting at the pericentre. Position from Kepler's equation E - e sin E = t. source: analytic
class Kepler : public Problem {
 public:
  explicit Kepler(double eccentricity = 0.5, double length = 1) : e_(eccentricity), length_(length) {}
  Sizes sizes() const override { return {.nq = 2, .nv = 2}; }
  Eigen::VectorXd calc_scales() const override { return Eigen::VectorXd::Constant(4, length_); }
  Status calc_ydot(double, ConstRef y, Ref ydot) override {
    const double r2 = y[0] * y[0] + y[1] * y[1], gm = length_ * length_ * length_;
    ydot.head(2) = y.tail(2);
    ydot.tail(2) = -gm / (r2 * std::sqrt(r2)) * y.head(2);
    return Status::kOk;
  }
  Eigen::VectorXd calc_exact(double t) const override {
    double anomaly = t;
    for (int i = 0; i < 50; ++i)
      anomaly -= (anomaly - e_ * std::sin(anomaly) - t) / (1 - e_ * std::cos(anomaly));
    const double c = std::cos(anomaly), s = std::sin(anomaly), b = std::sqrt(1 - e_ * e_),
                 rate = 1 / (1 - e_ * c);
    return length_ * Eigen::Vector4d(c - e_, b * s, -s * rate, b * c * rate);
  }

 private:
  double e_, length_;
};

/// A symmetric body without torque: q(t) = exp(a t e_p / 2) q(0) exp(b t e_3 / 2), so that w' = a e_p x w in
/// world axes. source: analytic
class FreeTop : public Problem {
 public:
  Sizes sizes() const override { return {.nq = 4, .nv = 3}; }
  Eigen::VectorXd calc_scales() const override { return Eigen::VectorXd::Ones(7); }
  void normalize(Ref y, Ref ydot) const override {
    const double length = y.head(4).norm();
    y.head(4) /= length;
    ydot.head(4) /= length;
  }
  Status calc_ydot(double, ConstRef y, Ref ydot) override {
    const Vector3<double> w = y.tail(3);
    ydot.head(4) = quaternion_rate<double>(y.head(4), w);
    ydot.tail(3) = kPrecession * axis().cross(w);
    return Status::kOk;
  }
  Eigen::VectorXd calc_exact(double t) const override {
    const Vector4<double> start = quaternion_exp<double>({0.3, -0.7, 0.2});
    const Vector4<double> q =
        multiply<double>(multiply<double>(quaternion_exp<double>(kPrecession * t * axis()), start),
                         quaternion_exp<double>({0, 0, kSpin * t}));
    Eigen::VectorXd y(7);
    y << q, kPrecession * axis() + kSpin * rotation_of<double>(q).col(2);
    return y;
  }

 private:
  static constexpr double kPrecession = 1.3, kSpin = 2.1;  // a, b [rad/s]
  static Vector3<double> axis() { return Vector3<double>(1, 2, 2) / 3; }
};

/// q'' = -cos t - c ((v + sin t) + (q - cos t)): q = cos t for any c; stiff for a large one. source: analytic
class Stiff : public Problem {
 public:
  explicit Stiff(double damping) : damping_(damping) {}
  Sizes sizes() const override { return {.nq = 1, .nv = 1}; }
  Eigen::VectorXd calc_scales() const override { return Eigen::VectorXd::Ones(2); }
  Status calc_ydot(double t, ConstRef y, Ref ydot) override {
    ydot[0] = y[1];
    ydot[1] = -std::cos(t) - damping_ * ((y[1] + std::sin(t)) + (y[0] - std::cos(t)));
    return Status::kOk;
  }
  Eigen::VectorXd calc_exact(double t) const override { return Eigen::Vector2d(std::cos(t), -std::sin(t)); }

 private:
  double damping_;
};

/// A mass on a spring that swings: an angle and a length, which no unit makes alike. `unit` is a metre in
/// units of the state; it has no closed form here.
class ElasticPendulum : public Problem {
 public:
  explicit ElasticPendulum(double unit) : unit_(unit) {}
  Sizes sizes() const override { return {.nq = 2, .nv = 2}; }
  Eigen::VectorXd calc_scales() const override { return Eigen::Vector4d(1, unit_, 1, unit_); }
  Eigen::VectorXd calc_initial_state() const override { return Eigen::Vector4d(1.2, 1.1 * unit_, 0, 0); }
  /// There is no closed form: a comparison with it fails.
  Eigen::VectorXd calc_exact(double /*t*/) const override {
    return Eigen::Vector4d::Constant(std::numeric_limits<double>::quiet_NaN());
  }
  Status calc_ydot(double, ConstRef y, Ref ydot) override {
    const double angle = y[0], r = y[1], rate = y[2], rdot = y[3], g = 9.81 * unit_;
    ydot.head(2) = y.tail(2);
    ydot[2] = -(g * std::sin(angle) + 2 * rdot * rate) / r;
    ydot[3] = r * rate * rate + g * std::cos(angle) - 400 * (r - unit_);
    return Status::kOk;
  }

 private:
  double unit_;
};

/// q = t, until the right-hand side ends at q = 1: with a status, or with a value that is not finite.
class Ending : public Problem {
 public:
  explicit Ending(Status status) : status_(status) {}
  Sizes sizes() const override { return {.nq = 1, .nv = 1}; }
  Eigen::VectorXd calc_scales() const override { return Eigen::VectorXd::Ones(2); }
  Status calc_ydot(double, ConstRef y, Ref ydot) override {
    ydot << y[1], (y[0] < 1 ? 0 : std::numeric_limits<double>::quiet_NaN());
    return y[0] < 1 ? Status::kOk : status_;
  }
  Eigen::VectorXd calc_exact(double t) const override { return Eigen::Vector2d(t, 1); }

 private:
  Status status_;
};

/// All motion is prescribed: only work z' = cos t is left, or (nz = 0) nothing at all.       source: analytic
class Prescribed : public Problem {
 public:
  explicit Prescribed(int nz) : nz_(nz) {}
  Sizes sizes() const override { return {.nz = nz_}; }
  Eigen::VectorXd calc_scales() const override { return Eigen::VectorXd::Zero(nz_); }
  Status calc_ydot(double t, ConstRef, Ref ydot) override {
    ydot.setConstant(std::cos(t));
    return Status::kOk;
  }
  Eigen::VectorXd calc_exact(double t) const override { return Eigen::VectorXd::Constant(nz_, std::sin(t)); }

 private:
  int nz_;
};

}  // namespace haltere::problems
