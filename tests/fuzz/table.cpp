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
  TextProblem problem;
  const auto curve = tables.find("t.csv", "y", {"m.yaml", 1, 1}, &problem);
  require(curve || problems.has_errors() || !problem.message.empty());
  if (!curve) return 0;
  for (int i = 0; i <= 10; ++i) {
    const double x = curve->first() + (curve->last() - curve->first()) * 0.1 * i;
    if (std::isfinite(x)) curve->calc(x);
  }
  return 0;
}
