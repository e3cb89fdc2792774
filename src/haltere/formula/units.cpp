#include "haltere/formula/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/scanner.h"
#include "haltere/formula/text.h"

namespace haltere {
namespace {

// -- the table

constexpr double kPi = std::numbers::pi;

// exponents in the order of Dimension: length, mass, time, angle, current, temperature
constexpr Dimension kLength{1};
constexpr Dimension kMass{0, 1};
constexpr Dimension kTime{0, 0, 1};
constexpr Dimension kAngle{0, 0, 0, 1};
constexpr Dimension kCurrent{0, 0, 0, 0, 1};
constexpr Dimension kTemperature{0, 0, 0, 0, 0, 1};
constexpr Dimension kRate{0, 0, -1};
constexpr Dimension kAngularRate{0, 0, -1, 1};
constexpr Dimension kForce{1, 1, -2};
constexpr Dimension kPressure{-1, 1, -2};
constexpr Dimension kEnergy{2, 1, -2};
constexpr Dimension kPower{2, 1, -3};
constexpr Dimension kVolume{3};
constexpr Dimension kCharge{0, 0, 1, 0, 1};
constexpr Dimension kVoltage{2, 1, -3, 0, -1};
constexpr Dimension kResistance{2, 1, -3, 0, -2};
constexpr Dimension kCapacitance{-2, -1, 4, 0, 2};
constexpr Dimension kInductance{2, 1, -2, 0, -2};
constexpr Dimension kFluxDensity{0, 1, -2, 0, -1};

// 1 unit = numerator / denominator SI: both are exact for decimal fractions, so that mm^2 is the double 1e-6
struct Entry {
  std::string_view name;
  double numerator;
  double denominator;
  Dimension dimension;
  std::string_view prefixes;  // letters of kPrefixes
};

constexpr auto kEntries = std::to_array<Entry>({
    {"m", 1, 1, kLength, "numcdk"},     {"g", 1, 1e3, kMass, "numk"},
    {"t", 1e3, 1, kMass, "k"},          {"s", 1, 1, kTime, "num"},
    {"min", 60, 1, kTime, ""},          {"h", 3600, 1, kTime, ""},
    {"d", 86400, 1, kTime, ""},         {"rad", 1, 1, kAngle, "num"},
    {"deg", kPi, 180, kAngle, ""},      {"\u00b0", kPi, 180, kAngle, ""},
    {"rev", 2 * kPi, 1, kAngle, ""},    {"turn", 2 * kPi, 1, kAngle, ""},
    {"rpm", kPi, 30, kAngularRate, ""}, {"Hz", 1, 1, kRate, "mkMG"},
    {"N", 1, 1, kForce, "numkM"},       {"Pa", 1, 1, kPressure, "umhkMG"},
    {"bar", 1e5, 1, kPressure, "m"},    {"J", 1, 1, kEnergy, "numkMG"},
    {"W", 1, 1, kPower, "numkMG"},      {"L", 1, 1e3, kVolume, "um"},
    {"l", 1, 1e3, kVolume, "um"},       {"A", 1, 1, kCurrent, "numk"},
    {"C", 1, 1, kCharge, "pnum"},       {"V", 1, 1, kVoltage, "numkM"},
    {"ohm", 1, 1, kResistance, "umkM"}, {"\u03a9", 1, 1, kResistance, "umkM"},
    {"F", 1, 1, kCapacitance, "pnum"},  {"H", 1, 1, kInductance, "num"},
    {"T", 1, 1, kFluxDensity, "num"},   {"K", 1, 1, kTemperature, "um"},
});

struct Prefix {
  char letter;
  double numerator;
  double denominator;
};
constexpr auto kPrefixes = std::to_array<Prefix>({{'p', 1, 1e12},
                                                  {'n', 1, 1e9},
                                                  {'u', 1, 1e6},
                                                  {'m', 1, 1e3},
                                                  {'c', 1, 1e2},
                                                  {'d', 1, 10},
                                                  {'h', 1e2, 1},
                                                  {'k', 1e3, 1},
                                                  {'M', 1e6, 1},
                                                  {'G', 1e9, 1}});
constexpr std::array<std::string_view, 2> kMicroSigns{"\u00b5", "\u03bc"};  // micro sign, Greek mu

// run together, in full or in another system: for the hint alone
struct Spelling {
  std::string_view word;
  std::string_view name;
};
constexpr auto kSpellings = std::to_array<Spelling>(
    {{"Nm", "N m"},      {"Nms", "N m s"},  {"Nmm", "N mm"},       {"mNm", "mN m"},    {"kNm", "kN m"},
     {"kgm", "kg m"},    {"Ns", "N s"},     {"Pas", "Pa s"},       {"Ws", "W s"},      {"Wh", "W h"},
     {"Vs", "V s"},      {"As", "A s"},     {"sec", "s"},          {"secs", "s"},      {"second", "s"},
     {"seconds", "s"},   {"minute", "min"}, {"minutes", "min"},    {"hr", "h"},        {"hour", "h"},
     {"hours", "h"},     {"meter", "m"},    {"meters", "m"},       {"metre", "m"},     {"metres", "m"},
     {"micron", "um"},   {"gram", "g"},     {"grams", "g"},        {"kilogram", "kg"}, {"kilograms", "kg"},
     {"ton", "t"},       {"tonne", "t"},    {"degree", "deg"},     {"degrees", "deg"}, {"radian", "rad"},
     {"radians", "rad"}, {"rads", "rad/s"}, {"revolution", "rev"}, {"turns", "turn"},  {"newton", "N"},
     {"newtons", "N"},   {"pascal", "Pa"},  {"joule", "J"},        {"joules", "J"},    {"watt", "W"},
     {"watts", "W"},     {"hertz", "Hz"},   {"cps", "Hz"},         {"kelvin", "K"},    {"degC", "K"},
     {"celsius", "K"},   {"ampere", "A"},   {"amp", "A"},          {"volt", "V"},      {"volts", "V"},
     {"mps", "m/s"},     {"kph", "km/h"},   {"kmh", "km/h"},       {"dps", "deg/s"},   {"rps", "rev/s"}});

// SI units that have a common name, in the order in which they are tried
constexpr auto kCommonNames = std::to_array<std::string_view>(
    {"1",     "m",       "kg",      "s",         "rad",   "A",     "K",    "N",       "N m",
     "N/m",   "N s/m",   "N m/rad", "N m s/rad", "N rad", "N/rad", "m/s",  "m/s2",    "m/s3",
     "rad/s", "rad/s2",  "1/s",     "1/s2",      "1/m",   "1/rad", "m2",   "m3",      "m/rad",
     "kg m",  "kg m/s",  "kg m2",   "kg/m",      "kg/m2", "kg/m3", "kg/s", "kg m2/s", "N s",
     "Pa",    "Pa s",    "W",       "V",         "ohm",   "C",     "F",    "H",       "T",
     "N m/A", "V s/rad", "N m/V",   "V s",       "N/A",   "m2/s",  "N/m3", "rad/m",   "rad2"});

const Entry* find_plain(std::string_view name) {
  const auto* found =
      std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return e.name == name; });
  return found == kEntries.end() ? nullptr : found;
}

const Prefix& prefix_of(char letter) {
  return *std::find_if(kPrefixes.begin(), kPrefixes.end(),
                       [&](const Prefix& p) { return p.letter == letter; });
}

// The unit of a name with or without prefix.
std::optional<Entry> find_entry(std::string_view name) {
  if (const Entry* entry = find_plain(name)) return *entry;
  if (name.empty()) return std::nullopt;
  char letter = name[0];
  std::string_view rest = name.substr(1);
  for (const std::string_view sign : kMicroSigns)
    if (name.starts_with(sign)) {
      letter = 'u';
      rest = name.substr(sign.size());
    }
  const Entry* entry = find_plain(rest);
  if (!entry || entry->prefixes.find(letter) == std::string_view::npos) return std::nullopt;
  const Prefix& prefix = prefix_of(letter);
  Entry scaled = *entry;
  scaled.numerator *= prefix.numerator;
  scaled.denominator *= prefix.denominator;
  return scaled;
}

std::vector<std::string> list_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) {
    names.emplace_back(entry.name);
    for (const char letter : entry.prefixes) names.push_back(letter + std::string(entry.name));
  }
  return names;
}

std::string hint_for(std::string_view name) {
  std::optional<std::string> meant;
  for (const Spelling& spelling : kSpellings)
    if (spelling.word == name) meant = spelling.name;
  if (!meant) meant = find_similar(name, list_names());
  return meant ? fmt::format("did you mean '{}'?", *meant) : "units are written as in 'kg m2/s' or 'N*m/rad'";
}

// -- the reader

// against absurd text: far beyond any unit, and exponents still fit into a Dimension
constexpr long kMaxExponent = 99;
constexpr int kMaxBrackets = 16;

// Bytes of the letter at the start of text, 0 if there is none.
std::size_t count_letter(std::string_view text) {
  if (text.empty()) return 0;
  if (Scanner::is_letter(text[0])) return 1;
  for (const std::string_view letter : {"\u00b0", "\u00b5", "\u03bc", "\u03a9"})
    if (text.starts_with(letter)) return letter.size();
  return 0;
}

// A product of powers on its way to a Unit; a text of any length cannot overflow it.
struct Product {
  double numerator = 1;
  double denominator = 1;
  std::array<long, 6> powers{};

  void multiply(const Product& b, long power) {
    const double up = power > 0 ? b.numerator : b.denominator;
    const double down = power > 0 ? b.denominator : b.numerator;
    for (long i = 0; i < std::labs(power); ++i) {
      numerator *= up;
      denominator *= down;
    }
    for (std::size_t i = 0; i < powers.size(); ++i)
      powers[i] = std::clamp(powers[i] + power * b.powers[i], -1000L, 1000L);  // 1000 is refused at the end
  }

  std::optional<Unit> find_unit() const {
    const double factor = numerator / denominator;
    if (!std::isnormal(factor)) return std::nullopt;
    for (const long power : powers)
      if (std::labs(power) > kMaxExponent) return std::nullopt;  // what is accepted can be written again
    const auto power = [this](int i) { return static_cast<std::int8_t>(powers[i]); };
    return Unit{factor, {power(0), power(1), power(2), power(3), power(4), power(5)}};
  }
};

Product product_of(const Entry& entry) {
  const Dimension& d = entry.dimension;
  return {entry.numerator, entry.denominator, {d.length, d.mass, d.time, d.angle, d.current, d.temperature}};
}

// Recursive descent over
//   product = factor { (* | / | . | space) factor },   factor = (name | bracket) [exponent].
class UnitReader {
 public:
  using IsVariable = std::function<bool(std::string_view)>;

  // `whole`: the text must be a unit to its end, and names are units only
  UnitReader(std::string_view text, bool whole, const IsVariable& is_variable)
      : in_{text}, whole_(whole), is_variable_(is_variable) {}

  std::optional<UnitPrefix> read(TextProblem* problem) {
    Product product;
    if (read_product(&product, 0) && check_end()) {
      if (const std::optional<Unit> unit = product.find_unit()) {
        prefix_.unit = *unit;
        prefix_.length = static_cast<int>(in_.position);
        return prefix_;
      }
      fail(0, fmt::format("{} is too large or too small for a unit", quote(in_.text)), "");
    }
    if (problem) *problem = problem_;
    return std::nullopt;
  }

 private:
  enum class Outcome { kRead, kNone, kFailed };  // kNone: no unit begins here; problem_ says why

  bool read_product(Product* product, int depth) {
    in_.skip_space();
    if (in_.peek() == '1' && !Scanner::is_digit(in_.peek(1)) && in_.peek(1) != '.') {
      ++in_.position;  // the 1 of 1/s
    } else if (read_factor('\0', depth, product) != Outcome::kRead) {
      return false;
    }
    for (;;) {
      const std::size_t end = in_.position, names = prefix_.names.size();
      const char separator = read_separator();
      const Outcome outcome = separator ? read_factor(separator, depth, product) : Outcome::kNone;
      if (outcome == Outcome::kRead) continue;
      // after an operator a longer text may go on with something else
      if (separator && (outcome == Outcome::kFailed || whole_ || separator == ' ')) return false;
      in_.position = end;
      prefix_.names.resize(names);
      return true;
    }
  }

  // '*', '/' or ' '; '\0' where nothing follows that belongs to the unit
  char read_separator() {
    const std::size_t start = in_.position;
    in_.skip_space();
    const std::string_view rest = in_.rest();
    for (const std::string_view sign : {"*", "/", ".", "\u00b7"}) {  // the last is a middle dot
      if (!rest.starts_with(sign)) continue;
      if (sign == "." && count_letter(rest.substr(1)) == 0) return '\0';
      in_.position += sign.size();
      return sign == "/" ? '/' : '*';
    }
    const bool apart =
        in_.position > start || in_.text[start - 1] == ')' || Scanner::is_digit(in_.text[start - 1]);
    return (apart && count_letter(rest) > 0) || (whole_ && in_.peek() == '(') ? ' ' : '\0';
  }

  Outcome read_factor(char separator, int depth, Product* product) {
    in_.skip_space();
    Product factor;
    const Outcome outcome = in_.peek() == '(' ? read_bracket(depth, &factor) : read_name(separator, &factor);
    if (outcome != Outcome::kRead) return outcome;
    long power = 1;
    if (!read_exponent(&power)) return Outcome::kFailed;
    product->multiply(factor, separator == '/' ? -power : power);
    return Outcome::kRead;
  }

  Outcome read_bracket(int depth, Product* factor) {
    const std::size_t start = in_.position++;
    if (depth == kMaxBrackets) return fail(start, "brackets are nested too deeply in a unit", "");
    if (!read_product(factor, depth + 1)) return Outcome::kNone;
    in_.skip_space();
    if (in_.peek() != ')') {
      fail(start, "a bracket is not closed in a unit", "");
      return Outcome::kNone;
    }
    ++in_.position;
    return Outcome::kRead;
  }

  Outcome read_name(char separator, Product* factor) {
    const std::string_view rest = in_.rest();
    std::size_t length = 0;
    while (const std::size_t n = count_letter(rest.substr(length))) length += n;
    const std::string_view name = rest.substr(0, length);
    const std::optional<Entry> entry = find_entry(name);
    bool is_variable = false;
    if (!whole_) {
      const std::string_view variable = in_.peek_name();
      is_variable = is_variable_ && is_variable_(variable);
      const bool after_operator = separator == '*' || separator == '/';
      if (after_operator && (is_variable || rest.substr(length).starts_with('('))) return Outcome::kNone;
      prefix_.names.push_back(variable);
    }
    if (!entry) {
      fail_at_name(name, is_variable);
      return Outcome::kNone;
    }
    in_.position += length;
    *factor = product_of(*entry);
    return Outcome::kRead;
  }

  void fail_at_name(std::string_view name, bool is_variable) {
    if (in_.position == in_.text.size()) {
      fail(in_.position, "a unit is missing at the end", "");
    } else if (name.empty()) {
      fail(in_.position, fmt::format("unexpected {} in a unit", quote(in_.peek_character())), "");
    } else {
      fail(in_.position, fmt::format("unknown unit {}", quote(name)),
           is_variable ? "write * before a variable" : hint_for(name));
    }
  }

  // ^2, ^-1, 2, -1, a superscript, or nothing
  bool read_exponent(long* power) {
    for (const auto& [sign, n] : {std::pair{"\u00b2", 2L}, std::pair{"\u00b3", 3L}})
      if (in_.rest().starts_with(sign)) {
        in_.position += 2;
        *power = n;
        return true;
      }
    const std::size_t start = in_.position;
    const bool has_caret = in_.peek() == '^';
    if (has_caret) ++in_.position;
    const bool is_negative = in_.peek() == '-' && Scanner::is_digit(in_.peek(1));
    if (is_negative) ++in_.position;
    if (!Scanner::is_digit(in_.peek())) {
      if (has_caret)
        fail(start, "the exponent of a unit must be a whole number", "write it as in m^2 or s^-1");
      return !has_caret;
    }
    long n = 0;
    for (; Scanner::is_digit(in_.peek()); ++in_.position) n = std::min(10 * n + (in_.peek() - '0'), 1000L);
    prefix_.has_minus |= is_negative && !has_caret;
    *power = is_negative ? -n : n;
    if (n > kMaxExponent) fail(start, "the exponent of a unit is too large", "");
    if (in_.peek() == '.' && Scanner::is_digit(in_.peek(1))) {
      fail(start, "the exponent of a unit must be a whole number", "");
      return false;
    }
    return n <= kMaxExponent;
  }

  bool check_end() {
    if (!whole_) return true;
    in_.skip_space();
    if (in_.position < in_.text.size())
      fail(in_.position, fmt::format("unexpected {} in a unit", quote(in_.peek_character())), "");
    return in_.position == in_.text.size();
  }

  Outcome fail(std::size_t where, std::string message, std::string hint) {
    problem_ = {static_cast<int>(where), std::move(message), std::move(hint)};
    return Outcome::kFailed;
  }

  Scanner in_;
  bool whole_;
  const IsVariable& is_variable_;
  UnitPrefix prefix_;
  TextProblem problem_;
};

std::int8_t saturate(int power) {
  return static_cast<std::int8_t>(std::clamp(power, -127, 127));
}

// `kg m2 s-2`
std::string list_powers(const Dimension& d) {
  const std::array<std::pair<std::string_view, int>, 6> powers{{{"kg", d.mass},
                                                                {"m", d.length},
                                                                {"s", d.time},
                                                                {"rad", d.angle},
                                                                {"A", d.current},
                                                                {"K", d.temperature}}};
  std::string text;
  for (const auto& [name, power] : powers) {
    if (power == 0) continue;
    if (!text.empty()) text += ' ';
    text += power == 1 ? std::string(name) : fmt::format("{}{}", name, power);
  }
  return text;
}

}  // namespace

Dimension operator*(const Dimension& a, const Dimension& b) {
  return {saturate(a.length + b.length),   saturate(a.mass + b.mass),
          saturate(a.time + b.time),       saturate(a.angle + b.angle),
          saturate(a.current + b.current), saturate(a.temperature + b.temperature)};
}

Dimension operator/(const Dimension& a, const Dimension& b) {
  return {saturate(a.length - b.length),   saturate(a.mass - b.mass),
          saturate(a.time - b.time),       saturate(a.angle - b.angle),
          saturate(a.current - b.current), saturate(a.temperature - b.temperature)};
}

Dimension Dimension::without_angle() const {
  Dimension result = *this;
  result.angle = 0;
  return result;
}

double Unit::to_si(double number) const {
  const double divisor = std::round(1 / factor);
  return factor < 1 && 1 / divisor == factor ? number / divisor : number * factor;
}

std::optional<Unit> parse_unit(std::string_view text, TextProblem* problem) {
  if (std::all_of(text.begin(), text.end(), Scanner::is_space)) return Unit{};
  const std::optional<UnitPrefix> prefix = UnitReader(text, true, nullptr).read(problem);
  return prefix ? std::optional(prefix->unit) : std::nullopt;
}

std::optional<UnitPrefix> parse_unit_prefix(std::string_view text,
                                            const std::function<bool(std::string_view)>& is_variable,
                                            TextProblem* problem) {
  return UnitReader(text, false, is_variable).read(problem);
}

Unit unit_of(std::string_view text) {
  TextProblem problem;
  if (const std::optional<Unit> unit = parse_unit(text, &problem)) return *unit;
  throw std::logic_error(fmt::format("unit {} of a field: {}", quote(text), problem.message));
}

bool is_unit_name(std::string_view text) {
  return find_entry(text).has_value();
}

std::string to_string(const Dimension& dimension) {
  for (const std::string_view name : kCommonNames)
    if (unit_of(name).dimension == dimension) return std::string(name);
  return list_powers(dimension);
}

}  // namespace haltere
