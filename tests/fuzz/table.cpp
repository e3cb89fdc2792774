// Any bytes as a table of a model: a curve with a value at every place, its points and beyond, or a problem.
#include <cmath>

#include "fuzz/scratch.h"

#include "haltere/io/model/tables.h"

namespace {

using namespace haltere;

void look(const Curve& curve) {
  const double range = curve.last() - curve.first();
  for (int i = -5; i <= 15; ++i) {
    const double x = curve.first() + range * 0.1 * i;
    if (!std::isfinite(x)) continue;
    curve.calc(x);
    require(!std::isnan(curve.find_kink(x, true)) && !std::isnan(curve.find_kink(x, false)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Scratch scratch;
  write_bytes(scratch / "t.csv", std::string(reinterpret_cast<const char*>(data), size));
  Sources sources;
  ProblemList problems;
  Tables tables(&sources, &problems);
  tables.set_folder(scratch.folder());
  const CurveFit none{}, series{.kind = CurveFit::Kind::kHarmonics, .harmonics = 2},
      smooth{.kind = CurveFit::Kind::kSmooth, .cut_off = 0.25};
  for (const Outside outside : {Outside::kError, Outside::kHold, Outside::kExtrapolate, Outside::kPeriodic})
    for (const CurveFit& fit : {none, series, smooth}) {
      TextProblem problem;
      const auto curve = tables.find("t.csv", "y", {outside, fit}, {"m.yaml", 1, 1}, &problem);
      require(curve || problems.has_errors() || !problem.message.empty());
      if (curve) look(*curve);
    }
  tables.list_fits();
  return 0;
}
