#include "haltere/integrate/explicit_rk.h"

namespace haltere {

namespace {

/// Dormand and Prince 5(4), with the dense output of order 4 of Shampine and Hairer.
///                                                                                [hairer1993] ch. II.5, II.6
struct Dopri5 {
  static constexpr auto kTableau = kDopri5;
  static constexpr Rows<0, 7> kExtra{};
  static constexpr Row<0> kExtraC{};
  // b - bhat, with bhat of order 4
  static constexpr Rows<1, 7> kError{
      {{71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40}}};
  static constexpr int kErrorOrder = 5;
  static constexpr Rows<1, 7> kDense{
      {{-12715105075. / 11282082432, 0, 87487479700. / 32700410799, -10690763975. / 1880347072,
        701980252875. / 199316789632, -1453857185. / 822651844, 69997945. / 29380423}}};

  static constexpr double kStability = 3.25;  // [hairer1996] ch. IV.2

  static double calc_error(const std::array<double, 1>& norms) { return norms[0]; }
};

constexpr Row<7> calc_embedded() {
  Row<7> b = Stages<Dopri5>::kA[6];
  for (std::size_t i = 0; i < 7; ++i) b[i] -= Dopri5::kError[0][i];
  return b;
}
static_assert(order_of(Stages<Dopri5>::kA, calc_embedded()) == 4);
static_assert(dense_order_of<Dopri5>(5) == 4);

}  // namespace

std::unique_ptr<Integrator> make_dopri5(Integrand& integrand, const IntegratorOptions& options) {
  return std::make_unique<ExplicitRk<Dopri5>>(integrand, options);
}

}  // namespace haltere
