#pragma once

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "haltere/model/problem.h"

namespace haltere {

/// Collects the problems of a file while reading goes on behind them. The same mistake in the same place
/// counts once (a repeated block would report it for every copy).
class ProblemList {
 public:
  void add(Problem problem);
  void add(const SourceMark& mark, std::string thing, std::string message, std::string hint = {});
  void warn(const SourceMark& mark, std::string thing, std::string message, std::string hint = {});

  bool has_errors() const { return !errors_.empty(); }
  std::size_t size() const { return errors_.size(); }
  /// Something was already found wrong with this thing: what follows from it need not be said.
  bool mentions(const std::string& thing) const { return things_.contains(thing); }
  /// More than anybody reads: hints need no longer be looked for.
  bool full() const { return errors_.size() > kShown; }
  /// "did you mean", unless the list is full.
  std::string suggest(const std::string& word, const std::vector<std::string>& candidates) const;

  std::vector<Problem> take_warnings();
  /// Throws InputError with the errors in the order of file and line, the first hundred of them; returns if
  /// there is none.
  void throw_errors();

 private:
  static constexpr std::size_t kShown = 100;
  using Key = std::tuple<std::string, int, int, std::string>;

  std::vector<Problem> errors_;
  std::vector<Problem> warnings_;
  std::set<Key> seen_;
  std::set<std::string> things_;
};

}  // namespace haltere
