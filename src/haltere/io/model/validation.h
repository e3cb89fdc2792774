#pragma once

#include <string>
#include <vector>

#include "haltere/io/model/expectations.h"

namespace haltere {

/// A model and how its runs compare with what it is held to.
struct ValidatedModel {
  std::string model;
  std::vector<Comparison> comparisons;
};

/// How many values there are, how many differ as known, and how many fail.
struct ValidationTally {
  long count = 0, differing = 0, failed = 0;
};
ValidationTally count_verdicts(const std::vector<ValidatedModel>& all);

/// Every value with its source, tolerance and verdict, for another program.
std::string make_validation_json(const std::vector<ValidatedModel>& all);

}  // namespace haltere
