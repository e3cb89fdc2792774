// Any bytes as a table of a model: a curve that is finite over its range, or an InputError.
#include <cmath>

#include "fuzz/scratch.h"

#include "haltere/io/tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haltere;
  static const Scratch scratch;
  write_bytes(scratch / "t.csv", std::string(reinterpret_cast<const char*>(data), size));
  Sources sources;
  ProblemList problems;
  Tables tables(&sources, &problems);
  tables.set_folder(scratch.folder());
  for (const Outside outside : {Outside::kError, Outside::kHold, Outside::kExtrapolate, Outside::kPeriodic}) {
    TextProblem problem;
    const auto curve = tables.find("t.csv", "y", outside, {"m.yaml", 1, 1}, &problem);
    require(curve || problems.has_errors() || !problem.message.empty());
    if (!curve) continue;
    for (int i = -5; i <= 15; ++i) {
      const double x = curve->first() + (curve->last() - curve->first()) * 0.1 * i;
      if (!std::isfinite(x)) continue;
      curve->calc(x);
      curve->find_kink(x, i % 2 == 0);
    }
  }
  return 0;
}
