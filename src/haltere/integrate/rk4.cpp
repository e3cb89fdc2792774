#include "haltere/integrate/explicit_rk.h"

namespace haltere {

namespace {

/// The classical method of Kutta with the cubic Hermite polynomial between the steps.
struct Rk4 {
  static constexpr auto kTableau = kRk4;
  static constexpr Rows<0, 5> kExtra{};
  static constexpr Row<0> kExtraC{};
  static constexpr Rows<0, 5> kError{};
  static constexpr int kErrorOrder = 0;
  static constexpr Rows<0, 5> kDense{};
  static constexpr double kStability = 2.78;  // [hairer1996] ch. IV.2
};
static_assert(dense_order_of<Rk4>(4) == 3);

}  // namespace

std::unique_ptr<Integrator> make_rk4(Integrand& integrand, const IntegratorOptions& options) {
  return std::make_unique<ExplicitRk<Rk4>>(integrand, options);
}

}  // namespace haltere
