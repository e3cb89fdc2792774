#pragma once

#include <array>
#include <string>
#include <vector>

/// The machines of the comparison, in a form that belongs to no program. Plain numbers only: the libraries of
/// the peers are compiled with other flags, and nothing of Eigen may pass between them.
namespace haltere::bench {

using Triple = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // w, x, y, z

/// A body with the joint that carries it: revolute, or free (the first one only, on the world).
struct Link {
  int parent = -1;  // -1: world
  bool floating = false;
  Triple position{};        // of the joint, in the frame of the parent                     [m]
  Quaternion rotation{};    // of the body at zero angle, in the frame of the parent
  Triple axis{};            // in the frame of the body, through its origin; length 1
  double mass = 0;          //                                                              [kg]
  Triple center_of_mass{};  // in the frame of the body                                     [m]
  Triple moments{};         // principal moments of inertia about it                        [kg m2]
  Quaternion principal{};   // principal axes in the frame of the body
};

/// Links stand in depth-first order, parents before children: the order of all three programs.
struct Machine {
  std::string name;
  Triple gravity{0, 0, -9.81};
  std::vector<Link> links;

  bool floating() const { return links.front().floating; }
  int nv() const { return static_cast<int>(links.size()) + (floating() ? 5 : 0); }
};

/// In haltere's order and frames: orientation (w, x, y, z) and position of a floating base, then angles;
/// angular velocity and velocity of its origin, both in world axes, then rates; torques likewise, zero on the
/// base.
struct MachineState {
  std::vector<double> q, v, tau;
};

/// A 7-joint arm, a tree of 30 joints on a floating base (3 torso, 3 neck, 2 x 6 arms, 2 x 6 legs), a chain
/// of 100 links: offsets, axes, masses and inertias at random, the same in every run; the tree of the
/// hawkmoth.
std::vector<Machine> make_machines();
std::vector<MachineState> make_states(const Machine& machine, int count);

struct TextFile {
  std::string name, text;
};

/// Model files of haltere and of MuJoCo (the first one includes the others); with `driven` each joint of the
/// former has the torque given.
std::string write_haltere(const Machine& machine, const std::vector<double>* driven);
std::vector<TextFile> write_mjcf(const Machine& machine);

/// Row by row.
std::array<Triple, 3> rotation_matrix(const Quaternion& q);
Triple rotate(const Quaternion& q, const Triple& x);
Triple rotate_back(const Quaternion& q, const Triple& x);
Triple cross(const Triple& a, const Triple& b);

}  // namespace haltere::bench
