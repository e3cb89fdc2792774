#pragma once

#include <initializer_list>
#include <string_view>

#include "haltere/integrate/order_conditions.h"

/// Explicit Runge-Kutta methods as data; the compiler checks their order.
namespace haltere {

/// Butcher's tableau of an explicit Runge-Kutta method:
///   Y_i = y + h sum_j a_ij k_j,   k_i = f(t + c_i h, Y_i),   y_1 = y + h sum_i b_i k_i
template <std::size_t S>
struct Tableau {
  std::string_view name;
  std::string_view source;
  int order = 0;
  Rows<S, S> a{};
  Row<S> b{};
  Row<S> c{};
};

template <std::size_t S>
constexpr int order_of(const Tableau<S>& tableau) {
  return order_of(tableau.a, tableau.b);
}

/// c_i = sum_j a_ij, without which the order conditions would not cover right-hand sides that depend on t.
template <std::size_t S>
constexpr bool is_consistent(const Tableau<S>& tableau) {
  for (std::size_t i = 0; i < S; ++i) {
    double residual = -tableau.c[i];
    for (std::size_t j = 0; j < S; ++j) residual += tableau.a[i][j];
    if (residual > 1e-13 || residual < -1e-13) return false;  // rounding of coefficients up to 5e1
  }
  return true;
}

/// A row that is mostly zero; stages count from 1, as in the publications.
struct Weight {
  std::size_t stage;
  double value;
};
template <std::size_t N>
constexpr Row<N> sparse_row(std::initializer_list<Weight> weights) {
  Row<N> row{};
  for (const Weight& weight : weights) row[weight.stage - 1] = weight.value;
  return row;
}

inline constexpr Tableau<4> kRk4{.name = "rk4",
                                 .source = "[hairer1993] ch. II.1, table 1.2",
                                 .order = 4,
                                 .a = {{{0, 0, 0, 0}, {1. / 2, 0, 0, 0}, {0, 1. / 2, 0, 0}, {0, 0, 1, 0}}},
                                 .b = {1. / 6, 1. / 3, 1. / 3, 1. / 6},
                                 .c = {0, 1. / 2, 1. / 2, 1}};
static_assert(order_of(kRk4) == kRk4.order && is_consistent(kRk4));

// six stages; the seventh of the publication is the derivative at the end of the step (first same as last)
inline constexpr Tableau<6> kDopri5{
    .name = "dopri5",
    .source = "[dormand1980] table 2; [hairer1993] ch. II.5, table 5.2",
    .order = 5,
    .a = {{{0, 0, 0, 0, 0, 0},
           {1. / 5, 0, 0, 0, 0, 0},
           {3. / 40, 9. / 40, 0, 0, 0, 0},
           {44. / 45, -56. / 15, 32. / 9, 0, 0, 0},
           {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729, 0, 0},
           {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656, 0}}},
    .b = {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
    .c = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1}};
static_assert(order_of(kDopri5) == kDopri5.order && is_consistent(kDopri5));

inline constexpr Tableau<12> kDop853{
    .name = "dop853",
    .source = "[hairer1993] ch. II.5 and II.10, program DOP853",
    .order = 8,
    .a = {Row<12>{}, sparse_row<12>({{1, 5.26001519587677318785587544488e-2}}),
          sparse_row<12>({{1, 1.97250569845378994544595329183e-2}, {2, 5.91751709536136983633785987549e-2}}),
          sparse_row<12>({{1, 2.95875854768068491816892993775e-2}, {3, 8.87627564304205475450678981324e-2}}),
          sparse_row<12>({{1, 2.41365134159266685502369798665e-1},
                          {3, -8.84549479328286085344864962717e-1},
                          {4, 9.24834003261792003115737966543e-1}}),
          sparse_row<12>({{1, 3.7037037037037037037037037037e-2},
                          {4, 1.70828608729473871279604482173e-1},
                          {5, 1.25467687566822425016691814123e-1}}),
          sparse_row<12>({{1, 3.7109375e-2},
                          {4, 1.70252211019544039314978060272e-1},
                          {5, 6.02165389804559606850219397283e-2},
                          {6, -1.7578125e-2}}),
          sparse_row<12>({{1, 3.70920001185047927108779319836e-2},
                          {4, 1.70383925712239993810214054705e-1},
                          {5, 1.07262030446373284651809199168e-1},
                          {6, -1.53194377486244017527936158236e-2},
                          {7, 8.27378916381402288758473766002e-3}}),
          sparse_row<12>({{1, 6.24110958716075717114429577812e-1},
                          {4, -3.36089262944694129406857109825},
                          {5, -8.68219346841726006818189891453e-1},
                          {6, 2.75920996994467083049415600797e1},
                          {7, 2.01540675504778934086186788979e1},
                          {8, -4.34898841810699588477366255144e1}}),
          sparse_row<12>({{1, 4.77662536438264365890433908527e-1},
                          {4, -2.48811461997166764192642586468},
                          {5, -5.90290826836842996371446475743e-1},
                          {6, 2.12300514481811942347288949897e1},
                          {7, 1.52792336328824235832596922938e1},
                          {8, -3.32882109689848629194453265587e1},
                          {9, -2.03312017085086261358222928593e-2}}),
          sparse_row<12>({{1, -9.3714243008598732571704021658e-1},
                          {4, 5.18637242884406370830023853209},
                          {5, 1.09143734899672957818500254654},
                          {6, -8.14978701074692612513997267357},
                          {7, -1.85200656599969598641566180701e1},
                          {8, 2.27394870993505042818970056734e1},
                          {9, 2.49360555267965238987089396762},
                          {10, -3.0467644718982195003823669022}}),
          sparse_row<12>({{1, 2.27331014751653820792359768449},
                          {4, -1.05344954667372501984066689879e1},
                          {5, -2.00087205822486249909675718444},
                          {6, -1.79589318631187989172765950534e1},
                          {7, 2.79488845294199600508499808837e1},
                          {8, -2.85899827713502369474065508674},
                          {9, -8.87285693353062954433549289258},
                          {10, 1.23605671757943030647266201528e1},
                          {11, 6.43392746015763530355970484046e-1}})},
    .b = sparse_row<12>({{1, 5.42937341165687622380535766363e-2},
                         {6, 4.45031289275240888144113950566},
                         {7, 1.89151789931450038304281599044},
                         {8, -5.8012039600105847814672114227},
                         {9, 3.1116436695781989440891606237e-1},
                         {10, -1.52160949662516078556178806805e-1},
                         {11, 2.01365400804030348374776537501e-1},
                         {12, 4.47106157277725905176885569043e-2}}),
    .c = {0, 0.0526001519587677318785587544488, 0.0789002279381515978178381316732,
          0.118350341907227396726757197510, 0.281649658092772603273242802490, 1. / 3, 1. / 4, 4. / 13,
          127. / 195, 3. / 5, 6. / 7, 1}};
static_assert(order_of(kDop853) == kDop853.order && is_consistent(kDop853));

}  // namespace haltere
