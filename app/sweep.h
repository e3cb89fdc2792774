#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/model_arguments.h"

namespace haltere {

/// What a verb with --sweep takes for it.
struct SweepArguments {
  std::string range;  // PARAM=a..b[:n]; empty: none
  bool yes = false;

  void add_to(CLI::App* verb, const std::string& what);
  bool is_given() const { return !range.empty(); }
};

/// The values of a parameter that a verb is to walk over, SI.
struct Sweep {
  std::string parameter, unit;
  std::vector<double> values;

  std::string label() const { return parameter + (unit.empty() ? "" : " [" + unit + "]"); }
};

/// Both ends may carry units. InputError for what is no range of the model's.
Sweep read_sweep(const ModelArguments& model, const std::string& range);

/// The model at a value. InputError where it makes no sense: both ends do, what does not between them is a point that
/// failed.
Model read_at(const ModelArguments& model, const Sweep& sweep, double value);

/// An age of work is refused, by what the first point takes. `calc_first` finds it and says how many bytes of memory or
/// disk a point is.
void require_affordable(const SweepArguments& arguments, const Sweep& sweep,
                        const std::function<double()>& calc_first);

/// Of so many values a table has some 20, and the first of those that failed alike.
std::size_t choose_stride(const Sweep& sweep);
/// Says so on stderr.
void say_stride(const Sweep& sweep);

/// Says on stderr which points failed and why; the exit status tells a script that not all is there. A failure that is
/// empty is none.
int report_failures(const Sweep& sweep, const std::vector<std::string>& failures);

}  // namespace haltere
