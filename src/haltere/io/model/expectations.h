#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "haltere/io/model/expected_limits.h"
#include "haltere/model/problem.h"
#include "haltere/simulate/run.h"

/// What a model is held to: the values in its `expected.yaml`, and how runs, equilibria and limits of stability compare with them.
namespace haltere {

/// One number, with where it comes from and how near a run must come.
struct Expectation {
  enum class Kind {
    kAt,
    kMax,
    kMin,
    kMiddle,
    kAmplitude,
    kPeriod,
    kMeasure,
    kEquilibrium,
    kLimit,
    kLimitFrequency
  };
  SourceMark mark;
  std::string case_name;
  std::vector<std::string> set;  // parameters and values of this model, NAME=VALUE
  /// kMeasure: name of the measure; kEquilibrium: of a column of `equilibrium --csv`; kLimit: of the parameter
  std::string channel;
  Kind kind = Kind::kAt;
  double t = 0;               // kAt: the time; else the end of the run                        [s]
  double low = 0, high = 0;   // kLimit, kLimitFrequency: between which values of the parameter
  double value = 0;           // SI; kLimitFrequency: [rad/s]
  double tolerance = 0;       // absolute
  std::string reason;         // of the tolerance
  std::string source, place;  // analytic, paper, peer or independent; and where in it
  std::string differs;        // why a published number is known not to be met; empty: it must be

  std::string quantity() const;  // "max joint.hinge12.angle up to 30 s"
  bool is_limit() const { return kind == Kind::kLimit || kind == Kind::kLimitFrequency; }
};

/// InputError with every mistake, file:line.
std::vector<Expectation> read_expectations(const std::filesystem::path& file);

/// InputError, at their places, for cases, parameters and values that the model does not take: before anything runs.
void check_expectations(const std::filesystem::path& model, const std::vector<Expectation>& expectations);

/// An expectation and what the run, the equilibrium or the search for the limit gave.
struct Comparison {
  Expectation expected;
  double ours = 0;
  std::string failure;  // of that

  bool agrees() const;  // within the tolerance
  bool passes() const { return agrees() || (failure.empty() && !expected.differs.empty()); }
  std::string verdict() const;  // agrees, differs: ..., FAILED
};

/// How to run them.
struct ExpectationRuns {
  std::string formulation = "recursive";
  const std::atomic<bool>* interrupt = nullptr;  // the comparisons that are not made say so
  std::function<void(int done, int of, const Progress&)> progress{};  // runs of this model
};

/// Runs each case of the model, looks for its equilibrium and its limits, as often as it takes.
std::vector<Comparison> compare_with_expectations(const std::filesystem::path& model,
                                                  const std::vector<Expectation>& expectations,
                                                  const ExpectationRuns& how);

}  // namespace haltere
