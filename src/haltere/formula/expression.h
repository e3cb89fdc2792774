#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/formula/curve.h"
#include "haltere/formula/units.h"
#include "haltere/math/dual.h"
#include "haltere/math/jet.h"

namespace haltere {

enum class Operation : std::uint8_t;  // operations.h

/// What is known of the dimension of a formula while it is read.
///   kNumber  a plain number: pure in a product, SI in a sum or as a whole
///   kAny     unknown (a parameter that was given as a plain number): matches everything
///   kExact   known
struct Measure {
  enum class Kind { kNumber, kAny, kExact };
  Kind kind = Kind::kNumber;
  Dimension dimension{};
  bool is_strict = true;  // the angle counts; false for what a formula made, where radians are pure numbers
};

/// A name that a formula may use.
struct Variable {
  enum class Source { kParameter, kLocal, kConstant };
  Source source = Source::kParameter;
  int slot = 0;  // into the table of parameters, or of locals (local 0 is the time t)
  Measure measure{};
  double number = 0;  // kConstant: known while the formula is read (the index of a repeated block)
};

/// The names that a formula may use; `names` feeds the "did you mean".
struct Scope {
  std::function<std::optional<Variable>(std::string_view)> find;
  std::function<std::vector<std::string>()> names;
  /// Whether the name is a local here; where it is missing, find() tells. Cheaper than find() where
  /// parameters are read when they are first used.
  std::function<bool(std::string_view)> is_local{};
  /// The column of a file as a function of the file's first column: `table("polar.csv", "CL", alpha)`.
  /// Nothing: `problem` says why (offset 0: the column is at fault, 1: the fit, -1: the file), or is empty
  /// where that has been said elsewhere. Where it is missing, formulas have no tables.
  std::function<std::shared_ptr<const Curve>(std::string_view file, std::string_view column,
                                             const CurveSpec& spec, TextProblem* problem)>
      find_curve{};
};

/// A value as a function of time, offset + slope t, until a branch of its formula changes; or one that is no
/// straight line, or not known in advance.
struct LineInTime {
  bool is_line = false;
  double offset = 0, slope = 0;
  double until = std::numeric_limits<double>::infinity();  // [s]

  static LineInTime constant(double value) { return {true, value, 0}; }
  static LineInTime time() { return {true, 0, 1}; }
};

/// What lies ahead of a formula with tables of time.
struct TableOutlook {
  double kink = std::numeric_limits<double>::infinity();  // until then it is smooth                       [s]
  double end = std::numeric_limits<double>::infinity();   // from then on it is no number                  [s]
  const Curve* ended = nullptr;                           // because of this one
};

/// The names of functions and constants, which no parameter may have.
bool is_reserved_name(std::string_view name);

/// A formula, parsed once to a postfix program and evaluated in any scalar; derivatives come from the scalar.
///
/// Grammar: numbers, quantities (`5 deg`, `100 N*m/rad`), names (letters, digits, _ and dots), + - * / ^
/// (right associative, -2^2 is -4), unary -, comparisons < <= > >= == != (1 or 0), `a ? b : c`, brackets, pi,
/// and the functions sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs floor min max pow
/// step(x) (0 below 0, else 1), smoothstep(x) (0 to 1 between x = 0 and 1, twice differentiable), mod(a, b)
/// (sign of b), clamp(x, low, high). `table("file.csv", "column", x)` is a curve through the points of a
/// file; "hold", "extrapolate" or "periodic" may follow x and says what it is beyond them, an error
/// otherwise; "harmonics:8" or "smooth:1000 Hz" makes it a fit of them (CurveFit).
///
/// A number (or pi) directly followed by a unit is a quantity. In a formula its unit goes on over * and /
/// only while the next name is no variable: with a parameter m, `x*5 N*m` multiplies by the parameter, `x*5 N
/// m` by a metre. A text that is one quantity as a whole (`100 N/m`) is read as such even so, unless it then
/// contradicts `expected`, or a local like t stands in it.
///
/// Dimensions: the parts of a sum, a comparison, min, max, mod, clamp, atan2 and the branches of ?: must
/// agree (a plain number agrees with all); sin, cos and tan take angles or numbers, exp, log and floor
/// numbers; sqrt and ^ by a constant take roots and powers of dimensions. Derivatives of abs, min, max,
/// clamp, mod, step, floor and ?: are those of the active branch.
class Expression {
 public:
  Expression() = default;  // the number 0
  explicit Expression(double number);

  /// Problems are added to `problems` (offset within the text); the result is then the number 0.
  /// `expected`: the dimension that the place in the file asks for. A bare quantity or name must match it
  /// exactly; in a formula with operators radians count as pure numbers. Nothing: any dimension.
  static Expression parse(std::string_view text, const Scope& scope, const std::optional<Dimension>& expected,
                          std::vector<TextProblem>* problems);

  /// S: double, Dual, Jet<double>, Jet<Dual>; P is S, or the T of Jet<T>. No allocation.
  template <class S, class P>
  S calc(const P* parameters, const S* locals) const;

  /// The same formula in other units: its value times `factor`, of locals divided by their factors. A machine
  /// told in other units must move alike (tests/property/scale_test.cpp).
  Expression in_units(double factor, const std::vector<double>& local_factors) const;

  /// What lies ahead of its tables after t, as far as it can be known: where their arguments, and what the
  /// formula decides by, are straight lines in time. `value`: the formula itself as such.
  TableOutlook look_ahead(double t, const double* parameters, const LineInTime* locals,
                          LineInTime* value) const;
  bool has_tables() const { return !curves_.empty(); }

  /// The dimension found while reading.
  const Measure& measure() const { return measure_; }
  bool is_constant() const;  // needs no variable at all
  bool uses_local(int slot) const;
  bool uses_locals() const;             // needs the time or a signal
  std::vector<int> parameters() const;  // slots that it reads, sorted
  const std::string& text() const { return text_; }

 private:
  static constexpr int kStackLimit = 64;  // values at once; checked while reading
  struct Instruction {
    Operation operation{};
    std::int32_t slot = 0;  // parameter, local, distance of a jump, or whole exponent
    double number = 0;
  };
  friend class ExpressionParser;
  std::vector<Instruction> program_;  // postfix; empty: the number 0
  std::vector<std::shared_ptr<const Curve>> curves_;
  Measure measure_;
  std::string text_;
};

}  // namespace haltere
