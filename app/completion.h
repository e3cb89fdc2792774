#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace haltere {

/// What may stand where the cursor is: words, with what they mean, and whether files may, too.
struct Candidates {
  struct Word {
    std::string text, about;
  };
  std::vector<Word> words;
  bool files = false;
};

/// `typed`: the words behind `haltere`, up to the one at the cursor, which may be empty. It never fails: where something
/// cannot be read there are no candidates, since the line is not finished yet.
Candidates calc_candidates(const CLI::App& program, const std::vector<std::string>& typed);

/// The answer to `haltere __complete WORD...`, which the scripts of shells ask, so that all that is known of options is
/// known in one place: a line a word, what it means behind a tab; `:files` where files may stand.
std::string candidates_text(const Candidates& candidates);

}  // namespace haltere
