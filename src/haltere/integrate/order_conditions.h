#pragma once

#include <array>
#include <cstddef>

/// Order conditions of Runge-Kutta methods, evaluated by the compiler.                [hairer1993] ch. II.2
namespace haltere {

template <std::size_t N>
using Row = std::array<double, N>;
template <std::size_t M, std::size_t N>
using Rows = std::array<Row<N>, M>;

namespace detail {

inline constexpr int kMaxOrder = 8;
inline constexpr int kTrees = 200;  // rooted trees of order 1 to 8: 1 + 1 + 2 + 4 + 9 + 20 + 48 + 115

/// What an order condition needs of a rooted tree t: sum_i b_i phi_i(t) = 1 / gamma(t).
template <std::size_t S>
struct RootedTree {
  int order = 1;       // number of nodes
  double gamma = 1;    // density
  int last_child = 0;  // children are joined in rising order, so that each tree is met once
  Row<S> phi{};        // product over the branches at the root
  Row<S> branch{};     // sum_j a_ij phi_j: this tree as a branch of another
};

template <std::size_t S>
constexpr void update_branch(const Rows<S, S>& a, RootedTree<S>* tree) {
  for (std::size_t i = 0; i < S; ++i)
    for (std::size_t j = 0; j < S; ++j) tree->branch[i] += a[i][j] * tree->phi[j];
}

/// The tree u with v as one more branch at its root; gamma is the order times the gammas of the branches.
template <std::size_t S>
constexpr RootedTree<S> join(const RootedTree<S>& u, const RootedTree<S>& v, int v_number) {
  RootedTree<S> tree;
  tree.order = u.order + v.order;
  tree.gamma = tree.order * (u.gamma / u.order) * v.gamma;
  tree.last_child = v_number;
  for (std::size_t i = 0; i < S; ++i) tree.phi[i] = u.phi[i] * v.branch[i];
  return tree;
}

/// The condition at the fraction theta of a step (1: its end): sum_i b_i phi_i = theta^order / gamma.
template <std::size_t S>
constexpr bool is_satisfied(const RootedTree<S>& tree, const Row<S>& b, double theta) {
  double residual = -1 / tree.gamma;
  for (int k = 0; k < tree.order; ++k) residual *= theta;
  for (std::size_t i = 0; i < S; ++i) residual += b[i] * tree.phi[i];
  // rounding of published coefficients (up to 5e2) is below 1e-13, error constants of good methods are above
  // 1e-7
  return -1e-11 < residual && residual < 1e-11;
}

}  // namespace detail

/// The order of the weights b over the stages a, at the fraction theta of a step; at most max_order <= 8.
template <std::size_t S>
constexpr int order_of(const Rows<S, S>& a, const Row<S>& b, double theta = 1,
                       int max_order = detail::kMaxOrder) {
  std::array<detail::RootedTree<S>, detail::kTrees> trees{};
  trees[0].phi.fill(1);
  int first = 0, end = 1;  // the trees of the present order; all smaller ones stand before them
  for (int order = 1; order <= max_order; ++order) {
    for (int i = first; i < end; ++i)
      if (!detail::is_satisfied(trees[i], b, theta)) return order - 1;
    if (order == max_order) break;
    for (int i = first; i < end; ++i) detail::update_branch(a, &trees[i]);
    int count = end;
    for (int u = 0; u < end; ++u)
      for (int v = trees[u].last_child; v < end; ++v)
        if (trees[u].order + trees[v].order == order + 1)
          trees[count++] = detail::join(trees[u], trees[v], v);
    first = end;
    end = count;
  }
  return max_order;
}

}  // namespace haltere
