// Broken models: whatever is wrong, every problem has its place, and no message shows a number that is none.
#include <fstream>
#include <iterator>
#include <random>
#include <regex>

#include <gtest/gtest.h>

#include "shipped_models.h"
#include "unit/io/reading.h"

namespace haltere {
namespace {

constexpr int kMutations = 60;  // of each model

std::string read_shipped(const std::string& name) {
  std::ifstream in(shipped_model(name) / "model.yaml", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Deletes, doubles or replaces one token, or a line; the same text for the same number everywhere.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(const std::string& text) {
    const std::vector<std::pair<std::size_t, std::size_t>> tokens = list_tokens(text);
    const auto [start, size] = tokens[choose(tokens.size())];
    const auto [other, other_size] = tokens[choose(tokens.size())];
    std::string mutated = text;
    switch (choose(6)) {
      case 0:
        return mutated.erase(start, size);
      case 1:
        return mutated.insert(start + size, " " + text.substr(start, size));
      case 2:
        return mutated.replace(start, size, text.substr(other, other_size));
      case 3:
        return mutated.erase(start, text.find('\n', start) - start);
      default:
        return mutated.replace(start, size, kValues[choose(std::size(kValues))]);
    }
  }

 private:
  static constexpr const char* kValues[] = {
      "nan",    ".nan",     "inf",         "-.inf", "1e999",  "1e308", "-1",  "0",  "1e-320", "1e300 kg",
      "[]",     "{}",       "~",           "true",  "x",      "[1,2]", "1 m", "\"", "1/0",    "0/0",
      "log(0)", "sqrt(-1)", "1e200*1e200", "t",     "{a: 1}", "1e160", "- 1", "|",  "*a",     "[1, x, 0]"};

  std::size_t choose(std::size_t n) { return random_() % n; }

  /// Start and size of words, numbers and signs.
  static std::vector<std::pair<std::size_t, std::size_t>> list_tokens(const std::string& text) {
    std::vector<std::pair<std::size_t, std::size_t>> tokens;
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    };
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i + 1;
      if (is_part(text[i]))
        while (end < text.size() && is_part(text[end])) ++end;
      if (!std::isspace(static_cast<unsigned char>(text[i]))) tokens.emplace_back(i, end - i);
      i = end;
    }
    return tokens;
  }

  std::mt19937 random_;
};

class BrokenModel : public testing::TestWithParam<std::string> {};

TEST_P(BrokenModel, EveryProblemHasAPlaceAndNoMessageShowsANumberThatIsNone) {
  const std::string text = read_shipped(GetParam());
  const std::regex quoted("'[^']*'"), none("(^|[^a-z.])-?(nan|inf)([^a-z]|$)");
  Mutator mutator(1);
  int refused = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string broken = mutator.mutate(mutator.mutate(text));
    try {
      read_model_text(broken, (shipped_model(GetParam()) / "model.yaml").string());
    } catch (const InputError& error) {
      ++refused;
      for (const Problem& problem : error.problems()) {
        EXPECT_GT(problem.mark.line, 0) << problem.text();
        const std::string message = std::regex_replace(problem.message + " " + problem.hint, quoted, "");
        EXPECT_FALSE(std::regex_search(message, none)) << problem.text();
      }
    }
  }
  EXPECT_GT(refused, kMutations / 4);  // else it shows nothing
}

INSTANTIATE_TEST_SUITE_P(Shipped, BrokenModel, testing::ValuesIn(list_shipped_models()),
                         [](const auto& test) { return to_test_name(test.param); });

}  // namespace
}  // namespace haltere
