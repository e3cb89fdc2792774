#include "haltere/io/model/problem_list.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace haltere {
namespace {

bool comes_before(const Problem& a, const Problem& b) {
  return std::tie(a.mark.file, a.mark.line, a.mark.column) <
         std::tie(b.mark.file, b.mark.line, b.mark.column);
}

}  // namespace

void ProblemList::add(Problem problem) {
  if (!seen_.emplace(problem.mark.file, problem.mark.line, problem.mark.column, problem.message).second)
    return;
  if (problem.severity == Problem::Severity::kError) things_.insert(problem.thing);
  (problem.severity == Problem::Severity::kError ? errors_ : warnings_).push_back(std::move(problem));
}

void ProblemList::add(const SourceMark& mark, std::string thing, std::string message, std::string hint) {
  add({mark, std::move(thing), std::move(message), std::move(hint), Problem::Severity::kError});
}

void ProblemList::warn(const SourceMark& mark, std::string thing, std::string message, std::string hint) {
  add({mark, std::move(thing), std::move(message), std::move(hint), Problem::Severity::kWarning});
}

std::string ProblemList::suggest(const std::string& word, const std::vector<std::string>& candidates) const {
  return full() ? "" : did_you_mean(word, candidates);
}

std::vector<Problem> ProblemList::take_warnings() {
  std::stable_sort(warnings_.begin(), warnings_.end(), comes_before);
  return std::exchange(warnings_, {});
}

void ProblemList::throw_errors() {
  if (errors_.empty()) return;
  std::stable_sort(errors_.begin(), errors_.end(), comes_before);
  if (errors_.size() > kShown) {
    const std::size_t more = errors_.size() - kShown;
    errors_.resize(kShown);
    errors_.push_back({{errors_.front().mark.file, 0, 0},
                       "",
                       fmt::format("{} more {} not shown", more, more == 1 ? "problem" : "problems"),
                       "",
                       Problem::Severity::kError});
  }
  throw InputError(std::exchange(errors_, {}));
}

}  // namespace haltere
