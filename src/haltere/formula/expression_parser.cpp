#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/built_in.h"
#include "haltere/formula/expression.h"
#include "haltere/formula/inference.h"
#include "haltere/formula/operations.h"
#include "haltere/formula/scanner.h"
#include "haltere/formula/table_words.h"
#include "haltere/formula/text.h"

namespace haltere {
namespace {

constexpr std::size_t kMaxLength = 20000;  // bytes of a formula
constexpr int kMaxNesting = 200;           // brackets, signs, powers and branches within each other
constexpr std::size_t kMaxProblems = 20;   // of one formula; more help nobody
constexpr double kMaxWholePower = 64;      // beyond it pow() is more accurate than products

}  // namespace

bool is_reserved_name(std::string_view name) {
  return name == "t" || name == "pi" || name == kTableName || find_function(name) != nullptr;
}

namespace {

// A part of the text with what is known of it.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
  Inferred inferred;
  std::size_t unit_begin = 0;  // of a quantity; 0 for anything else
};

struct Quantity {
  Part part;
  double number = 0;
  Unit unit;
};

}  // namespace

// Recursive descent; every function reads its part of the text and appends its instructions. A mistake of
// grammar ends the reading, any other one is noted and read over.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Scope& scope, const std::optional<Dimension>& expected,
                   std::vector<TextProblem>* problems)
      : in_{text}, scope_(scope), expected_(expected), problems_(problems), before_(problems->size()) {}

  Expression parse() {
    if (check_text() && !read_whole_quantity()) {
      check_expected(read_formula());
      check_stack();
      // `100 N*m` with a parameter m: where the formula makes no sense the unit was meant
      if (!is_fine() && quantity_) {
        problems_->resize(before_);
        has_stopped_ = false;
        take_quantity();
      }
    }
    if (!is_fine()) expression_ = Expression();
    expression_.text_ = in_.text;
    return std::move(expression_);
  }

 private:
  using Instruction = Expression::Instruction;

  bool check_text() {
    if (trim(in_.text).empty()) add_problem(0, "a number or a formula is missing", "");
    if (in_.text.size() > kMaxLength)
      add_problem(
          0,
          fmt::format("the formula has {} characters; at most {} are allowed", in_.text.size(), kMaxLength),
          "");
    return is_fine();
  }

  // -- a text that is one quantity as a whole: see the class comment of Expression

  // True if the text is one quantity and was taken as such; else quantity_ may hold a second reading.
  bool read_whole_quantity() {
    const bool is_negative = read_sign();
    double number = 0;
    const bool is_number = starts_number() && read_number(&number);
    if (!is_fine()) return true;
    in_.skip_space();
    const std::size_t start = in_.position;
    in_.position = 0;
    if (!is_number || start == in_.text.size()) return false;
    const std::optional<UnitPrefix> prefix = parse_unit_prefix(in_.text.substr(start), nullptr, nullptr);
    if (!prefix || prefix->names.empty() || !trim(in_.text.substr(start + prefix->length)).empty())
      return false;
    const bool is_meant = expected_ && prefix->unit.dimension == *expected_;
    if (!is_meant && (prefix->has_minus || has_variable(*prefix, Variable::Source::kLocal))) return false;
    const std::size_t begin = in_.text.find_first_not_of(Scanner::kSpace);
    const Part part{begin, begin + trim(in_.text).size(), Inferred::exact(prefix->unit.dimension), start};
    quantity_ = {part, is_negative ? -number : number, prefix->unit};
    if (!is_meant && expected_ && has_variable(*prefix, Variable::Source::kParameter)) return false;
    take_quantity();
    return true;
  }

  void take_quantity() {
    program().clear();
    push_quantity(quantity_->number, quantity_->unit, quantity_->part);
    check_expected(quantity_->part);
  }

  // Right after a number stands a unit, unless the name is something like the time t.
  bool has_variable(const UnitPrefix& prefix, Variable::Source source) const {
    if (source == Variable::Source::kLocal && scope_.is_local)
      return std::any_of(prefix.names.begin(), prefix.names.end(), scope_.is_local);
    for (std::size_t i = source == Variable::Source::kLocal ? 0 : 1; i < prefix.names.size(); ++i) {
      const std::optional<Variable> variable = find_variable(prefix.names[i]);
      if (variable && variable->source == source) return true;
    }
    return false;
  }

  bool read_sign() {
    in_.skip_space();
    const bool is_negative = in_.peek() == '-';
    if (is_negative || in_.peek() == '+') ++in_.position;
    in_.skip_space();
    return is_negative;
  }

  // -- grammar, from the weakest to the strongest binding

  Part read_formula() {
    const Part part = read_conditional();
    in_.skip_space();
    if (!has_stopped_ && in_.position < in_.text.size()) stop_at_leftover();
    return part;
  }

  // comparison [? conditional : conditional]
  Part read_conditional() {
    const Nesting nesting(this);
    const std::size_t start = program().size(), floor = fold_floor_;
    const Part condition = read_comparison();
    if (!in_.accept("?")) return condition;
    if (!condition.inferred.may_be_pure())
      add_problem(condition.begin, fmt::format("the condition is measured in {}", condition.inferred.unit()),
                  "compare it with something");
    const std::optional<double> known = find_number(start);
    const std::size_t jump = emit({Operation::kJumpUnless});
    const Part yes = read_conditional();
    if (!in_.accept(":")) stop_at_missing(':');
    const std::size_t other = emit({Operation::kJump});
    const Part no = read_conditional();
    if (has_stopped_) return condition;
    program()[jump].slot = static_cast<int>(other - jump);
    program()[other].slot = static_cast<int>(program().size() - other - 1);
    if (known) keep_branch(*known != 0, start, jump, other);
    // otherwise the last instruction belongs to one branch only
    fold_floor_ = find_number(start) ? floor : program().size();
    return {condition.begin, no.end, agree("the branches of ?:", yes, no)};
  }

  // sum [(< | <= | > | >= | == | !=) sum]
  Part read_comparison() {
    const Part left = read_sum();
    static constexpr auto signs =
        std::to_array<std::pair<std::string_view, Operation>>({{"<=", Operation::kLessEqual},
                                                               {">=", Operation::kGreaterEqual},
                                                               {"==", Operation::kEqual},
                                                               {"!=", Operation::kNotEqual},
                                                               {"<", Operation::kLess},
                                                               {">", Operation::kGreater}});
    for (const auto& [sign, operation] : signs) {
      if (!in_.accept(sign)) continue;
      const Part right = read_sum();
      agree("both sides of a comparison", left, right);
      return emit_function(operation, {left.begin, right.end, Inferred::number()});
    }
    return left;
  }

  Part read_sum() {
    Part left = read_product();
    for (;;) {
      const bool is_difference = in_.accept("-");
      if (!is_difference && !in_.accept("+")) return left;
      const Part right = read_product();
      left = {left.begin, right.end,
              agree(is_difference ? "both sides of -" : "both sides of +", left, right)};
      emit_function(is_difference ? Operation::kSubtract : Operation::kAdd, left);
    }
  }

  Part read_product() {
    Part left = read_signed();
    for (;;) {
      const bool is_quotient = in_.accept("/");
      if (!is_quotient && !in_.accept("*")) return left;
      if (in_.peek() == '*') {
        stop(in_.position - 1, "unexpected '**'", "powers are written with ^");
        return left;
      }
      const Part right = read_signed();
      const Inferred inferred =
          is_quotient ? divide(left.inferred, right.inferred) : multiply(left.inferred, right.inferred);
      left = {left.begin, right.end, inferred};
      emit_function(is_quotient ? Operation::kDivide : Operation::kMultiply, left);
    }
  }

  Part read_signed() {
    const Nesting nesting(this);
    in_.skip_space();
    const std::size_t begin = in_.position;
    if (in_.accept("+")) return read_signed();
    if (!in_.accept("-")) return read_power();
    Part part = read_signed();
    part.begin = begin;
    return emit_function(Operation::kNegate, part);
  }

  Part read_power() {
    const Part base = read_primary();
    if (!in_.accept("^")) return base;
    const std::size_t start = program().size();
    const Part exponent = read_signed();
    return has_stopped_ ? base : emit_power(base, exponent, find_number(start));
  }

  Part read_primary() {
    in_.skip_space();
    const std::size_t begin = in_.position;
    if (starts_number()) {
      double number = 0;
      if (!read_number(&number)) return {};
      return read_quantity(begin, number);
    }
    if (Scanner::is_letter(in_.peek())) return read_name();
    if (in_.accept("(")) {
      Part part = read_conditional();
      if (!in_.accept(")")) stop_at_missing(')');
      part.begin = begin;
      part.end = in_.position;
      return part;
    }
    stop_at_surprise();
    return {};
  }

  // -- numbers and quantities

  bool starts_number() const { return Scanner::is_digit(in_.peek()) || in_.peek() == '.'; }

  bool read_number(double* number) {
    const char* const first = in_.text.data() + in_.position;
    const auto [end, error] = std::from_chars(first, in_.text.data() + in_.text.size(), *number);
    const std::size_t length = end - first;
    if (error == std::errc::result_out_of_range) {
      add_problem(in_.position,
                  fmt::format("{} is too large or too small for a number",
                              quote(in_.text.substr(in_.position, length))),
                  "");
    } else if (error != std::errc()) {
      stop_at_surprise();
      return false;
    }
    in_.position += length;
    return true;
  }

  // what follows a number (or pi): nothing, or its unit
  Part read_quantity(std::size_t begin, double number) {
    const std::size_t end = in_.position;
    in_.skip_space();
    const std::size_t start = in_.position;
    const std::string_view name = in_.peek_name();
    const bool is_inverse = in_.peek() == '1' && trim(in_.text.substr(start + 1)).starts_with('/');  // 1/s
    const bool is_sign = static_cast<unsigned char>(in_.peek()) >= 0x80;  // µm, °
    if (name.empty() && !is_inverse && !is_sign) {
      in_.position = end;
      emit({Operation::kNumber, 0, number});
      return {begin, end, Inferred::number()};
    }
    const std::optional<Variable> variable = find_variable(name);
    const bool is_local = variable && variable->source == Variable::Source::kLocal;
    if (is_local || (is_known(name) && !is_unit_name(name))) {
      stop_at_leftover();
      return {};
    }
    return read_unit(begin, start, number);
  }

  Part read_unit(std::size_t begin, std::size_t start, double number) {
    TextProblem problem;
    const auto is_variable = [this](std::string_view name) {
      if (!is_known(name)) return false;
      if (is_unit_name(name)) shadowed_ = name;
      return true;
    };
    const std::optional<UnitPrefix> prefix = parse_unit_prefix(in_.text.substr(start), is_variable, &problem);
    if (prefix && prefix->names.empty()) {
      stop_at_leftover();
      return {};
    }
    if (!prefix) {
      stop(start + problem.offset, std::move(problem.message), std::move(problem.hint));
      return {};
    }
    in_.position = start + prefix->length;
    const std::string_view unit = in_.text.substr(start, prefix->length);
    if (prefix->has_minus)
      add_problem(start, fmt::format("{} can be read in two ways", quote(unit)),
                  "write s^-1 for a power, or a space on each side of a minus");
    const Part part{begin, in_.position, Inferred::exact(prefix->unit.dimension), start};
    push_quantity(number, prefix->unit, part);
    return part;
  }

  void push_quantity(double number, const Unit& unit, const Part& part) {
    const double value = unit.to_si(number);
    if (!std::isfinite(value))
      add_problem(part.begin, fmt::format("{} is too large", quote(text_of(part))), "");
    emit({Operation::kNumber, 0, value});
  }

  // -- names and functions

  Part read_name() {
    const std::size_t begin = in_.position;
    const std::string_view name = in_.peek_name();
    in_.position += name.size();
    const std::size_t end = in_.position;
    if (in_.accept("(")) return read_call(name, begin);
    if (name == "pi") return read_quantity(begin, std::numbers::pi);
    if (const std::optional<Variable> variable = find_variable(name)) {
      if (variable->source == Variable::Source::kConstant) {
        emit({Operation::kNumber, 0, variable->number});
        return {begin, end, Inferred::of(variable->measure)};
      }
      const bool is_local = variable->source == Variable::Source::kLocal;
      emit({is_local ? Operation::kLocal : Operation::kParameter, variable->slot});
      // a parameter that is a plain number may stand for any quantity
      const bool is_open = !is_local && variable->measure.kind == Measure::Kind::kNumber;
      return {begin, end, is_open ? Inferred::any() : Inferred::of(variable->measure)};
    }
    add_unknown_name(begin, name);
    emit({Operation::kLocal});  // anything that is not folded
    return {begin, end, Inferred::any()};
  }

  void add_unknown_name(std::size_t begin, std::string_view name) {
    if (find_function(name) || name == kTableName) {
      add_problem(begin, fmt::format("{} is a function", quote(name)), fmt::format("write {}(...)", name));
    } else if (is_unit_name(name)) {
      add_problem(begin, fmt::format("{} is a unit, not a variable here", quote(name)),
                  shadowed_.empty() ? fmt::format("write it after a number, as in '1 {}'", name)
                                    : dimension_hint(false));
    } else {
      std::vector<std::string> names = scope_.names ? scope_.names() : std::vector<std::string>();
      names.emplace_back("pi");
      add_problem(begin, fmt::format("unknown name {}", quote(name)), hint_for(name, names));
    }
  }

  Part read_call(std::string_view name, std::size_t begin) {
    if (name == kTableName) return read_table(begin);
    const BuiltIn* const function = find_function(name);
    if (!function) {
      std::vector<std::string> names(kFunctions.size());
      std::transform(kFunctions.begin(), kFunctions.end(), names.begin(),
                     [](const BuiltIn& f) { return f.name; });
      names.emplace_back(kTableName);
      const bool is_variable = find_variable(name).has_value();
      add_problem(begin, fmt::format("{} is no function", quote(name)),
                  is_variable ? "write * before the bracket" : hint_for(name, names));
    }
    std::vector<Part> arguments;
    std::size_t last = 0;  // where the program of the last argument starts
    do {
      last = program().size();
      arguments.push_back(read_conditional());
      // a function of many arguments takes them two by two
      if (function && arguments.size() > 1 && function->most > 2 && !has_stopped_)
        emit_pair(*function, arguments);
    } while (in_.accept(","));
    if (!in_.accept(")")) stop_at_missing(')');
    const Part call{begin, in_.position, Inferred::any()};
    return has_stopped_ || !function ? call : finish_call(*function, arguments, call, find_number(last));
  }

  // table("file", "column", x), after the bracket; numbers in a file have no unit: any dimension will do
  Part read_table(std::size_t begin) {
    const std::size_t place = in_.position;
    const std::optional<std::string_view> file = read_quoted();
    if (file && !in_.accept(",")) stop_at_missing(',');
    const std::size_t column_place = in_.position;
    const std::optional<std::string_view> column = has_stopped_ ? std::nullopt : read_quoted();
    if (column && !in_.accept(",")) stop_at_missing(',');
    if (has_stopped_) return {begin, in_.position, Inferred::any()};
    const Part argument = read_conditional();
    TableWords words([this](std::size_t where, std::string message, std::string hint) {
      add_problem(where, std::move(message), std::move(hint));
    });
    while (!has_stopped_ && in_.accept(",")) read_table_word(argument, &words);
    if (!in_.accept(")")) stop_at_missing(')');
    const Part call{begin, in_.position, Inferred::any()};
    if (has_stopped_ || !words.check()) return call;
    TextProblem problem{-1, "formulas have no tables here", ""};
    std::shared_ptr<const Curve> curve =
        scope_.find_curve ? scope_.find_curve(*file, *column, words.spec(), &problem) : nullptr;
    if (!curve) {
      const std::size_t places[]{place, column_place, words.fit_place()};
      add_problem(places[std::clamp(problem.offset, -1, 1) + 1], std::move(problem.message),
                  std::move(problem.hint));
      return call;
    }
    expression_.curves_.push_back(std::move(curve));
    return emit_function(Operation::kTable, call, static_cast<int>(expression_.curves_.size()) - 1);
  }

  void read_table_word(const Part& argument, TableWords* words) {
    in_.skip_space();
    const std::size_t place = in_.position;
    if (const std::optional<std::string_view> word = read_quoted())
      words->read(*word, place, argument.inferred.measure());
  }

  // a text between quotation marks of either kind
  std::optional<std::string_view> read_quoted() {
    in_.skip_space();
    const char mark = in_.peek();
    const std::size_t start = in_.position + 1;
    const std::size_t end = mark == '"' || mark == '\'' ? in_.text.find(mark, start) : std::string_view::npos;
    if (end == std::string_view::npos) {
      stop(in_.position,
           "table takes the name of a file and of a column, both in quotation marks, a value, and words for "
           "what lies beyond the points and for a fit",
           R"(as in table("polar.csv", "CL", alpha) or table("gust.csv", "w", t, "hold", "smooth:10 Hz"))");
      return std::nullopt;
    }
    in_.position = end + 1;
    return in_.text.substr(start, end - start);
  }

  // min(a, b, c) is min(min(a, b), c); clamp(x, low, high) is min(max(x, low), high)
  void emit_pair(const BuiltIn& function, const std::vector<Part>& arguments) {
    const bool is_lower_bound = function.name == "clamp" && arguments.size() == 2;
    emit_function(is_lower_bound ? Operation::kMax : function.operation,
                  {arguments[0].begin, arguments.back().end, Inferred::any()});
  }

  Part finish_call(const BuiltIn& function, const std::vector<Part>& arguments, Part call,
                   const std::optional<double>& last_number) {
    const int count = static_cast<int>(arguments.size());
    if (count < function.least || count > function.most) {
      const std::string wanted =
          function.least == function.most ? fmt::format("{}", function.least) : "2 or more";
      add_problem(call.begin,
                  fmt::format("{} takes {} argument{}, not {}", function.name, wanted,
                              function.most == 1 ? "" : "s", count),
                  "");
      return call;
    }
    if (function.operation == Operation::kPower)
      return emit_power(arguments[0], arguments[1], last_number, call.end);
    call.inferred = infer_call(function, arguments);
    return function.most > 2 ? call : emit_function(function.operation, call);
  }

  Inferred infer_call(const BuiltIn& function, const std::vector<Part>& arguments) {
    const Inferred angle = Inferred::of({Measure::Kind::kExact, {.angle = 1}, false});
    Inferred result = arguments[0].inferred;
    result.is_strict = false;
    switch (function.rule) {
      case CallRule::kOfAngle:
      case CallRule::kPure:
      case CallRule::kToAngle:
        check_pure(function, arguments[0]);
        return function.rule == CallRule::kToAngle ? angle : Inferred::number();
      case CallRule::kSame:
      case CallRule::kRatio:
        for (std::size_t i = 1; i < arguments.size(); ++i) {
          const Part before{arguments[0].begin, arguments[i - 1].end, result};
          result = agree(fmt::format("the arguments of {}", function.name), before, arguments[i]);
        }
        return function.rule == CallRule::kRatio ? angle : result;
      case CallRule::kSign:
        return Inferred::number();
      case CallRule::kSpecial:
        return infer_power(arguments[0], 0.5);
      case CallRule::kKeep:
        break;
    }
    return result;
  }

  void check_pure(const BuiltIn& function, const Part& argument) {
    if (argument.inferred.may_be_pure()) return;
    const bool takes_angle = function.rule == CallRule::kOfAngle;
    add_problem(
        argument.begin,
        fmt::format("{} of {}, which is measured in {}; must be {}", function.name, quote(text_of(argument)),
                    argument.inferred.unit(), takes_angle ? "an angle or a number" : "a number"),
        dimension_hint(argument.inferred.is_scaled));
  }

  // -- powers

  Part emit_power(const Part& base, const Part& exponent, const std::optional<double>& number,
                  std::size_t end = 0) {
    Part power{base.begin, std::max(exponent.end, end), Inferred::number()};
    if (number) {
      power.inferred = infer_power(base, *number);
    } else if (base.inferred.kind == Measure::Kind::kAny) {
      power.inferred = Inferred::any();
    } else if (!base.inferred.may_be_pure()) {
      add_problem(exponent.begin,
                  fmt::format("the exponent of {}, which is measured in {}, must be a constant",
                              quote(text_of(base)), base.inferred.unit()),
                  "");
    }
    if (!exponent.inferred.may_be_pure())
      add_problem(exponent.begin,
                  fmt::format("the exponent is measured in {}; must be a number", exponent.inferred.unit()),
                  "");
    if (!number || *number != std::round(*number) || std::abs(*number) > kMaxWholePower)
      return emit_function(Operation::kPower, power);
    program().pop_back();
    return emit_function(Operation::kWholePower, power, static_cast<int>(*number));
  }

  Inferred infer_power(const Part& base, double exponent) {
    if (const std::optional<Inferred> result = raise(base.inferred, exponent)) return *result;
    add_problem(base.begin, fmt::format("no unit is the power {} of {}", exponent, base.inferred.unit()), "");
    return Inferred::any();
  }

  // -- dimensions

  Inferred agree(std::string_view what, const Part& a, const Part& b) {
    if (has_stopped_) return Inferred::any();
    if (const std::optional<Inferred> common = unify(a.inferred, b.inferred)) return *common;
    add_problem(b.begin,
                fmt::format("{} differ in dimension: {} and {}", what, a.inferred.unit(), b.inferred.unit()),
                dimension_hint(a.inferred.is_scaled || b.inferred.is_scaled));
    return Inferred::any();
  }

  void check_expected(const Part& part) {
    if (!is_fine()) return;
    expression_.measure_ = part.inferred.measure();
    if (!expected_ || part.inferred.may_be(*expected_)) return;
    static constexpr Dimension frequency{.time = -1}, angular_rate{.time = -1, .angle = 1};
    const Dimension found = part.inferred.measure().dimension;
    const std::string_view text = text_of(part);
    if (found == frequency && *expected_ == angular_rate) {
      add_problem(part.begin, fmt::format("{} is not an angular rate", shown(part)), rate_hint(part));
    } else if (found == angular_rate && *expected_ == frequency) {
      add_problem(part.begin, fmt::format("{} is an angular rate, not a frequency", shown(part)),
                  fmt::format("write {}/(2*pi)", text));
    } else {
      add_problem(part.begin,
                  fmt::format("{} is measured in {}; expected {}", shown(part), part.inferred.unit(),
                              to_string(*expected_)),
                  dimension_hint(part.inferred.is_scaled));
    }
  }

  // What may lie behind a wrong dimension.
  std::string dimension_hint(bool is_scaled) const {
    if (!shadowed_.empty())
      return fmt::format("{0} is a variable here; in a unit write ' {1}' for '*{1}' and ' {1}^-1' for '/{1}'",
                         quote(shadowed_), shadowed_);
    return is_scaled ? "a plain number in a product has no unit; does one need a unit?" : "";
  }

  // quantities speak for themselves, names and formulas are quoted
  std::string shown(const Part& part) const {
    const std::string quoted = quote(text_of(part));
    return part.unit_begin > 0 ? quoted.substr(1, quoted.size() - 2) : quoted;
  }

  std::string rate_hint(const Part& part) const {
    const std::string_view unit = in_.text.substr(part.unit_begin, part.end - part.unit_begin);
    if (part.unit_begin == 0 || (unit != "Hz" && unit != "1/s"))
      return fmt::format("write 2*pi*{}", text_of(part));
    return fmt::format("write {}*2*pi rad/s",
                       trim(in_.text.substr(part.begin, part.unit_begin - part.begin)));
  }

  // -- instructions

  std::vector<Instruction>& program() { return expression_.program_; }

  std::size_t emit(const Instruction& instruction) {
    program().push_back(instruction);
    return program().size() - 1;
  }

  // Appends an operation, or computes it now where all that it needs is known.
  Part emit_function(Operation operation, const Part& part, int slot = 0) {
    if (has_stopped_) return part;
    const std::size_t arity = arity_of(operation);
    bool is_known = program().size() >= fold_floor_ + arity;
    for (std::size_t i = 1; i <= arity && is_known; ++i)
      is_known = program()[program().size() - i].operation == Operation::kNumber;
    if (!is_known) {
      emit({operation, slot});
      return part;
    }
    const Instruction* const last = &program().back();
    double number = 0;
    const std::string outside = find_curve_fault([&] {
      number = operation == Operation::kTable ? expression_.curves_[slot]->calc<double>(last[0].number)
               : arity == 2                   ? apply<double>(operation, last[-1].number, last[0].number)
                                              : apply<double>(operation, slot, last[0].number);
    });
    if (!std::isfinite(number)) {
      add_problem(part.begin,
                  outside.empty() ? fmt::format("{} is not a finite number", quote(text_of(part))) : outside,
                  "");
      number = 1;
    }
    program().resize(program().size() - arity);
    emit({Operation::kNumber, 0, number});
    return part;
  }

  // The number that all instructions since `start` amount to.
  std::optional<double> find_number(std::size_t start) {
    if (program().size() != start + 1 || program()[start].operation != Operation::kNumber)
      return std::nullopt;
    return program()[start].number;
  }

  // Instructions of a conditional: condition, jump, then-branch, other (jump), else-branch.
  void keep_branch(bool is_first, std::size_t start, std::size_t jump, std::size_t other) {
    std::vector<Instruction>& p = program();
    const auto at = [&](std::size_t i) { return p.begin() + static_cast<std::ptrdiff_t>(i); };
    if (is_first) p.erase(at(other), p.end());
    p.erase(at(start), at(is_first ? jump + 1 : other + 1));
  }

  void check_stack() {
    if (!is_fine()) return;
    int size = 0, largest = 0;
    for (const Instruction& x : program()) {
      // a jump ends a branch: its value and that of the other branch take the same place
      if (x.operation == Operation::kJump || x.operation == Operation::kJumpUnless) {
        --size;
      } else {
        size += 1 - arity_of(x.operation);
      }
      largest = std::max(largest, size);
    }
    if (largest > Expression::kStackLimit) add_problem(0, "the formula is nested too deeply", "split it");
  }

  // -- names in scope

  std::optional<Variable> find_variable(std::string_view name) const {
    return scope_.find ? scope_.find(name) : std::nullopt;
  }
  bool is_known(std::string_view name) const {
    return !name.empty() &&
           (name == "pi" || name == kTableName || find_function(name) || find_variable(name));
  }
  static std::string hint_for(std::string_view name, const std::vector<std::string>& names) {
    const std::optional<std::string> similar = find_similar(name, names);
    return similar ? fmt::format("did you mean '{}'?", *similar) : "";
  }

  // -- text

  // Counts how deep the reading is while it lives.
  struct Nesting {
    explicit Nesting(ExpressionParser* parser) : parser_(parser) {
      if (++parser_->depth_ > kMaxNesting)
        parser_->stop(parser_->in_.position, "the formula is nested too deeply", "split it");
    }
    ~Nesting() { --parser_->depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    ExpressionParser* parser_;
  };

  std::string_view text_of(const Part& part) const {
    return in_.text.substr(part.begin, part.end - part.begin);
  }

  // -- problems

  bool is_fine() const { return problems_->size() == before_; }

  void add_problem(std::size_t where, std::string message, std::string hint) {
    if (has_stopped_ || problems_->size() >= before_ + kMaxProblems) return;
    problems_->push_back({static_cast<int>(where), std::move(message), std::move(hint)});
  }

  // The rest cannot be understood: go to the end, so that everything returns.
  void stop(std::size_t where, std::string message, std::string hint) {
    add_problem(where, std::move(message), std::move(hint));
    has_stopped_ = true;
    in_.position = in_.text.size();
  }

  void stop_at_missing(char sign) {
    in_.skip_space();
    if (in_.position < in_.text.size()) return stop_at_leftover();
    stop(in_.position, fmt::format("{} is missing", quote(std::string_view(&sign, 1))), "");
  }

  void stop_at_surprise() {
    if (in_.position >= in_.text.size()) return stop(in_.position, "the formula ends too early", "");
    stop(in_.position, fmt::format("unexpected {}", quote(in_.peek_character())), "");
  }

  // something stands where an operator or the end is due
  void stop_at_leftover() {
    const char c = in_.peek();
    const bool is_operand = Scanner::is_letter(c) || Scanner::is_digit(c) || c == '(' || c == '.';
    const std::string_view name = in_.peek_name();
    if (is_operand) {
      const std::string_view operand = name.empty() ? in_.peek_character() : name;
      stop(in_.position, fmt::format("an operator is missing before {}", quote(operand)),
           "write * for a product");
    } else if (std::string_view("<>=!").find(c) != std::string_view::npos) {
      const bool is_single = c == '=' && !in_.rest().starts_with("==");
      stop(in_.position, fmt::format("unexpected {}", quote(in_.peek_character())),
           is_single ? "comparisons are written with ==" : "comparisons cannot be chained; use brackets");
    } else {
      stop_at_surprise();
    }
  }

  Scanner in_;
  const Scope& scope_;
  const std::optional<Dimension>& expected_;
  std::vector<TextProblem>* problems_;
  std::size_t before_;  // problems of others
  Expression expression_;
  std::optional<Quantity> quantity_;  // the text as one quantity, where it is a formula too
  std::string_view shadowed_;         // the last unit that was read as a variable of the same name
  std::size_t fold_floor_ = 0;        // instructions below it are not folded
  int depth_ = 0;
  bool has_stopped_ = false;
};

Expression Expression::parse(std::string_view text, const Scope& scope,
                             const std::optional<Dimension>& expected, std::vector<TextProblem>* problems) {
  return ExpressionParser(text, scope, expected, problems).parse();
}

}  // namespace haltere
