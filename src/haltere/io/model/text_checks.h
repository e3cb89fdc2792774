#pragma once

#include <string>
#include <string_view>

#include "haltere/io/model/problem_list.h"

namespace haltere {

/// Is this text at all? Adds a Problem with line and column, and returns false, for files that are too large,
/// bytes that are not UTF-8, control characters (binary files), and tabs that indent.
bool check_text(std::string_view text, const std::string& file, ProblemList* problems);

/// Replaces tabs by spaces in front of comments and in empty lines, where they mean nothing and the parser
/// stumbles.
void clear_idle_tabs(std::string* text);

}  // namespace haltere
