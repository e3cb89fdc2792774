#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "haltere/model/problem.h"
#include "haltere/simulate/run.h"

/// What a model is held to: the values in its `expected.yaml`, and how a run compares with them.
namespace haltere {

/// One number, with where it comes from and how near a run must come.
struct Expectation {
  enum class Kind { kAt, kMax, kMin, kMiddle, kAmplitude, kPeriod, kMeasure, kEquilibrium };
  SourceMark mark;
  std::string case_name;
  std::string channel;  // kMeasure: name of the measure; kEquilibrium: of a column of `equilibrium --csv`
  Kind kind = Kind::kAt;
  double t = 0;               // kAt: the time; else the end of the run                        [s]
  double value = 0;           // SI
  double tolerance = 0;       // absolute
  std::string reason;         // of the tolerance
  std::string source, place;  // analytic, paper, peer or independent; and where in it
  std::string differs;        // why a published number is known not to be met; empty: it must be

  std::string quantity() const;  // "max joint.hinge12.angle up to 30 s"
};

/// InputError with every mistake, file:line.
std::vector<Expectation> read_expectations(const std::filesystem::path& file);

/// An expectation and what the run, or the equilibrium, gave.
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

/// Runs each case of the model as often as it takes.
std::vector<Comparison> compare_with_expectations(const std::filesystem::path& model,
                                                  const std::vector<Expectation>& expectations,
                                                  const ExpectationRuns& how);

}  // namespace haltere
