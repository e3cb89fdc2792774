#pragma once

#include <array>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

/// A kind (of joint, force, ...) is one struct in one file that describes itself: name, summary, fields.
/// Reader, schema, documentation, `haltere list` and the property tests all work from that description.
namespace haltere {

/// What a field must satisfy besides its unit.
enum class Rule { kAny, kNotNegative, kPositive };
/// Whether the file must say it; an optional field keeps the default of the struct.
enum class Need { kOptional, kRequired };

/// How three components behave in a mirror: points and forces as polar vectors, torques and axes of rotation
/// as axial ones.
enum class Parity { kPolar, kAxial };

/// What the formulas of a Function may use besides parameters.
enum class Reads {
  kSignals,  // the time and signals
  kTime,     // the time alone: where derivatives in time are needed
  kPlace,    // t, x, y, z: a field in the world       [s, m]
  kAngle,    // alpha, the angle of attack             [rad]
  kSpan,     // s, the distance along a span           [m]
  kSection   // x, s: the part of a chord, and the distance along the span  [1, m]
};

template <class Owner, class Value>
struct Field {
  std::string_view name;
  Value Owner::*member;
  std::string_view unit;  // "" for what has none: names, words, pure numbers
  std::string_view meaning;
  Rule rule = Rule::kAny;
  Need need = Need::kOptional;
  Parity parity = Parity::kPolar;
  Reads reads = Reads::kSignals;
  std::string_view otherwise{};  // its default in words, where the value in the struct does not say it
};

template <class Owner, class Value>
constexpr Field<Owner, Value> field(std::string_view name, Value Owner::*member, std::string_view unit,
                                    std::string_view meaning, Rule rule = Rule::kAny,
                                    Need need = Need::kOptional) {
  return {name, member, unit, meaning, rule, need, Parity::kPolar, Reads::kSignals, {}};
}

template <class Owner, class Value>
constexpr Field<Owner, Value> required(std::string_view name, Value Owner::*member, std::string_view unit,
                                       std::string_view meaning, Rule rule = Rule::kAny) {
  return {name, member, unit, meaning, rule, Need::kRequired, Parity::kPolar, Reads::kSignals, {}};
}

/// The same field, its three components being those of an axial vector.
template <class Owner, class Value>
constexpr Field<Owner, Value> axial(Field<Owner, Value> f) {
  f.parity = Parity::kAxial;
  return f;
}

/// The same field, its formulas being of something else than time and signals.
template <class Owner, class Value>
constexpr Field<Owner, Value> reading(Reads reads, Field<Owner, Value> f) {
  f.reads = reads;
  return f;
}
/// The same field, its formulas being of time alone.
template <class Owner, class Value>
constexpr Field<Owner, Value> of_time(Field<Owner, Value> f) {
  return reading(Reads::kTime, f);
}

/// The same field, with words for what holds where the file does not give it.
template <class Owner, class Value>
constexpr Field<Owner, Value> otherwise(std::string_view words, Field<Owner, Value> f) {
  f.otherwise = words;
  return f;
}

/// Words of an enumeration in files, in the order of its values; specialise beside the enumeration.
template <class Enum>
struct Words;

template <class K>
concept Described = requires {
  { K::kName } -> std::convertible_to<std::string_view>;
  { K::kSummary } -> std::convertible_to<std::string_view>;
  K::fields();
};

/// The list of a room. `Any<T>` holds one kind in the scalar T; `for_each` visits descriptions in list order.
template <template <class> class... Kinds>
struct KindList {
  static_assert((Described<Kinds<double>> && ...));
  template <class T>
  using Any = std::variant<Kinds<T>...>;
  static constexpr int kSize = sizeof...(Kinds);
  static constexpr std::array<std::string_view, sizeof...(Kinds)> kNames{Kinds<double>::kName...};

  /// f(Kinds<double>{}) for every kind.
  template <class F>
  static void for_each(F&& f) {
    (f(Kinds<double>{}), ...);
  }
  /// The kind number `index`, default-constructed, in the scalar T.
  template <class T>
  static Any<T> make(int index) {
    Any<T> any;
    int i = 0;
    ((i++ == index ? void(any.template emplace<Kinds<T>>()) : void()), ...);
    return any;
  }
  static constexpr int find(std::string_view name) {
    for (int i = 0; i < kSize; ++i)
      if (kNames[i] == name) return i;
    return -1;
  }
};

/// f(field) for every field of a kind, in order.
template <class K, class F>
void for_each_field(F&& f) {
  std::apply([&](const auto&... x) { (f(x), ...); }, K::fields());
}

}  // namespace haltere
