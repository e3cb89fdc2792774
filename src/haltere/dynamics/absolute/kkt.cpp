#include "haltere/dynamics/absolute/kkt.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "haltere/math/dense.h"

namespace haltere {
namespace {

// of a body's own size, where it lacks inertia in some direction: refined away. The root of rounding: pivots
// lose half of the digits, and each refinement wins about as many back.
constexpr double kAdded = 1e-8;
// one more than that takes
constexpr int kRefinements = 3;
// of the moments about Bo, summed: principal moments below this part are none, as they would vanish in kAdded
constexpr double kThin = 1e-8;
// of the entries of an added matrix: what rounding makes unsymmetric, some dozen operations
constexpr double kSymmetric = 64 * std::numeric_limits<double>::epsilon();

}  // namespace

Kkt::Kkt(const std::vector<BodyRows<double>>& joints, const std::vector<bool>& is_length)
    : body_index_(joints.size() + 1, -1), row_index_(joints.size()) {
  for (std::size_t body = joints.size(); body > 0; --body) {
    body_index_[body] = n_;
    n_ += 6;
    for (int i = 0; i < joints[body - 1].n; ++i) row_index_[body - 1].push_back(n_++);
  }
  added_.setZero(n_);
  make_pattern(joints);
  find_places(joints);
  factor_.analyzePattern(K_);
  for (Eigen::VectorXd* x : {&b_, &x_, &dx_}) x->setZero(n_);
  kind_.assign(body_index_.size(), Added::kNothing);
  skew_.assign(body_index_.size(), Matrix6<double>::Zero());
  is_force_.assign(n_, false);
  for (std::size_t s = 0; s < joints.size(); ++s)
    for (int i = 0; i < joints[s].n; ++i) is_force_[row_index_[s][i]] = is_length[joints[s].start + i];
  units_.setOnes(n_);
}

void Kkt::make_pattern(const std::vector<BodyRows<double>>& joints) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int i, int j) { entries.emplace_back(std::min(i, j), std::max(i, j), 0.0); };
  const auto add_block = [&](int row, BodyIndex body) {
    for (int i = 0; body.value != 0 && i < 6; ++i) add(row, body_index_[body.value] + i);
  };
  for (std::size_t body = 1; body < body_index_.size(); ++body)
    for (int i = 0; i < 6; ++i)
      for (int j = i; j < 6; ++j) add(body_index_[body] + i, body_index_[body] + j);
  sign_.assign(n_, 1);
  for (std::size_t s = 0; s < joints.size(); ++s)
    for (const int row : row_index_[s]) {
      add(row, row);
      sign_[row] = -1;
      add_block(row, joints[s].first);
      add_block(row, joints[s].second);
    }
  K_.resize(n_, n_);
  K_.setFromTriplets(entries.begin(), entries.end());
  K_.makeCompressed();
}

void Kkt::find_places(const std::vector<BodyRows<double>>& joints) {
  body_places_.resize(body_index_.size());
  for (std::size_t body = 1; body < body_index_.size(); ++body)
    for (int i = 0; i < 36; ++i)
      body_places_[body][i] = place(body_index_[body] + i / 6, body_index_[body] + i % 6);
  for (std::size_t s = 0; s < joints.size(); ++s) {
    SetPlaces& places = set_places_.emplace_back(SetPlaces{joints[s].first, joints[s].second, {}, {}});
    for (const int row : row_index_[s])
      for (int i = 0; i < 6; ++i) {
        if (places.first.value != 0)
          places.on_first.push_back(place(row, body_index_[places.first.value] + i));
        places.on_second.push_back(place(row, body_index_[places.second.value] + i));
      }
  }
}

int Kkt::place(int i, int j) const {
  const int row = std::min(i, j), column = std::max(i, j);
  const int* begin = K_.innerIndexPtr() + K_.outerIndexPtr()[column];
  const int* end = K_.innerIndexPtr() + K_.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - K_.innerIndexPtr());
}

void Kkt::set_thin(const std::vector<MassProperties<double>>& masses, double length) {
  double mass = 0;  // of the whole, for bodies that have none
  for (const MassProperties<double>& m : masses) mass += m.mass;
  added_.setZero();
  refinements_ = 0;
  set_units(mass, length);
  for (std::size_t body = 1; body < masses.size(); ++body) {
    const MassProperties<double>& m = masses[body];
    const Vector3<double> moments = calc_symmetric_eigenvalues(m.I_BBcm);
    double size = m.I_BBcm.trace() + 2 * m.mass * m.p_BoBcm.squaredNorm();
    if (m.mass > 0 && moments[0] > kThin * size) continue;
    if (!(size > 0)) size = mass * length * length;
    refinements_ = kRefinements;
    added_.segment<3>(body_index_[body]).setConstant(kAdded * size);
    if (!(m.mass > 0)) added_.segment<3>(body_index_[body] + 3).setConstant(kAdded * mass);
  }
}

void Kkt::set_body(int body, const Matrix6<double>& M) {
  double* values = K_.valuePtr();
  kind_[body] = Added::kNothing;
  skew_[body].setZero();
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 6; ++j) values[body_places_[body][std::size_t{6} * i + j]] = M(i, j);
    values[body_places_[body][std::size_t{7} * i]] += added_[body_index_[body] + i];
  }
}

void Kkt::add_to_body(int body, const Matrix6<double>& K) {
  double* values = K_.valuePtr();
  if (kind_[body] == Added::kNothing) kind_[body] = Added::kSymmetric;
  for (int i = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j) {
      values[body_places_[body][std::size_t{6} * i + j]] += K(i, j);
      const double size = std::abs(K(i, j)) + std::abs(K(j, i)) + std::sqrt(std::abs(K(i, i) * K(j, j)));
      if (std::abs(K(i, j) - K(j, i)) <= kSymmetric * size) continue;
      kind_[body] = Added::kGeneral;
      skew_[body](j, i) += K(j, i) - K(i, j);
    }
}

/// Powers of two, so that nothing is rounded: a mass and a length of the machine.
void Kkt::set_units(double mass, double length) {
  const auto power = [](double x) { return x > 0 && std::isfinite(x) ? std::exp2(std::ilogb(x)) : 1; };
  const double m = power(mass), l = power(length);
  for (std::size_t body = 1; body < body_index_.size(); ++body) {
    units_.segment<3>(body_index_[body]).setConstant(1);      // [rad/s2]
    units_.segment<3>(body_index_[body] + 3).setConstant(l);  // [m/s2]
    for (const int row : row_index_[body - 1]) units_[row] = is_force_[row] ? m * l : m * l * l;
  }
}

void Kkt::set_rows(int set, const BodyRows<double>& rows) {
  double* values = K_.valuePtr();
  const SetPlaces& places = set_places_[set];
  for (int i = 0; i < rows.n; ++i)
    for (int j = 0; j < 6; ++j) {
      if (places.first.value != 0) values[places.on_first[6 * i + j]] = rows.G_A(i, j);
      values[places.on_second[6 * i + j]] = rows.G_B(i, j);
    }
}

/// Symmetric where that will do; a sum of M and what was added that is not positive may still be regular on
/// the motions that the joints allow.
bool Kkt::factor() {
  const Added kind = *std::max_element(kind_.begin(), kind_.end());
  is_general_ = false;
  if (kind != Added::kGeneral && factor_symmetric()) return true;
  is_general_ = kind != Added::kNothing;
  return is_general_ && factor_general();
}

bool Kkt::factor_symmetric() {
  factor_.refactor(K_);
  if (factor_.info() != Eigen::Success) return false;
  const Eigen::VectorXd& pivots = factor_.pivots();
  for (int i = 0; i < n_; ++i)
    if (!(pivots[i] * sign_[i] > 0)) return false;
  return true;
}

void Kkt::make_general() {
  std::vector<std::vector<int>> columns(n_);
  const auto for_each_entry = [&](const auto& take) {
    for (int j = 0; j < n_; ++j)
      for (int k = K_.outerIndexPtr()[j]; k < K_.outerIndexPtr()[j + 1]; ++k)
        take(K_.innerIndexPtr()[k], j, k);
  };
  for_each_entry([&](int i, int j, int) {
    columns[j].push_back(i);
    if (i != j) columns[i].push_back(j);
  });
  for (std::vector<int>& column : columns) std::sort(column.begin(), column.end());
  general_ = std::make_unique<SparseLu>(columns, n_);
  const auto find = [&](int i, int j) {
    return static_cast<int>(&general_->at(i, j) - general_->values().data());
  };
  places_.resize(K_.nonZeros());
  for_each_entry([&](int i, int j, int k) { places_[k] = {find(i, j), find(j, i)}; });
  general_body_places_.resize(body_index_.size());
  for (std::size_t body = 1; body < body_index_.size(); ++body)
    for (int i = 0; i < 36; ++i)
      general_body_places_[body][i] = find(body_index_[body] + i / 6, body_index_[body] + i % 6);
}

/// Without what was added to the diagonal: the pivots do not need it.
bool Kkt::factor_general() {
  if (!general_) make_general();
  std::vector<double>& values = general_->values();
  for (std::size_t k = 0; k < places_.size(); ++k)
    values[places_[k][0]] = values[places_[k][1]] = K_.valuePtr()[k];
  for (std::size_t body = 1; body < body_index_.size(); ++body) {
    for (int i = 0; i < 6; ++i) {
      values[general_body_places_[body][std::size_t{7} * i]] -= added_[body_index_[body] + i];
      for (int j = 0; j < i && kind_[body] == Added::kGeneral; ++j)
        values[general_body_places_[body][std::size_t{6} * i + j]] += skew_[body](i, j);
    }
  }
  return general_->factor(units_, units_) &&
         general_->calc_condition() > std::numeric_limits<double>::epsilon();
}

/// Without what was added to the diagonal.
void Kkt::multiply(const Eigen::VectorXd& x, Eigen::VectorXd* out) const {
  out->setZero();
  for (int j = 0; j < n_; ++j)
    for (int k = K_.outerIndexPtr()[j]; k < K_.outerIndexPtr()[j + 1]; ++k) {
      const int i = K_.innerIndexPtr()[k];
      (*out)[i] += K_.valuePtr()[k] * x[j];
      if (i != j) (*out)[j] += K_.valuePtr()[k] * x[i];
    }
  *out -= added_.cwiseProduct(x);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void Kkt::solve(Ref bodies, Ref rows) {
  for (std::size_t body = 1; body < body_index_.size(); ++body)
    b_.segment<6>(body_index_[body]) = bodies.segment<6>(6 * (static_cast<Eigen::Index>(body) - 1));
  int row = 0;
  for (const std::vector<int>& set : row_index_)
    for (const int i : set) b_[i] = rows[row++];
  if (is_general_) {
    x_ = b_;
    general_->solve(x_);
  } else {
    x_ = factor_.solve(b_);
  }
  for (int i = 0; i < refinements_ && !is_general_; ++i) {
    multiply(x_, &dx_);
    dx_ = b_ - dx_;
    dx_ = factor_.solve(dx_);
    x_ += dx_;
  }
  for (std::size_t body = 1; body < body_index_.size(); ++body)
    bodies.segment<6>(6 * (static_cast<Eigen::Index>(body) - 1)) = x_.segment<6>(body_index_[body]);
  row = 0;
  for (const std::vector<int>& set : row_index_)
    for (const int i : set) rows[row++] = x_[i];
}

}  // namespace haltere
