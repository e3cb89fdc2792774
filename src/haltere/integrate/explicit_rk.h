#pragma once

#include <limits>
#include <utility>

#include "haltere/integrate/one_step.h"
#include "haltere/integrate/tableaus.h"

namespace haltere {

/// What an explicit Runge-Kutta method states about itself, all of it data but the last:
///   kTableau     S stages; the rate at the end of the step is stage S+1, for the next step and the dense
///   output kExtra       rows of further stages that only the dense output needs, kExtraC their times kError
///   rows whose sums h sum_i e_i k_i estimate the error; none: a fixed-step method kErrorOrder  the estimate
///   goes with h^kErrorOrder kDense       rows D_0, D_1, ... of the dense output, see calc_dense_weights()
///   calc_error() one number from the norms of the estimates
template <class Method>
concept ExplicitMethod = requires {
  { Method::kErrorOrder } -> std::convertible_to<int>;
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
/// terms that vanish with their derivative at both ends. [hairer1993] ch. II.6
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

 public:
  ExplicitRk(Equations& equations, const IntegratorOptions& options)
      : OneStep(equations, options, Method::kTableau.order, Method::kErrorOrder),
        k_(Eigen::MatrixXd::Zero(equations.sizes().ny(), All::kN)),
        stage_(equations.sizes().ny()) {}

 protected:
  Attempt attempt(double h) override {
    k_.col(0) = ydot_;
    has_dense_stages_ = Method::kExtra.empty();
    Attempt result;
    result.status = update_stages<1>(t_, y_, h, std::make_index_sequence<kS - 1>());
    if (result.status != Status::kOk) return result;
    update_stage_state<kS>(y_, h, &y1_);
    result.status = evaluator_.calc_ydot(t_ + h, y1_, ydot1_);
    k_.col(kS) = ydot1_;
    if constexpr (Method::kErrorOrder > 0)
      result.error = calc_error(h, std::make_index_sequence<Method::kError.size()>());
    return result;
  }

  void calc_dense(double theta, Ref y) const override {
    const double h = t_ - t0_;
    if (!has_dense_stages_) {
      // once a step, and only where somebody looks inside it
      if (update_stages<kS + 1>(t0_, y0_, h, std::make_index_sequence<Method::kExtra.size()>()) !=
          Status::kOk) {
        y.setConstant(std::numeric_limits<double>::quiet_NaN());
        return;
      }
      has_dense_stages_ = true;
    }
    const Row<All::kN> weights = calc_dense_weights<Method>(theta);
    y = y0_;
    for (Eigen::Index i = 0; i < k_.cols(); ++i)
      if (weights[i] != 0) y += h * weights[i] * k_.col(i);
  }

 private:
  /// Stages first, first + 1, ... of the step of h from (t, y).
  template <std::size_t first, std::size_t... i>
  Status update_stages(double t, const Eigen::VectorXd& y, double h, std::index_sequence<i...>) const {
    Status status = Status::kOk;
    [[maybe_unused]] const auto update = [&]<std::size_t stage>() {
      update_stage_state<stage>(y, h, &stage_);
      status = evaluator_.calc_ydot(t + All::kC[stage] * h, stage_, k_.col(stage));
      return status == Status::kOk;
    };
    static_cast<void>((update.template operator()<first + i>() && ...));
    return status;
  }

  // Y_i = y + h sum_j a_ij k_j
  template <std::size_t stage>
  void update_stage_state(const Eigen::VectorXd& y, double h, Eigen::VectorXd* out) const {
    *out = y + h * detail::make_sum([] { return All::kA[stage]; }, k_);
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

  mutable Eigen::MatrixXd k_;      // rates of all stages, one a column
  mutable Eigen::VectorXd stage_;  // state of a stage
  mutable bool has_dense_stages_ = false;
};

}  // namespace haltere
