#include "haltere/dynamics/machine/coupling.h"

#include "haltere/model/kind_info.h"
#include "haltere/model/lattices.h"
#include "haltere/model/quantity.h"
#include "haltere/model/touched_bodies.h"

namespace haltere {
namespace {

class Couplings {
 public:
  explicit Couplings(const Model& model) : model_(model), coupled_(model.bodies.size()) {
    for (int b = 1; b < static_cast<int>(coupled_.size()); ++b) coupled_[b].insert(b);
    for (const Probe& probe : model.probes) add_read(probe);
  }

  void add(const JointSpec& joint) {
    bool signals = false;
    for (const auto& formula : joint.driven) signals |= formula && formula->uses_locals();
    add(find_touched_bodies(joint), signals);
  }
  void add(const std::vector<Entry>& entries, const std::vector<KindInfo>& kinds) {
    for (const Entry& entry : entries) {
      const KindInfo& kind = kinds[entry.kind];
      add(find_touched_bodies(model_, kind, entry), reads_signals(kind, entry));
    }
  }

  /// All lattices are in one air.
  void add_lattices() {
    std::set<int> bodies;
    for (const Entry& surface : model_.surfaces)
      if (is_lattice(surface))
        bodies.merge(find_touched_bodies(model_, surface_kinds()[surface.kind], surface));
    add(bodies, false);
  }

  std::vector<std::set<int>> take() { return std::move(coupled_); }

 private:
  /// All of them depend on each other, and on what signals read.
  void add(const std::set<int>& bodies, bool signals) {
    for (const int a : bodies) {
      if (a == 0) continue;
      for (const int b : bodies)
        if (b != 0) coupled_[b].insert(a);
      if (signals)
        for (const int b : read_) coupled_[b].insert(a);
    }
  }

  /// Bodies that formulas read; which formula reads which is not asked.
  void add_read(const Probe& probe) {
    switch (owner_of(probe.quantity)) {
      case Owner::kBody:
        read_.insert(probe.index);
        break;
      case Owner::kJoint:
        read_.merge(find_touched_bodies(model_.joints[probe.index]));
        break;
      case Owner::kMachine:
        for (int b = 1; b < static_cast<int>(coupled_.size()); ++b) read_.insert(b);
        break;
      case Owner::kOther:
        break;
    }
    read_.erase(0);
  }

  const Model& model_;
  std::vector<std::set<int>> coupled_;
  std::set<int> read_;
};

}  // namespace

std::vector<std::set<int>> find_coupled_bodies(const Model& model, const KindLists& kinds) {
  Couplings couplings(model);
  for (const JointSpec& joint : model.joints) couplings.add(joint);
  couplings.add(model.constraints, kinds.constraints);
  couplings.add(model.forces, kinds.forces);
  couplings.add(model.surfaces, kinds.surfaces);
  couplings.add_lattices();
  return couplings.take();
}

}  // namespace haltere
