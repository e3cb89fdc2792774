#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "haltere/formula/curve.h"
#include "haltere/formula/operations.h"

/// The functions that a formula may call.
namespace haltere {

/// What a function asks of the dimensions of its arguments, and what it gives.
enum class CallRule {
  kOfAngle,  // number or angle -> number
  kPure,     // number -> number
  kToAngle,  // number -> angle
  kKeep,     // any -> the same
  kSame,     // all the same -> the same
  kRatio,    // all the same -> angle
  kSign,     // any -> number
  kSpecial,  // sqrt, pow
};

struct BuiltIn {
  std::string_view name;
  Operation operation;
  int least;  // arguments
  int most;
  CallRule rule;
};

inline constexpr auto kFunctions = std::to_array<BuiltIn>({
    {"sin", Operation::kSin, 1, 1, CallRule::kOfAngle},
    {"cos", Operation::kCos, 1, 1, CallRule::kOfAngle},
    {"tan", Operation::kTan, 1, 1, CallRule::kOfAngle},
    {"asin", Operation::kAsin, 1, 1, CallRule::kToAngle},
    {"acos", Operation::kAcos, 1, 1, CallRule::kToAngle},
    {"atan", Operation::kAtan, 1, 1, CallRule::kToAngle},
    {"atan2", Operation::kAtan2, 2, 2, CallRule::kRatio},
    {"sinh", Operation::kSinh, 1, 1, CallRule::kPure},
    {"cosh", Operation::kCosh, 1, 1, CallRule::kPure},
    {"tanh", Operation::kTanh, 1, 1, CallRule::kPure},
    {"exp", Operation::kExp, 1, 1, CallRule::kPure},
    {"log", Operation::kLog, 1, 1, CallRule::kPure},
    {"floor", Operation::kFloor, 1, 1, CallRule::kPure},
    {"sqrt", Operation::kSqrt, 1, 1, CallRule::kSpecial},
    {"pow", Operation::kPower, 2, 2, CallRule::kSpecial},
    {"abs", Operation::kAbs, 1, 1, CallRule::kKeep},
    {"step", Operation::kStep, 1, 1, CallRule::kSign},
    {"smoothstep", Operation::kSmoothstep, 1, 1, CallRule::kPure},
    {"min", Operation::kMin, 2, 100, CallRule::kSame},
    {"max", Operation::kMax, 2, 100, CallRule::kSame},
    {"mod", Operation::kMod, 2, 2, CallRule::kSame},
    {"clamp", Operation::kMin, 3, 3, CallRule::kSame},
});

inline constexpr std::string_view kTableName = "table";  // its first arguments are texts

inline const BuiltIn* find_function(std::string_view name) {
  for (const BuiltIn& function : kFunctions)
    if (function.name == name) return &function;
  return nullptr;
}

/// The words that say what a table is beyond its points, in the order of Outside.
inline constexpr std::array<std::string_view, 4> kOutsideWords{"error", "hold", "extrapolate", "periodic"};
/// Those with a colon and a number that make it a fit, and how many harmonics there may be.
inline constexpr std::string_view kHarmonicsWord = "harmonics", kPeriodWord = "period",
                                  kSmoothWord = "smooth";
inline constexpr int kMostHarmonics = 64;

}  // namespace haltere
