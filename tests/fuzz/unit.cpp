// Any bytes as a unit: a unit whose dimension can be written and read again, or a problem within the text.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "haltere/formula/units.h"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haltere;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TextProblem problem;
  const std::optional<Unit> unit = parse_unit(text, &problem);
  if (!unit) {
    require(problem.offset >= 0 && problem.offset <= static_cast<int>(size) && !problem.message.empty());
    return 0;
  }
  require(unit->factor > 0 && std::isfinite(unit->factor));
  const std::string written = to_string(unit->dimension);
  const std::optional<Unit> again = written == "1" ? Unit{} : parse_unit(written, &problem);
  require(again && again->dimension == unit->dimension);
  return 0;
}
