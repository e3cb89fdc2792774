#pragma once

#include <string>

#include "haltere/simulate/recorder.h"

namespace haltere {

/// How a run went, for another program: cost, events, audit, measures, what became of the start.
std::string make_run_json(const RunInfo& info, const RunSummary& summary);

}  // namespace haltere
