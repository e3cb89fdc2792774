#include "haltere/dynamics/machine/constraint_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "haltere/dynamics/machine/ldl.h"
#include "haltere/math/dual.h"

namespace haltere {
namespace {

/// The world's view of a frame that moves in its body, and its acceleration while that of its body is zero:
///   alpha = w x w_rel + alpha_rel,   a = w x (w x p) + 2 w x v_rel + a_rel.             theory.md (E8)
template <class T>
struct Attached {
  FrameMotion<T> motion;
  Vector3<T> p_W;    // from the body's origin
  Vector6<T> V_rel;  // in its body, world axes
  Vector6<T> bias;

  bool moves = true;  // in its body

  /// A frame that rests in its body: half the work.
  Attached(const Scene<T>& scene, BodyIndex body, const Transform<T>& X_BF) : moves(false) {
    const Transform<T>& X_WB = scene.X_WB[body.value];
    const Vector6<T>& V_WB = scene.V_WB[body.value];
    const Vector3<T> w = V_WB.template head<3>();
    p_W = X_WB.R * X_BF.p;
    motion.X = {X_WB.R * X_BF.R, X_WB.p + p_W};
    motion.V = shift_twist<T>(V_WB, p_W);
    bias.template tail<3>() = w.cross(w.cross(p_W));
  }
  Attached(const Scene<T>& scene, BodyIndex body, const MovingFrame<T>& frame) {
    const Transform<T>& X_WB = scene.X_WB[body.value];
    const Vector6<T>& V_WB = scene.V_WB[body.value];
    const Vector3<T> w = V_WB.template head<3>();
    p_W = X_WB.R * frame.X.p;
    V_rel << X_WB.R * frame.V.template head<3>(), X_WB.R * frame.V.template tail<3>();
    motion.X = {X_WB.R * frame.X.R, X_WB.p + p_W};
    motion.V = shift_twist<T>(V_WB, p_W) + V_rel;
    const Vector3<T> w_rel = V_rel.template head<3>(), v_rel = V_rel.template tail<3>();
    bias << w.cross(w_rel) + X_WB.R * frame.A.template head<3>(),
        w.cross(w.cross(p_W)) + T(2) * w.cross(v_rel) + X_WB.R * frame.A.template tail<3>();
  }

  /// Rows against the twist of the body, from those against the twist of the frame: (a; l) -> (a + p x l; l).
  void add(const Matrix6<T>& G, int from, int n, int to, Matrix6<T>* on_body, BodyRows<T>* out) const {
    for (int i = 0; i < n; ++i) {
      const Vector3<T> a = G.row(from + i).template head<3>(), l = G.row(from + i).template tail<3>();
      on_body->row(to + i) << (a + p_W.cross(l)).transpose(), l.transpose();
      out->bias[to + i] += l.dot(bias.template tail<3>());
      if (!moves) continue;
      out->b[to + i] += G.row(from + i).dot(V_rel);
      out->bias[to + i] += a.dot(bias.template head<3>());
    }
  }
};

/// Appends what `fill` adds between the two frames.
template <class T, class Fill>
void append_rows(const Attached<T>& F, const Attached<T>& M, const Fill& fill, BodyRows<T>* out) {
  FrameRows<T> rows;
  fill(&rows);
  for (int i = 0; i < rows.n; ++i) {
    out->g[out->n + i] = rows.g[i];
    out->b[out->n + i] = rows.b[i];
    out->bias[out->n + i] = rows.bias[i];
  }
  F.add(rows.G_F, 0, rows.n, out->n, &out->G_A, out);
  M.add(rows.G_M, 0, rows.n, out->n, &out->G_B, out);
  out->n += rows.n;
}

/// A frame that turns about a fixed axis of `X` by a formula of time.
template <class T>
MovingFrame<T> turn(const Transform<T>& X, const Vector3<T>& axis, const Jet<T>& angle) {
  MovingFrame<T> frame;
  frame.X = X * Transform<T>{rotation_about<T>(axis, angle.value), Vector3<T>::Zero()};
  frame.V.template head<3>() = X.R * axis * angle.d1;
  frame.A.template head<3>() = X.R * axis * angle.d2;
  return frame;
}

/// Two directions normal to a unit vector and to each other.
template <class T>
std::array<Vector3<T>, 2> make_normals(const Vector3<T>& axis) {
  const Matrix3<T> R = align_z<T>(axis).R;
  return {R.col(0), R.col(1)};
}

template <class T>
T unwrap(const T& angle, const T& near) {
  using std::numbers::pi;
  return angle + T(2 * pi * std::round((value_of(near) - value_of(angle)) / (2 * pi)));
}

/// Solves S^T S x = b in place.
template <class T, class Columns>
void solve_normal(const Columns& S, T* x) {
  const int n = static_cast<int>(S.cols());
  Matrix6<T> L;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k <= i; ++k) L(i, k) = S.col(i).dot(S.col(k));
  const std::array<double, 6> any_size{};
  factor_ldl<T>(n, any_size.data(), &L);
  solve_ldl<T>(n, L, x);
}

bool reads_time(const Value& value) {
  if (const auto* e = std::get_if<Expression>(&value)) return e->uses_locals();
  if (const auto* list = std::get_if<std::vector<Expression>>(&value))
    for (const Expression& e : *list)
      if (e.uses_locals()) return true;
  return false;
}

}  // namespace

// -- a joint

template <class T>
HeldJoint<T>::HeldJoint(const Model& model, int joint, const Resolver<T>& resolver)
    : joint_(joint),
      spec_(&model.joints[joint]),
      parent_(spec_->parent),
      child_(spec_->child),
      kind_(resolve<JointKinds, T>(spec_->entry, resolver)),
      prescribed_(spec_->nv()) {
  std::visit(
      [&]<class Kind>(const Kind& kind) {
        hold_ = Kind::kHold;
        const Transform<T> align = kind.calc_alignment();
        X_PF_ = spec_->parent_frame.calc_X<T>(resolver) * align;
        X_BM_ = spec_->child_frame.calc_X<T>(resolver) * align;
        if constexpr (Kind::kHold.turns == Hold::Turns::kAllButCardan) {
          axis_ = unit<T>(kind.axis);
          second_axis_ = unit<T>(kind.second_axis);
        }
        if constexpr (Kind::nv > 0) {
          std::array<T, 7> q{};
          if (Kind::nq > Kind::nv) q[0] = T(1);
          const auto S = kind.calc_S_FM(q.data());
          for (int i = 0; i < Kind::nv; ++i)
            if (Kind::kMotions[i] == Motion::kLength)
              for (int axis = 0; axis < 3; ++axis)
                if (S(3 + axis, i) == T(1)) length_along_[axis] = i;
        }
      },
      kind_);
  for (int i = 0; i < spec_->nv(); ++i) {
    if (spec_->prescribed[i]) prescribed_[i] = {&*spec_->prescribed[i], resolver.parameters};
    if (spec_->motion(i) == Motion::kAngle) angles_.push_back(i);
  }
  n_rows_ = static_cast<int>(list_rows().size());
}

template <class T>
std::vector<typename HeldJoint<T>::Row> HeldJoint<T>::list_rows() const {
  std::vector<Row> rows;
  if (!spec_->entry.active) return rows;
  constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};
  for (int i = 0; i < 3; ++i)
    if (hold_.along[i] || (length_along_[i] >= 0 && prescribed(length_along_[i])))
      rows.push_back({fmt::format("position.{}", kAxes[i]), true});
  int turns = 0;
  for (const int k : angles_) turns += prescribed(k) ? 1 : 0;
  switch (hold_.turns) {
    case Hold::Turns::kNone:
      turns = spec_->prescribed_sequence ? 3 : 0;
      break;
    case Hold::Turns::kAllButAboutZ:
      turns += 2;
      break;
    case Hold::Turns::kAllButCardan:
      turns += 1;
      break;
    case Hold::Turns::kAll:
      turns = 3;
      break;
  }
  for (int i = 0; i < turns; ++i) rows.push_back({fmt::format("turn.{}", i), false});
  return rows;
}

template <class T>
void HeldJoint<T>::calc_rows(const Scene<T>& scene, BodyRows<T>* out) const {
  out->first = parent_;
  out->second = child_;
  out->n = 0;
  const Attached<T> F(scene, parent_, X_PF_), M(scene, child_, X_BM_);
  out->p_BoMo_W = M.p_W;
  if (!spec_->entry.active) return;
  append_rows(
      F, M,
      [&](FrameRows<T>* rows) {
        for (int i = 0; i < 3; ++i) {
          const Function<T>* value = length_along_[i] >= 0 ? prescribed(length_along_[i]) : nullptr;
          if (hold_.along[i] || value)
            rows->add_translation(F.motion, M.motion, Vector3<T>::Unit(i),
                                  value ? scene.calc_jet(*value) : Jet<T>(0.0));
        }
      },
      out);
  add_turn_rows(scene, F, M, out);
}

template <class T>
template <class Frame>
void HeldJoint<T>::add_turn_rows(const Scene<T>& scene, const Frame& F, const Frame& M,
                                 BodyRows<T>* out) const {
  // prescribed turns move one of the frames, until what is left is held
  MovingFrame<T> from{.X = X_PF_}, to{.X = X_BM_};
  enum class Left { kNothing, kAxis, kCardan } left = Left::kNothing;
  std::array<Vector3<T>, 2> normals{Vector3<T>::UnitX(), Vector3<T>::UnitY()};  // kAxis: of F, they stay ...
  Vector3<T> axis = Vector3<T>::UnitZ();                                        // ... normal to this one of M
  bool moves = true;
  switch (hold_.turns) {
    case Hold::Turns::kNone: {
      if (!spec_->prescribed_sequence) return;
      const MovingFrame<T> turned = make_turned_frame<T>(
          *spec_->prescribed_sequence,
          {scene.calc_jet(prescribed_[0]), scene.calc_jet(prescribed_[1]), scene.calc_jet(prescribed_[2])});
      from.X = X_PF_ * turned.X;
      from.V.template head<3>() = X_PF_.R * turned.V.template head<3>();
      from.A.template head<3>() = X_PF_.R * turned.A.template head<3>();
      break;
    }
    case Hold::Turns::kAll:
      moves = false;
      break;
    case Hold::Turns::kAllButAboutZ:
      if (const Function<T>* angle = prescribed(angles_[0]))
        from = turn<T>(X_PF_, Vector3<T>::UnitZ(), scene.calc_jet(*angle));
      else
        left = Left::kAxis;
      moves = left == Left::kNothing;
      break;
    case Hold::Turns::kAllButCardan: {
      const Function<T>*first = prescribed(0), *second = prescribed(1);
      if (first) from = turn<T>(X_PF_, axis_, scene.calc_jet(*first));
      if (second) {
        const Jet<T> angle = scene.calc_jet(*second);
        to = turn<T>(X_BM_, second_axis_, Jet<T>(-angle.value, -angle.d1, -angle.d2));
      }
      left = first && second ? Left::kNothing : first || second ? Left::kAxis : Left::kCardan;
      axis = first ? second_axis_ : axis_;
      normals = make_normals<T>(axis);
      moves = first || second;
      break;
    }
  }
  const auto append = [&](const Frame& at_F, const Frame& at_M) {
    append_rows(
        at_F, at_M,
        [&](FrameRows<T>* rows) {
          switch (left) {
            case Left::kNothing:
              return rows->add_orientation(at_F.motion, at_M.motion);
            case Left::kCardan:
              return rows->add_product(at_F.motion, at_M.motion, axis_, second_axis_,
                                       axis_.dot(second_axis_));
            case Left::kAxis:
              for (const Vector3<T>& normal : normals)
                rows->add_product(at_F.motion, at_M.motion, normal, axis, T(0));
              return;
          }
        },
        out);
  };
  if (moves)
    append(Frame(scene, parent_, from), Frame(scene, child_, to));
  else
    append(F, M);
}

template <class T>
typename HeldJoint<T>::Relative HeldJoint<T>::calc_relative(const Scene<T>& scene) const {
  const Attached<T> F(scene, parent_, X_PF_), M(scene, child_, X_BM_);
  const Matrix3<T> R_FW = F.motion.X.R.transpose();
  const Vector3<T> d = M.motion.X.p - F.motion.X.p, w_F = F.motion.V.template head<3>();
  const Vector6<T> V = M.motion.V - F.motion.V;
  Relative r;
  r.R_WF = F.motion.X.R;
  r.X_FM = {R_FW * M.motion.X.R, R_FW * d};
  r.V_FM << R_FW * V.template head<3>(), R_FW * (V.template tail<3>() - w_F.cross(d));
  return r;
}

template <class T>
typename HeldJoint<T>::Columns HeldJoint<T>::calc_S(const Scene<T>& scene) const {
  return std::visit([&](const auto& kind) -> Columns { return kind.calc_S_FM(q_of(scene)); }, kind_);
}

/// v of S v = motion, in the sense of least squares.
template <class T>
void HeldJoint<T>::calc_dual(const Columns& S, const Vector6<T>& motion, T* v) const {
  for (int i = 0; i < S.cols(); ++i) v[i] = S.col(i).dot(motion);
  solve_normal<T>(S, v);
}

template <class T>
void HeldJoint<T>::update_coordinates(const T* turns, Scene<T>* scene) const {
  if (spec_->nv() == 0) return;
  const Relative r = calc_relative(*scene);
  T* q = scene->q.data() + scene->q_of[joint_] - (spec_->nq() - spec_->nv());
  std::visit([&](const auto& kind) { kind.calc_q(r.X_FM, q); }, kind_);
  const int extra = spec_->nq() - spec_->nv();
  for (std::size_t i = 0; i < angles_.size(); ++i)
    q[extra + angles_[i]] = unwrap<T>(q[extra + angles_[i]], turns[i]);
  calc_dual(calc_S(*scene), r.V_FM, scene->v.data() + scene->v_start[joint_]);
}

template <class T>
Vector6<T> HeldJoint<T>::calc_wrench(const Scene<T>& scene, const T* tau) const {
  // S (S^T S)^-1 tau: the smallest one
  const Columns S = calc_S(scene);
  const int n = static_cast<int>(S.cols());
  std::array<T, 6> x;
  std::copy_n(tau, n, x.begin());
  solve_normal<T>(S, x.data());
  Vector6<T> F_F = Vector6<T>::Zero();
  for (int i = 0; i < n; ++i) F_F += S.col(i) * x[i];
  const Matrix3<T> R_WF = scene.X_WB[parent_.value].R * X_PF_.R;
  Vector6<T> F_W;
  F_W << R_WF * F_F.template head<3>(), R_WF * F_F.template tail<3>();
  return F_W;
}

template <class T>
Vector3<T> HeldJoint<T>::calc_p_BoMo_W(const Scene<T>& scene) const {
  return scene.X_WB[child_.value].R * X_BM_.p;
}

template <class T>
void HeldJoint<T>::add_load(const T* tau, Scene<T>* scene, Loads<T>* loads) const {
  bool any = false;
  for (int i = 0; i < spec_->nv(); ++i) any |= !is_constant(tau[i], 0);
  if (!any) return;
  const Vector6<T> F = calc_wrench(*scene, tau);
  const Vector3<T> p_WMo = scene->X_WB[child_.value].p + calc_p_BoMo_W(*scene);
  loads->F_B_W[child_.value] += shift_wrench<T>(F, scene->X_WB[child_.value].p - p_WMo);
  loads->F_B_W[parent_.value] -= shift_wrench<T>(F, scene->X_WB[parent_.value].p - p_WMo);
}

template <class T>
void HeldJoint<T>::calc_forces(const Scene<T>& scene, const Vector6<T>& F_Mo_W, T* tau) const {
  const Columns S = calc_S(scene);
  const Matrix3<T> R_FW = (scene.X_WB[parent_.value].R * X_PF_.R).transpose();
  Vector6<T> F_F;
  F_F << R_FW * F_Mo_W.template head<3>(), R_FW * F_Mo_W.template tail<3>();
  for (int i = 0; i < S.cols(); ++i) tau[i] = S.col(i).dot(F_F);
}

template <class T>
void HeldJoint<T>::calc_vdot(const Scene<T>& scene, const Vector6<T>& A_WP, const Vector6<T>& A_WB,
                             T* vdot) const {
  if (spec_->nv() == 0) return;
  const Attached<T> F(scene, parent_, X_PF_), M(scene, child_, X_BM_);
  const Vector3<T> w_P = scene.V_WB[parent_.value].template head<3>(),
                   w_B = scene.V_WB[child_.value].template head<3>();
  const Vector6<T> A_F = shift_acceleration<T>(A_WP, w_P, F.p_W),
                   A_M = shift_acceleration<T>(A_WB, w_B, M.p_W);
  const Vector3<T> d = M.motion.X.p - F.motion.X.p, ddot = (M.motion.V - F.motion.V).template tail<3>();
  const Vector3<T> w_rel = w_B - w_P, alpha_F = A_F.template head<3>();
  const Matrix3<T> R_FW = F.motion.X.R.transpose();
  // derivative of V_FM in F:  alpha_rel - w_P x w_rel,   a_rel - alpha x d - 2 w x ddot + w x (w x d)
  Vector6<T> A_FM;
  A_FM << R_FW * ((A_M - A_F).template head<3>() - w_P.cross(w_rel)),
      R_FW * ((A_M - A_F).template tail<3>() - alpha_F.cross(d) - T(2) * w_P.cross(ddot) +
              w_P.cross(w_P.cross(d)));
  const T* v = scene.v.data() + scene.v_start[joint_];
  A_FM -= std::visit([&](const auto& kind) -> Vector6<T> { return kind.calc_bias(q_of(scene), v); }, kind_);
  calc_dual(calc_S(scene), A_FM, vdot);
}

// -- all of them

template <class T>
ConstraintSet<T>::ConstraintSet(const Model& model, const std::vector<T>& parameters, int first_joint) {
  const Resolver<T> resolver{parameters.data()};
  const auto add = [&](std::string name, std::vector<std::string> rows_of, bool of_time) {
    starts.push_back(n_rows);
    n_rows += static_cast<int>(rows_of.size());
    names.push_back(std::move(name));
    row_names.push_back(std::move(rows_of));
    rheonomic.push_back(of_time);
  };
  for (int j = first_joint; j < static_cast<int>(model.joints.size()); ++j) {
    const HeldJoint<T>& joint = joints.emplace_back(model, j, resolver);
    bool prescribed = false;
    for (const auto& p : model.joints[j].prescribed) prescribed |= p.has_value();
    n_turns += static_cast<int>(joint.angles().size());
    std::vector<std::string> row_names_of;
    for (const typename HeldJoint<T>::Row& row : joint.list_rows()) {
      row_names_of.push_back(row.name);
      is_length.push_back(row.is_length);
      is_holonomic.push_back(true);
    }
    add(fmt::format("joint '{}'", model.joints[j].name()), row_names_of, prescribed);
  }
  for (const BodySpec& body : model.bodies) {
    const MassProperties<T> m = calc_mass_properties<T>(body, resolver);
    body_sizes.push_back(
        {value_of(m.I_BBcm.trace()) + 2 * value_of(m.mass * m.p_BoBcm.squaredNorm()), value_of(m.mass)});
  }
  for (const Entry& entry : model.constraints) {
    kinds.push_back(resolve<ConstraintKinds, T>(entry, resolver));
    bool of_time = false;
    for (const Value& value : entry.values) of_time |= entry.active && reads_time(value);
    active.push_back(entry.active);
    if (is_contact(kinds.size() - 1)) ++n_turns;
    std::visit(
        [&]<class Kind>(const Kind&) {
          if (!entry.active) return add(fmt::format("constraint '{}'", entry.name), {}, false);
          is_length.insert(is_length.end(), Kind::kRows.size(), Kind::kIsLength);
          for (std::size_t i = 0; i < Kind::kRows.size(); ++i)
            is_holonomic.push_back(static_cast<int>(i) < n_holonomic_rows<Kind>());
          add(fmt::format("constraint '{}'", entry.name),
              std::vector<std::string>(Kind::kRows.begin(), Kind::kRows.end()), of_time);
        },
        kinds.back());
  }
  for (int row = 0; row < n_rows; ++row)
    if (is_holonomic[row]) position_rows.push_back(row);
}

template <class T>
void ConstraintSet<T>::calc_residuals(const std::vector<BodyRows<T>>& rows, const Scene<T>& scene, T* g,
                                      T* gdot) const {
  for (const BodyRows<T>& set : rows) {
    const auto first = is_holonomic.begin() + set.start;
    for (int i = 0; i < set.n; ++i) g[set.start + i] = set.g[i];
    if (gdot == nullptr && std::all_of(first, first + set.n, [](bool holonomic) { return holonomic; }))
      continue;
    std::array<T, FrameRows<T>::kMost> rates;
    calc_row_rates(set, scene, rates.data());
    for (int i = 0; i < set.n; ++i) {
      if (!first[i]) g[set.start + i] = rates[i];
      if (gdot != nullptr) gdot[set.start + i] = rates[i];
    }
  }
}

template <class T>
std::string ConstraintSet<T>::find_fault(const Scene<T>& scene) const {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!active[i]) continue;
    const std::string fault = std::visit(
        [&](const auto& kind) -> std::string {
          const Attached<T> F(scene, kind.from, kind.from_frame(scene.t)),
              M(scene, kind.to, kind.to_frame(scene.t));
          if constexpr (requires { kind.find_fault(F.motion, M.motion); })
            return kind.find_fault(F.motion, M.motion);
          return "";
        },
        kinds[i]);
    if (!fault.empty()) return fmt::format("{}: {}", names[joints.size() + i], fault);
  }
  return "";
}

template <class T>
void ConstraintSet<T>::calc_row_sizes(const std::vector<BodyRows<T>>& rows, std::size_t first,
                                      Eigen::VectorXd* sizes) const {
  int out = 0;
  for (std::size_t s = first; s < rows.size(); ++s)
    for (int i = 0; i < rows[s].n; ++i) {
      double size = 0;
      for (const auto& [body, G] :
           {std::pair{rows[s].first, &rows[s].G_A}, std::pair{rows[s].second, &rows[s].G_B}}) {
        if (body.value == 0) continue;
        const auto& [inertia, mass] = body_sizes[body.value];
        if (inertia > 0) size += value_of(G->row(i).template head<3>().squaredNorm()) / inertia;
        if (mass > 0) size += value_of(G->row(i).template tail<3>().squaredNorm()) / mass;
      }
      (*sizes)[out++] = size;
    }
}

template <class T>
std::string ConstraintSet<T>::row_name(int row) const {
  // the last set that begins there: those that were removed have no rows
  const auto i = std::upper_bound(starts.begin(), starts.end(), row) - starts.begin() - 1;
  return fmt::format("{}, row {}", names[i], row_names[i][row - starts[i]]);
}

template <class T>
void ConstraintSet<T>::update_coordinates(const T* turns, Scene<T>* scene) const {
  for (const HeldJoint<T>& joint : joints) {
    joint.update_coordinates(turns, scene);
    turns += joint.angles().size();
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!is_contact(i)) continue;
    const ContactPlace<T> place = active[i] ? calc_place(i, *scene) : ContactPlace<T>{.xi = *turns};
    scene->xi[i] = unwrap<T>(place.xi, *turns++);
    scene->xi_rate[i] = place.xi_rate;
  }
}

template <class T>
void ConstraintSet<T>::write_turns(const Scene<T>& scene, T* turns) const {
  for (const HeldJoint<T>& joint : joints)
    for (const int i : joint.angles()) *turns++ = scene.q[scene.q_of[joint.joint()] + i];
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (is_contact(i)) *turns++ = scene.xi[i];
}

template <class T>
void ConstraintSet<T>::write_turn_rates(const Scene<T>& scene, T* rates) const {
  for (const HeldJoint<T>& joint : joints)
    for (const int i : joint.angles()) *rates++ = scene.v[scene.v_start[joint.joint()] + i];
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (is_contact(i)) *rates++ = scene.xi_rate[i];
}

template <class T>
bool ConstraintSet<T>::is_contact(std::size_t kind) const {
  return std::visit(
      [](const auto& k) {
        return requires {
          k.calc_place({}, {});
        };
      },
      kinds[kind]);
}

template <class T>
ContactPlace<T> ConstraintSet<T>::calc_place(std::size_t kind, const Scene<T>& scene) const {
  return std::visit(
      [&](const auto& k) -> ContactPlace<T> {
        if constexpr (requires { k.calc_place({}, {}); })
          return k.calc_place(Attached<T>(scene, k.from, k.from_frame(scene.t)).motion,
                              Attached<T>(scene, k.to, k.to_frame(scene.t)).motion);
        return {};
      },
      kinds[kind]);
}

template <class T>
void ConstraintSet<T>::update_rows(const Scene<T>& scene, std::vector<BodyRows<T>>* rows) const {
  rows->resize(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) (*rows)[i].start = starts[i];
  for (std::size_t i = 0; i < joints.size(); ++i) joints[i].calc_rows(scene, &(*rows)[i]);
  for (std::size_t i = 0; i < kinds.size(); ++i)
    std::visit(
        [&](const auto& kind) {
          BodyRows<T>& set = (*rows)[joints.size() + i];
          set.first = kind.from;
          set.second = kind.to;
          set.n = 0;
          const Attached<T> F(scene, kind.from, kind.from_frame(scene.t)),
              M(scene, kind.to, kind.to_frame(scene.t));
          set.p_BoMo_W = M.p_W;
          if (!active[i]) return;
          append_rows(
              F, M, [&](FrameRows<T>* list) { kind.add_rows(scene.t, F.motion, M.motion, list); }, &set);
        },
        kinds[i]);
}

template class HeldJoint<double>;
template class HeldJoint<Dual>;
template struct ConstraintSet<double>;
template struct ConstraintSet<Dual>;

}  // namespace haltere
