#pragma once

#include <string>
#include <utility>

#include "haltere/model/problem.h"

namespace haltere {

/// One mistake on the command line, to be thrown.
inline InputError wrong_input(std::string where, std::string message, std::string hint = {}) {
  Problem problem;
  problem.mark.file = std::move(where);
  problem.message = std::move(message);
  problem.hint = std::move(hint);
  return InputError({problem});
}

}  // namespace haltere
