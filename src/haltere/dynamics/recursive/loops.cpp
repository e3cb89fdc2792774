#include "haltere/dynamics/recursive/loops.h"

namespace haltere {
namespace {

Vec3<double> calc_p_JB_W(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work,
                         int k) {
  return work.nodes[k].R_WJ * Vec3<double>::of(system.nodes[k].p_JB);
}

RowPaths make_paths(const RecursiveSystem<double>& system) {
  std::vector<int> parents, n_free;
  for (const Node<double>& node : system.nodes) {
    parents.push_back(node.parent);
    n_free.push_back(node.n_free);
  }
  return {parents, n_free, list_row_sets(system.machine.model, system.constraints, 0)};
}

}  // namespace

Loops::Loops(const RecursiveSystem<double>& system) : response_(system), paths_(make_paths(system)) {
  phi_.resize(paths_.sets(), paths_.coupled(), system.constraints.position_rows);
  lambda_.setZero(system.constraints.n_rows);
  unit_.setZero(system.constraints.n_rows);
  column_ = answer_ = unit_;
}

/// Puts sign * G^T lambda on the bodies, as wrenches at the joint points.
void Loops::add_loads(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work,
                      const Eigen::VectorXd& multipliers, double sign) {
  for (const BodyRows<double>& rows : work.rows) {
    for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}}) {
      if (body.value == 0) continue;
      const Vector6<double> F_Bo = sign * calc_row_load(*G, rows.n, multipliers.data() + rows.start);
      const Vector3<double> p_JB = calc_p_JB_W(system, work, body.value).eigen();
      response_.F[body.value] =
          response_.F[body.value] + Spatial<double>::of(shift_wrench<double>(F_Bo, -p_JB));
    }
  }
}

/// G A of every row, from accelerations of the nodes; the centripetal part of the bodies' origins is not in
/// it.
void Loops::calc_row_accelerations(const RecursiveSystem<double>& system,
                                   const RecursiveWorkspace<double>& work,
                                   const std::vector<Spatial<double>>& A,
                                   Eigen::Ref<Eigen::VectorXd> out) const {
  for (const BodyRows<double>& rows : work.rows) {
    auto own = out.segment(rows.start, rows.n);
    own.setZero();
    for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}}) {
      if (body.value == 0) continue;
      const Vector3<double> p_JB = calc_p_JB_W(system, work, body.value).eigen();
      add_row_motion<double>(*G, rows.n, shift_twist<double>(A[body.value].eigen(), p_JB), own.data());
    }
  }
}

void Loops::factor(const RecursiveSystem<double>& system, const Scene<double>& scene,
                   RecursiveWorkspace<double>* work) {
  system.constraints.update_rows(scene, &work->rows);
  work->has_general ? update_columns(system, *work) : update_blocks(system, *work);
  system.constraints.calc_row_sizes(work->rows, 0, &phi_.sizes);
  phi_.factor();
}

/// Phi where M is symmetric: theory.md (E15).
void Loops::update_blocks(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work) {
  const auto start = [&](int set, bool second, RowPaths::Loads* loads) {
    const BodyRows<double>& rows = work.rows[set];
    const int body = (second ? rows.second : rows.first).value;
    loads->setZero(6, rows.n);
    if (body == 0) return;
    const Vector3<double> p_JB = calc_p_JB_W(system, work, body).eigen();
    const Matrix6<double>& G = second ? rows.G_B : rows.G_A;
    for (int i = 0; i < rows.n; ++i) loads->col(i) = shift_wrench<double>(G.row(i).transpose(), -p_JB);
  };
  paths_.update(start, [&](int body, RowPaths::Loads* loads, SmallMatrix* e, SmallMatrix* h) {
    pass_loads(system, work, body, loads, e, h);
  });
  for (std::size_t k = 0; k < paths_.coupled().size(); ++k) {
    paths_.calc_block(paths_.coupled()[k].first, paths_.coupled()[k].second, &block_);
    phi_.set_block(k, block_);
  }
}

/// Phi where it is not: the answer of the whole tree to each row, the columns of theory.md (E13).
void Loops::update_columns(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work) {
  for (int i = 0; i < phi_.n_rows(); ++i) {
    unit_[i] = 1;
    add_loads(system, work, unit_, 1);
    unit_[i] = 0;
    response_.calc(system, work);
    calc_row_accelerations(system, work, response_.A, column_);
    phi_.set_column(i, column_);
  }
}

/// theory.md (E13) for lambda, then (E14): what the tree does without loops, and its answer to their loads.
void Loops::solve(const RecursiveSystem<double>& system, const Eigen::VectorXd& wanted,
                  RecursiveWorkspace<double>* work) {
  for (const BodyRows<double>& rows : work->rows) {
    auto own = lambda_.segment(rows.start, rows.n);
    own = rows.bias.head(rows.n) - wanted.segment(rows.start, rows.n);
    for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}}) {
      if (body.value == 0) continue;
      const NodeState<double>& s = work->nodes[body.value];
      const Vector3<double> p_JB = calc_p_JB_W(system, *work, body.value).eigen();
      add_row_motion<double>(*G, rows.n, shift_acceleration<double>(s.A.eigen(), s.w.eigen(), p_JB),
                             own.data());
    }
  }
  phi_.solve(lambda_);
  add_loads(system, *work, lambda_, -1);
  const int n = static_cast<int>(system.nodes.size());
  for (int k = 1; k < n; ++k) work->F_J_W[k] = work->F_J_W[k] + response_.F[k];
  response_.calc(system, *work);
  take_response(system, response_, work);
}

/// Of the tree, and of the loads G^T x that keep the rows: Phi x = G A.
void Loops::respond(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work,
                    Response* response) {
  own_loads_ = response->F;
  response->calc(system, work);
  calc_row_accelerations(system, work, response->A, answer_);
  phi_.solve(answer_);
  response_.F.swap(own_loads_);
  add_loads(system, work, answer_, -1);
  response->F.swap(response_.F);  // zeros go back
  own_loads_ = response->F;
  response->calc(system, work);
}

void Loops::add_response(const RecursiveSystem<double>& system, Response* response,
                         RecursiveWorkspace<double>* work) {
  respond(system, *work, response);
  lambda_ += answer_;
  for (std::size_t k = 1; k < own_loads_.size(); ++k) work->F_J_W[k] = work->F_J_W[k] + own_loads_[k];
  take_response(system, *response, work);
}

const Eigen::VectorXd& Loops::calc_change(const RecursiveSystem<double>& system,
                                          const RecursiveWorkspace<double>& work, ConstRef r) {
  unit_ = r;
  phi_.solve(unit_);
  return answer(system, work);
}

const Eigen::VectorXd& Loops::calc_position_change(const RecursiveSystem<double>& system,
                                                   const RecursiveWorkspace<double>& work, ConstRef r) {
  scatter(r, system.constraints.position_rows, unit_);
  phi_.solve_positions(unit_);
  return answer(system, work);
}

/// M^-1 A^T x for the multipliers x in unit_: with x = Phi^-1 r theory.md (E22).
const Eigen::VectorXd& Loops::answer(const RecursiveSystem<double>& system,
                                     const RecursiveWorkspace<double>& work) {
  add_loads(system, work, unit_, 1);
  unit_.setZero();
  response_.calc(system, work);
  return response_.vdot;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void Loops::calc_drift(const Scene<double>& scene, const RecursiveWorkspace<double>& work, Ref g,
                       Ref gdot) const {
  for (const BodyRows<double>& rows : work.rows) {
    g.segment(rows.start, rows.n) = rows.g.head(rows.n);
    calc_row_rates(rows, scene, gdot.data() + rows.start);
  }
}

}  // namespace haltere
