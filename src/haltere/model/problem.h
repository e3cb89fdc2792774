#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace haltere {

/// A place in a file; line and column count from 1, 0 means "the file as a whole".
struct SourceMark {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One mistake in the input: where, in what, what is wrong, what to do.
struct Problem {
  enum class Severity { kError, kWarning };
  SourceMark mark;
  std::string thing;    // "joint 'hinge12'"
  std::string message;  // "stiffness is -120 N m/rad; must not be negative"
  std::string hint;     // "did you mean 'revolute'?", may be empty
  Severity severity = Severity::kError;

  bool is_warning() const { return severity == Severity::kWarning; }
  std::string text() const;  // file:line:column: thing: message; hint
};

/// The input is wrong (exit status 2): all problems at once.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// The computation failed (exit status 1): when, what, where in the model, what to try.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The entry of `candidates` nearest to `word` as "did you mean 'x'?", or "" if none is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace haltere
