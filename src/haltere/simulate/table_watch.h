#pragma once

#include <limits>
#include <string>
#include <vector>

#include "haltere/model/kind_info.h"
#include "haltere/model/model.h"

namespace haltere {

/// Looks ahead of the tables of time in a model's formulas (the arguments of others are not known in
/// advance): a method that chooses its steps ends one where a table bends, which no longer step would see.
class TableWatch {
 public:
  /// The model must stay.
  explicit TableWatch(const Model& model);

  /// The first time after t at which a table bends or ends; infinite if none does.
  double find_kink(double t, const std::vector<double>& parameters);
  /// Warnings: tables that a run from 0 to `until` would leave.
  std::vector<Problem> find_short_tables(double until, const std::vector<double>& parameters);

 private:
  struct Formula {
    const Expression* expression;
    bool is_field;  // of t, x, y, z; else of t, probes and signals
    SourceMark mark;
    std::string thing, what;
  };
  void add(const Expression& expression, const SourceMark& mark, const std::string& thing,
           std::string_view what, bool is_field = false);
  void add_fields(const KindInfo& kind, const Entry& entry, std::string_view room);
  void update_signals(double t, const std::vector<double>& parameters);
  TableOutlook look_ahead(const Formula& formula, double t, const std::vector<double>& parameters) const;

  const Model& model_;
  std::vector<Formula> formulas_;  // that have tables
  std::vector<LineInTime> locals_;
};

}  // namespace haltere
