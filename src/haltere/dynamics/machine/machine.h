#pragma once

#include <memory>
#include <vector>

#include "haltere/dynamics/environment.h"
#include "haltere/model/model.h"
#include "haltere/model/scene.h"

namespace haltere {

// whoever does not call them need not know their kinds
template <class T>
struct AllForces;  // model/forces.h
template <class T>
struct AllSurfaces;  // aero/surfaces.h

/// A formula on one joint coordinate.
template <class T>
struct CoordinateFunction {
  int v_index = 0;  // in Scene::v
  int joint = 0;
  int q_index = 0;  // in Scene::q; -1 where the coordinate is one of three Euler angles
  Function<T> function;
};

/// How one of the model's states changes.
template <class T>
struct StateLaw {
  StateKind kind{};
  int slot = 0;  // in Scene::states; of a delay in Scene::delayed
  Function<T> of;
  T time{0};       // of a lag or a delay                    [s]
  T frequency{0};  // of a filter                            [rad/s]
  T damping{1};    // its damping ratio
};

/// A Model with its parameters put in: what all formulations share. Constant during a right-hand side.
template <class T>
struct Machine {
  Machine(const Model& model, std::vector<T> parameters, Environments around = {});
  ~Machine();
  Machine(const Machine&) = delete;  // Functions point into `parameters`
  Machine& operator=(const Machine&) = delete;

  const Model& model;
  const std::vector<T> parameters;
  Vector3<T> gravity = Vector3<T>::Zero();  //                                          [m/s2]
  std::vector<MassProperties<T>> masses;    // of each body
  const std::unique_ptr<const AllForces<T>> forces;
  const std::unique_ptr<const AllSurfaces<T>> surfaces;
  const Environments environments;
  std::vector<CoordinateFunction<T>> driven;
  std::vector<StateLaw<T>> states;
  bool moves_by_states = false;  // prescribed motions read states
  std::vector<Function<T>> signals;
  std::vector<int> work_joints;  // with driven or prescribed coordinates
  std::vector<int> read_bodies;  // whose pose and twist force laws, constraints, probes or environments read
};

/// What acts on a machine at one instant, constraints apart.
template <class T>
struct BodyLoads : Loads<T> {
  explicit BodyLoads(const Machine<T>& machine);

  VectorX<T> drive;                  // of driven coordinates alone              [N m or N]  (Model::nv)
  std::vector<Account<T>> accounts;  // per force element, then per surface, then per environment
};

/// Signals and what they read, from the motion in the scene.
template <class T>
void update_locals(const Machine<T>& machine, Scene<T>* scene);

/// Loads of force elements, surfaces, environments and drives under the motion in the scene, and their accounts. Wrenches
/// are added to those that are there; everything else is set.
template <class T>
void add_loads(const Machine<T>& machine, const Scene<T>& scene, BodyLoads<T>* loads);

/// A scene of the model's size, with everything at its origin.
template <class T>
Scene<T> make_scene(const Model& model);

}  // namespace haltere
