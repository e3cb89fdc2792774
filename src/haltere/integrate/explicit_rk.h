#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "haltere/integrate/one_step.h"
#include "haltere/integrate/tableaus.h"

namespace haltere {

/// What an explicit Runge-Kutta method states about itself, all of it data but the last:
///   kTableau     S stages; the rate at the end of the step is stage S+1, for next step and dense output
///   kExtra       rows of further stages that only the dense output needs, kExtraC their times
///   kError       rows whose sums h sum_i e_i k_i estimate the error; none: a fixed-step method
///   kErrorOrder  the estimate goes with h^kErrorOrder
///   kDense       rows D_0, D_1, ... of the dense output, see calc_dense_weights()
///   calc_error() one number from the norms of the estimates
///   kStability   what h times an eigenvalue on the negative real axis may be; not used where the last stage
///                is not at the end of the step: such a method cannot tell that a motion is stiff
/// and, where the dense output can be worse than the step, calc_dense_error(), from the norms of its last two
/// rows.
template <class Method>
concept ExplicitMethod = requires {
  { Method::kErrorOrder } -> std::convertible_to<int>;
  { Method::kStability } -> std::convertible_to<double>;
  Method::kTableau.a, Method::kExtra.size(), Method::kExtraC.size(), Method::kError.size(),
      Method::kDense.size();
};

/// All stages as one matrix: those of the tableau, the end of the step, those of the dense output.
template <ExplicitMethod Method>
struct Stages {
  static constexpr std::size_t kS = Method::kTableau.b.size();
  static constexpr std::size_t kN = kS + 1 + Method::kExtra.size();

  static constexpr Rows<kN, kN> calc_a() {
    Rows<kN, kN> rows{};
    for (std::size_t i = 0; i < kS; ++i)
      for (std::size_t j = 0; j < i; ++j) rows[i][j] = Method::kTableau.a[i][j];
    for (std::size_t j = 0; j < kS; ++j) rows[kS][j] = Method::kTableau.b[j];
    for (std::size_t i = kS + 1; i < kN; ++i) rows[i] = Method::kExtra[i - kS - 1];
    return rows;
  }
  static constexpr Row<kN> calc_c() {
    Row<kN> times{};
    for (std::size_t i = 0; i < kS; ++i) times[i] = Method::kTableau.c[i];
    times[kS] = 1;
    for (std::size_t i = kS + 1; i < kN; ++i) times[i] = Method::kExtraC[i - kS - 1];
    return times;
  }
  static constexpr Rows<kN, kN> kA = calc_a();
  static constexpr Row<kN> kC = calc_c();
};

/// Weights of y(t + theta h) = y + h sum_i b_i(theta) k_i: the cubic Hermite polynomial, and the method's own
/// terms that vanish with their derivative at both ends.                                [hairer1993] ch. II.6
///   H(theta) + theta^2 eta^2 (D_0 + theta (D_1 + eta (D_2 + theta (D_3 + ...)))),   eta = 1 - theta
template <ExplicitMethod Method>
constexpr Row<Stages<Method>::kN> calc_dense_weights(double theta) {
  constexpr std::size_t S = Stages<Method>::kS, N = Stages<Method>::kN;
  const double eta = 1 - theta;
  Row<N> weights{};
  for (std::size_t i = 0; i < N; ++i) {
    const double first = i == 0 ? 1 : 0, last = i == S ? 1 : 0, b = i < S ? Stages<Method>::kA[S][i] : 0;
    double inner = 0;
    for (std::size_t d = Method::kDense.size(); d-- > 0;)
      inner = Method::kDense[d][i] + (d % 2 == 0 ? theta : eta) * inner;
    weights[i] = theta * (b + eta * (first - b + theta * (2 * b - first - last + eta * inner)));
  }
  return weights;
}

/// The order of the dense output, at a fraction of the step that has no significance of its own.
template <ExplicitMethod Method>
constexpr int dense_order_of(int max_order) {
  constexpr double theta = 0.4375;
  return order_of(Stages<Method>::kA, calc_dense_weights<Method>(theta), theta, max_order);
}

namespace detail {

/// The stages with a weight that is not zero.
template <std::size_t N>
constexpr std::size_t count_nonzero(const Row<N>& row) {
  std::size_t count = 0;
  for (const double weight : row) count += weight != 0;
  return count;
}
template <std::size_t count, std::size_t N>
constexpr std::array<std::size_t, count> find_nonzero(const Row<N>& row) {
  std::array<std::size_t, count> stages{};
  std::size_t found = 0;
  for (std::size_t i = 0; i < N; ++i)
    if (row[i] != 0) stages[found++] = i;
  return stages;
}

/// sum_j row_j k_j as one expression, for one pass over memory; the row is known to the compiler, zeros cost
/// nothing.
template <class GetRow>
auto make_sum(GetRow, const Eigen::MatrixXd& k) {
  constexpr auto row = GetRow{}();
  constexpr auto stages = find_nonzero<count_nonzero(row)>(row);
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return (... + (row[stages[i]] * k.col(stages[i])));
  }
  (std::make_index_sequence<stages.size()>());
}

}  // namespace detail

/// Any explicit Runge-Kutta method.
template <ExplicitMethod Method>
class ExplicitRk final : public OneStep {
  using All = Stages<Method>;
  static constexpr std::size_t kS = All::kS;
  using Extra = std::make_index_sequence<Method::kExtra.size()>;
  static constexpr bool kChecksDense = requires { Method::calc_dense_error(0., 0.); };
  // An error of the dense output, in units of what is allowed, that rows and events may have. A choice, whose
  // price stands in decision 0019.
  static constexpr double kDenseAllowed = 7;
  // the error of a part goes with its length to this power: the dense output is one order below the step
  static constexpr double kDensePower = Method::kTableau.order;
  static constexpr double kMostParts = 16;  // a choice: an error of 16^order tolerances

 public:
  ExplicitRk(Integrand& integrand, const IntegratorOptions& options)
      : OneStep(integrand, options, Method::kTableau.order, Method::kErrorOrder),
        k_(Eigen::MatrixXd::Zero(integrand.sizes().ny(), All::kN)),
        stage_(integrand.sizes().ny()) {
    if (!kChecksDense) return;
    part_k_ = k_;
    part_y_ = stage_;
  }

 protected:
  Attempt attempt(double h) override {
    k_.col(0) = ydot_;
    parts_ = 0;
    Attempt result;
    result.status = update_stages<1>(t_, y_, h, k_, std::make_index_sequence<kS - 1>());
    if (result.status != Status::kOk) return result;
    update_stage_state<kS>(y_, h, k_, y1_);
    result.status = evaluator_.calc_ydot(t_ + h, y1_, ydot1_);
    k_.col(kS) = ydot1_;
    result.stability = calc_stability(h);
    if constexpr (Method::kErrorOrder > 0)
      result.error = calc_error(h, std::make_index_sequence<Method::kError.size()>());
    return result;
  }

  void calc_dense(double theta, Ref y) const override {
    const double h = t_ - t0_;
    if (parts_ == 0 && !begin_dense(h)) {
      y.setConstant(std::numeric_limits<double>::quiet_NaN());
    } else if (parts_ == 1) {
      add_dense(theta, y0_, h, k_, y);
    } else {
      const int part = std::min(static_cast<int>(theta * parts_), parts_ - 1);
      if (go_to_part(part, h / parts_))
        add_dense(theta * parts_ - part, part_y_, h / parts_, part_k_, y);
      else
        y.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  }

 private:
  /// Stages first, first + 1, ... of the step of h from (t, y).
  template <std::size_t first, std::size_t... i>
  Status update_stages(double t, const Eigen::VectorXd& y, double h, Eigen::MatrixXd& k,
                       std::index_sequence<i...>) const {
    Status status = Status::kOk;
    [[maybe_unused]] const auto update = [&]<std::size_t stage>() {
      update_stage_state<stage>(y, h, k, stage_);
      status = evaluator_.calc_ydot(t + All::kC[stage] * h, stage_, k.col(stage));
      return status == Status::kOk;
    };
    static_cast<void>((update.template operator()<first + i>() && ...));
    return status;
  }

  // Y_i = y + h sum_j a_ij k_j
  template <std::size_t stage>
  void update_stage_state(const Eigen::VectorXd& y, double h, const Eigen::MatrixXd& k,
                          Eigen::VectorXd& out) const {
    out = y + h * detail::make_sum([] { return All::kA[stage]; }, k);
  }

  template <std::size_t... e>
  double calc_error(double h, std::index_sequence<e...>) {
    return Method::calc_error(std::array<double, sizeof...(e)>{calc_error_norm<e>(h)...});
  }
  template <std::size_t e>
  double calc_error_norm(double h) {
    stage_ = h * detail::make_sum([] { return Method::kError[e]; }, k_);
    return norm_.calc(stage_, y_, y1_);
  }

  /// h times the largest eigenvalue, as the last two stages show it, in units of what the method bears; 0,
  /// unknown, unless both stand at the end of the step. [hairer1996] ch. IV.2
  double calc_stability(double h) {
    if constexpr (All::kC[kS - 1] != 1) return 0;
    stage_ -= y1_;
    const double apart = norm_.calc(stage_, y_, y1_);
    stage_ = k_.col(kS - 1) - k_.col(kS);
    // states that differ by rounding alone say nothing
    const double rounding = kRounding * std::numeric_limits<double>::epsilon() / norm_.tolerance();
    return apart > rounding ? h * norm_.calc(stage_, y_, y1_) / (apart * Method::kStability) : 0;
  }

  /// Once a step, and only where somebody looks inside it: the further stages, and in how many parts the step
  /// must be taken so that the polynomial is as good as the step. Over a strongly damped component it may be
  /// worse by orders of magnitude, since the stages there are far from the motion.
  bool begin_dense(double h) const {
    if (update_stages<kS + 1>(t0_, y0_, h, k_, Extra()) != Status::kOk) return false;
    parts_ = 1;
    part_ = -1;
    if constexpr (kChecksDense) {
      constexpr std::size_t kLast = Method::kDense.size() - 1;
      const double error = Method::calc_dense_error(calc_dense_norm<kLast - 1>(h), calc_dense_norm<kLast>(h));
      if (error > kDenseAllowed)
        parts_ = 1 + static_cast<int>(std::min(std::pow(error / kDenseAllowed, 1 / kDensePower), kMostParts));
    }
    return true;
  }
  template <std::size_t row>
  double calc_dense_norm(double h) const {
    stage_ = h * detail::make_sum([] { return Method::kDense[row]; }, k_);
    return norm_.calc(stage_, y0_, y_);
  }

  /// The part of the step, of length h, with all its stages: computed from the part before it.
  bool go_to_part(int part, double h) const {
    if (part < part_) part_ = -1;
    for (; part_ < part; ++part_) {
      const bool first = part_ < 0;
      if (first) {
        part_y_ = y0_;
      } else {
        update_stage_state<kS>(part_y_, h, part_k_, stage_);
        part_y_ = stage_;
      }
      part_k_.col(0) = first ? k_.col(0) : part_k_.col(kS);
      if (update_stages<1>(t0_ + (part_ + 1) * h, part_y_, h, part_k_,
                           std::make_index_sequence<All::kN - 1>()) != Status::kOk) {
        part_ = -1;
        return false;
      }
    }
    return true;
  }

  // y + h sum_i b_i(theta) k_i
  void add_dense(double theta, const Eigen::VectorXd& y0, double h, const Eigen::MatrixXd& k, Ref y) const {
    const Row<All::kN> weights = calc_dense_weights<Method>(theta);
    y = y0;
    for (Eigen::Index i = 0; i < k.cols(); ++i)
      if (weights[i] != 0) y += h * weights[i] * k.col(i);
  }

  static constexpr double kRounding = 100;  // eps, of a difference of states; a choice

  mutable Eigen::MatrixXd k_;      // rates of all stages, one a column
  mutable Eigen::VectorXd stage_;  // state of a stage
  // -- what the dense output looks at
  mutable int parts_ = 0;           // of the last step; 0: nobody has looked yet
  mutable int part_ = -1;           // which of them part_k_ belongs to
  mutable Eigen::VectorXd part_y_;  // where it begins
  mutable Eigen::MatrixXd part_k_;
};

}  // namespace haltere
