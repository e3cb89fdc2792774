// Forward dynamics of three machines, haltere against Pinocchio and MuJoCo: first that all say the same, then
// how long each takes.
#include <cmath>
#include <cstdio>
#include <string>

#include <dlfcn.h>
#include <fmt/format.h>

#include "measure.h"
#include "peers/haltere_peer.h"

#include "haltere/math/instruction_set.h"

namespace haltere::bench {
namespace {

constexpr double kSame = 1e-9;  // of the largest acceleration: roundings of different algorithms, amplified
constexpr int kStates = 8;      // a loop over more than one, that no branch predictor knows by heart
constexpr int kRounds = 300;

/// A contestant of the table: how to make it, and the library that it comes from.
struct Entry {
  std::string name;
  Peer* (*make)(const Machine& machine) = nullptr;
};

/// Libraries of peers lie beside the program: those that could be built.
std::vector<Entry> load_peers() {
  std::vector<Entry> entries;
  for (const char* file : {"pinocchio-baseline", "pinocchio-native", "mujoco"}) {
    void* handle =
        dlopen(fmt::format("{}/peer-{}.so", HALTERE_PEERS_DIR, file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      fmt::print("not compared: {} ({})\n", file, dlerror());
      continue;
    }
    const PeerLibrary* library = reinterpret_cast<PeerEntry>(dlsym(handle, kPeerEntry))();
    const std::string flags = std::string(file).ends_with("native") ? ", native" : "";
    for (const PeerKind& kind : library->kinds)
      entries.push_back({fmt::format("{}, {}{}", library->version, kind.name, flags), kind.make});
  }
  return entries;
}

double calc_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(a[i]));
    if (!std::isfinite(a[i] - b[i])) return INFINITY;
  }
  return difference / size;
}

/// All peers against the first one, haltere; the largest relative difference of each.
bool agree(const std::vector<std::unique_ptr<Peer>>& peers, const std::vector<Contestant>& contestants) {
  bool same = true;
  for (std::size_t p = 1; p < peers.size(); ++p) {
    double worst = 0;
    for (int i = 0; i < kStates; ++i)
      worst = std::max(worst, calc_difference(peers[0]->calc_vdot(i), peers[p]->calc_vdot(i)));
    fmt::print("  {:<40} accelerations differ by {:.1e}\n", contestants[p].name, worst);
    if (!(worst < kSame)) same = false;
  }
  return same;
}

/// Joint torques are part of a model of haltere: zero everywhere, or those of `driven` in all states.
bool compare(const Machine& machine, const std::vector<Entry>& entries, bool driven) {
  std::vector<MachineState> states = make_states(machine, kStates);
  const std::vector<double> torques = driven ? states[0].tau : std::vector<double>(machine.nv(), 0);
  for (MachineState& state : states) state.tau = torques;

  std::vector<std::unique_ptr<Peer>> peers;
  std::vector<Contestant> contestants;
  const auto add = [&](const std::string& name, Peer* peer) {
    peer->set_states(states);
    peers.emplace_back(peer);
    contestants.push_back({name, [peer](long n) { return time_calls(1, [&] { peer->evaluate(n); }); }});
  };
  add(fmt::format("haltere, calc_ydot, {}", instruction_set()),
      new HalterePeer(machine, driven ? &torques : nullptr));
  for (const Entry& entry : entries) add(entry.name, entry.make(machine));

  fmt::print("\n{}: {} bodies, {} degrees of freedom, joints {}\n", machine.name, machine.links.size(),
             machine.nv(), driven ? "with a motor each" : "passive");
  if (!agree(peers, contestants)) return false;
  measure(&contestants, kRounds);
  for (const Contestant& c : contestants)
    fmt::print("  {:<40} {:>9.0f} ns  {:>6.2f}\n", c.name, c.best * 1e9, c.best / contestants[0].best);
  std::fflush(stdout);
  return true;
}

int run() {
  const std::vector<Entry> entries = load_peers();
  fmt::print("forward dynamics: time, and how many times that of haltere\n");
  for (const Machine& machine : make_machines())
    for (const bool driven : {false, true})
      if (!compare(machine, entries, driven)) {
        fmt::print(stderr, "bench_peers: the accelerations of '{}' differ by more than {:.0e}: no times\n",
                   machine.name, kSame);
        return 1;
      }
  return 0;
}

}  // namespace
}  // namespace haltere::bench

int main() {
  return haltere::bench::run();
}
