#include "haltere/model/problem.h"

#include <fmt/format.h>

#include "haltere/formula/text.h"

namespace haltere {
namespace {

std::string place_of(const SourceMark& mark) {
  if (mark.line == 0) return mark.file;
  return fmt::format("{}:{}:{}", mark.file, mark.line, mark.column);
}

std::string text_of(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem.text();
  }
  return text;
}

}  // namespace

std::string Problem::text() const {
  std::string text;
  for (const std::string& head : {place_of(mark), std::string(is_warning() ? "warning" : ""), thing})
    if (!head.empty()) text += head + ": ";
  text += message;
  if (!hint.empty()) text += "; " + hint;
  return text;
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(text_of(problems)), problems_(std::move(problems)) {}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::optional<std::string> similar = find_similar(word, candidates);
  return similar ? fmt::format("did you mean '{}'?", *similar) : "";
}

}  // namespace haltere
