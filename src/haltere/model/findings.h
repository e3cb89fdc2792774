#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "haltere/model/kind.h"
#include "haltere/model/problem.h"

namespace haltere {

/// Where a kind reports what is wrong with its numbers, under the name of the entry: `check(const Findings&)`
/// of a kind that has more to say than the rules of its fields. It is called where those are kept.
class Findings {
 public:
  Findings(SourceMark mark, std::string thing, std::vector<Problem>* problems)
      : mark_(std::move(mark)), thing_(std::move(thing)), problems_(problems) {}

  void report(std::string message, std::string hint = "") const;
  /// Once for all copies of an entry.
  void warn(const std::string& message, std::string hint) const;

 private:
  SourceMark mark_;
  std::string thing_;
  std::vector<Problem>* problems_;
};

/// What is wrong with a number, or "".
std::string find_number_fault(double x, std::string_view unit, Rule rule);

}  // namespace haltere
