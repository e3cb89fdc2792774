#include "haltere/io/model/expected_limits.h"

#include <fmt/format.h>

#include "haltere/analysis/modes_walk.h"
#include "haltere/io/model/model_reader.h"

namespace haltere {

StabilityLimit find_limit(const std::filesystem::path& model, const LimitSearch& search,
                          const std::string& formulation) {
  const auto read = [&](double value) {
    std::vector<std::string> set = search.set;
    set.push_back(fmt::format("{}={:.17g}", search.parameter, value));
    return read_model(model, {.case_name = search.case_name, .set = set});
  };
  read(search.low);  // what is wrong with the parameter is no failure of a search
  LinearOptions linear;
  linear.formulation = formulation;
  ModesWalk walk(SteadyWalk(read, {}), linear,
                 [](const Linearization&, const Eigenmode&) { return std::string(); });
  const RootLocus locus =
      calc_root_locus({search.low, search.high}, [&](double value) { return walk.calc(value); });
  for (const std::string& failure : locus.failures)
    if (!failure.empty()) throw RunError(failure);
  if (locus.limits.size() != 1)
    throw RunError(fmt::format("{} limits of stability between {} = {:g} and {:g} in place of one",
                               locus.limits.size(), search.parameter, search.low, search.high));
  return locus.limits.front();
}

}  // namespace haltere
