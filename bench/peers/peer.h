#pragma once

#include <vector>

#include "peers/machine.h"

namespace haltere::bench {

/// A program that can do forward dynamics.
class Peer {
 public:
  virtual ~Peer() = default;

  virtual void set_states(const std::vector<MachineState>& states) = 0;  // converted to the peer's own form
  virtual void evaluate(long n) = 0;  // accelerations, n times, of one state after the other
  virtual std::vector<double> calc_vdot(int state) = 0;  // in haltere's order and frames
};

/// What the library of a peer gives: the kinds of computation that it offers, and a maker of each.
struct PeerKind {
  const char* name;
  Peer* (*make)(const Machine& machine);
};
struct PeerLibrary {
  const char* version;
  std::vector<PeerKind> kinds;
};
constexpr const char* kPeerEntry = "haltere_peer_library";
using PeerEntry = const PeerLibrary* (*)();

}  // namespace haltere::bench
