#include "haltere/io/model/validation.h"

#include <utility>

#include "haltere/io/json.h"

namespace haltere {

ValidationTally count_verdicts(const std::vector<ValidatedModel>& all) {
  ValidationTally tally;
  for (const ValidatedModel& v : all)
    for (const Comparison& c : v.comparisons) {
      ++tally.count;
      tally.failed += c.passes() ? 0 : 1;
      tally.differing += c.passes() && !c.agrees() ? 1 : 0;
    }
  return tally;
}

std::string make_validation_json(const std::vector<ValidatedModel>& all) {
  Json list = Json::array();
  for (const ValidatedModel& v : all)
    for (const Comparison& c : v.comparisons) {
      const Expectation& e = c.expected;
      Json entry{{"model", v.model},         {"case", e.case_name}, {"quantity", e.quantity()},
                 {"source", e.source},       {"place", e.place},    {"expected", e.value},
                 {"tolerance", e.tolerance}, {"reason", e.reason},  {"verdict", c.verdict()},
                 {"passes", c.passes()}};
      if (c.failure.empty()) entry["ours"] = c.ours;
      list.push_back(std::move(entry));
    }
  return to_text(list);
}

}  // namespace haltere
