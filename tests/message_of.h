#pragma once

#include <exception>
#include <functional>
#include <string>

namespace haltere {

/// What an action says when it throws; "" where it does not.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace haltere
