#pragma once

#include <set>

#include "haltere/model/kind_info.h"
#include "haltere/model/model.h"

/// Which bodies things of a model hold to: for the sparsity of tangents and the audit. Fields alone say it,
/// so that no kind has to.
namespace haltere {

/// Both bodies of a joint.
std::set<int> find_touched_bodies(const JointSpec& joint);

/// The bodies that the fields of an entry name (the world, 0, where one is not given), and those of the
/// joints whose coordinates they name.
std::set<int> find_touched_bodies(const Model& model, const KindInfo& kind, const Entry& entry);

/// Whether a formula of the entry reads signals.
bool reads_signals(const KindInfo& kind, const Entry& entry);

}  // namespace haltere
