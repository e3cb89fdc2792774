#pragma once

#include <string>
#include <vector>

#include "haltere/model/constraints.h"
#include "haltere/model/joints.h"
#include "haltere/model/model.h"
#include "haltere/model/scene.h"

namespace haltere {

/// The rows of one constraint against the twists of its two bodies at their origins, world axes:
///   dg/dt = G_A V_A + G_B V_B + b,    d2g/dt2 = G_A A_A + G_B A_B + bias.         theory.md (E6), (E7)
template <class T>
struct BodyRows {
  BodyIndex first, second;
  int start = 0;  // of its rows among those of all constraints
  int n = 0;
  Matrix6<T> G_A, G_B;    // the first n rows
  Vector6<T> g, b, bias;  //
  Vector3<T> p_BoMo_W;    // from the origin of the second body to the point where its load is stated  [m]
};

/// G^T lambda, the load of the rows on a body at Bo. Sums by hand: matrices of n rows would need memory.
template <class T>
Vector6<T> calc_row_load(const Matrix6<T>& G, int n, const T* lambda) {
  Vector6<T> F = Vector6<T>::Zero();
  for (int i = 0; i < n; ++i) F += G.row(i).transpose() * lambda[i];
  return F;
}

/// out += G motion
template <class T>
void add_row_motion(const Matrix6<T>& G, int n, const Vector6<T>& motion, T* out) {
  for (int i = 0; i < n; ++i) out[i] += G.row(i).dot(motion);
}

/// gdot = G_A V_A + G_B V_B + b
template <class T>
void calc_row_rates(const BodyRows<T>& rows, const Scene<T>& scene, T* gdot) {
  for (int i = 0; i < rows.n; ++i) gdot[i] = rows.b[i];
  add_row_motion(rows.G_A, rows.n, scene.V_WB[rows.first.value], gdot);
  add_row_motion(rows.G_B, rows.n, scene.V_WB[rows.second.value], gdot);
}

/// A joint as rows against its two bodies, and its coordinates read from their motion: what closes a loop,
/// and every joint of the formulation `absolute`.
template <class T>
class HeldJoint {
 public:
  HeldJoint(const Model& model, int joint, const Resolver<T>& resolver);

  int joint() const { return joint_; }
  int n_rows() const { return n_rows_; }
  /// What it holds, one each: translations along axes of F, then turns.
  struct Row {
    std::string name;
    bool is_length;  // in metres, else in radians
  };
  std::vector<Row> list_rows() const;
  void calc_rows(const Scene<T>& scene, BodyRows<T>* out) const;

  /// Into scene.q and scene.v. `turns`: one number per angle of the joint, near its continuous value.
  void update_coordinates(const T* turns, Scene<T>* scene) const;
  /// The coordinates that are angles, within the joint.
  const std::vector<int>& angles() const { return angles_; }
  /// Wrench on the child at Mo (world axes) that does the work of the generalised forces tau.
  Vector6<T> calc_wrench(const Scene<T>& scene, const T* tau) const;
  /// Adds the same to both bodies.
  void add_load(const T* tau, Scene<T>* scene, Loads<T>* loads) const;
  /// Generalised forces of a wrench on the child at Mo.
  void calc_forces(const Scene<T>& scene, const Vector6<T>& F_Mo_W, T* tau) const;
  /// Rates of the velocity coordinates, from the accelerations of the two bodies at their origins.
  void calc_vdot(const Scene<T>& scene, const Vector6<T>& A_WP, const Vector6<T>& A_WB, T* vdot) const;
  Vector3<T> calc_p_BoMo_W(const Scene<T>& scene) const;

 private:
  using Columns = Eigen::Matrix<T, 6, Eigen::Dynamic, 0, 6, 6>;
  struct Relative {  // motion of M against F, in F, at Mo
    Transform<T> X_FM;
    Vector6<T> V_FM;
    Matrix3<T> R_WF;
  };
  Relative calc_relative(const Scene<T>& scene) const;
  Columns calc_S(const Scene<T>& scene) const;  // S_FM at the coordinates of the scene
  void calc_dual(const Columns& S, const Vector6<T>& motion, T* v) const;
  /// F, M: the frames of the joint as they stand.
  template <class Frame>
  void add_turn_rows(const Scene<T>& scene, const Frame& F, const Frame& M, BodyRows<T>* out) const;
  const T* q_of(const Scene<T>& scene) const {
    return scene.q.data() + scene.q_of[joint_] - (spec_->nq() - spec_->nv());
  }
  const Function<T>* prescribed(int coordinate) const {
    return prescribed_[coordinate].expression ? &prescribed_[coordinate] : nullptr;
  }

  int joint_;
  const JointSpec* spec_;
  BodyIndex parent_, child_;
  AnyJoint<T> kind_;
  Hold hold_;
  Transform<T> X_PF_, X_BM_;                     // aligned
  std::vector<Function<T>> prescribed_;          // per coordinate; none: free
  std::array<int, 3> length_along_{-1, -1, -1};  // coordinate that is the translation along an axis of F
  std::vector<int> angles_;
  Vector3<T> axis_ = Vector3<T>::UnitZ(), second_axis_ = Vector3<T>::UnitZ();  // of a universal joint
  int n_rows_ = 0;
};

/// All constraints of a model as rows: joints from `first_joint` on, then the model's constraints.
template <class T>
struct ConstraintSet {
  ConstraintSet(const Model& model, const std::vector<T>& parameters, int first_joint);

  std::vector<HeldJoint<T>> joints;
  std::vector<AnyConstraint<T>> kinds;
  std::vector<bool> active;        // per kind: not removed
  std::vector<int> starts;         // first row of each set: joints, then kinds
  std::vector<std::string> names;  // of each set: "joint 'loop'", "constraint 'pin'"
  std::vector<std::vector<std::string>> row_names;
  std::vector<bool> rheonomic;     // per set: depends on time explicitly
  std::vector<bool> is_length;     // per row: in metres, else in radians
  std::vector<bool> is_holonomic;  // per row: else it holds velocities only, and its residual is 0
  std::vector<int> position_rows;  // the holonomic ones
  int n_rows = 0;
  int n_turns = 0;  // angles of all joints, and contact angles of wheels

  std::string row_name(int row) const;  // "constraint 'pin', row x"
  /// Coordinates of the joints and contact angles; `turns` of all of them in order.
  void update_coordinates(const T* turns, Scene<T>* scene) const;
  /// What `turns` is in a scene, and its rates.
  void write_turns(const Scene<T>& scene, T* turns) const;
  void write_turn_rates(const Scene<T>& scene, T* rates) const;
  bool is_contact(std::size_t kind) const;  // touches in a point that wanders
  /// Of a kind that is a contact, and holds.
  ContactPlace<T> calc_place(std::size_t kind, const Scene<T>& scene) const;
  /// The rows of every set, in order.
  void update_rows(const Scene<T>& scene, std::vector<BodyRows<T>>* rows) const;
  /// What implicit methods bring to zero: residuals g of positions, of nonholonomic rows those of velocities;
  /// gdot, where wanted: those of velocities of all rows.
  void calc_residuals(const std::vector<BodyRows<T>>& rows, const Scene<T>& scene, T* g, T* gdot) const;
  /// The constraint that has no rows where it is, and why; or "".
  std::string find_fault(const Scene<T>& scene) const;
  /// Of each row from the set `first` on: what its bodies would give way if nothing else held them.
  void calc_row_sizes(const std::vector<BodyRows<T>>& rows, std::size_t first, Eigen::VectorXd* sizes) const;
  bool empty() const { return n_rows == 0; }

  std::vector<std::array<double, 2>> body_sizes;  // moment of inertia about Bo, mass
};

}  // namespace haltere
