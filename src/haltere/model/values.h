#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "haltere/formula/expression.h"
#include "haltere/math/types.h"
#include "haltere/model/kind.h"

/// What the fields of a kind may be, as the file gives them (Value) and as a formulation uses them (T,
/// Function<T>, ...).
namespace haltere {

struct BodyIndex {
  int value = 0;  // 0 is the world
  friend bool operator==(BodyIndex, BodyIndex) = default;
};

/// One velocity coordinate of one joint.
struct CoordinateIndex {
  int joint = -1;
  int coordinate = 0;  // within the joint
};

/// A formula of time and signals, evaluated anew at each instant. The program belongs to the Model.
template <class T>
struct Function {
  const Expression* expression = nullptr;  // none: the constant 0
  const T* parameters = nullptr;
  bool varies = false;  // with the locals
  T value{0};           // of one that does not

  Function() = default;
  Function(const Expression* e, const T* p)
      : expression(e),
        parameters(p),
        varies(e->uses_locals()),
        value(varies ? T(0) : e->calc<T, T>(p, nullptr)) {}

  T calc(const T* locals) const { return varies ? expression->calc<T, T>(parameters, locals) : value; }
  Jet<T> calc_jet(const T& t) const {
    const Jet<T> time = Jet<T>::time(t);
    return calc_jet(&time);
  }
  Jet<T> calc_jet(const Jet<T>* locals) const {
    if (!varies) return {value, T(0), T(0)};
    return expression->calc<Jet<T>, T>(parameters, locals);
  }
};

template <class T>
using VectorFunction = std::array<Function<T>, 3>;

/// A signal and the number it is multiplied by.
template <class T>
struct Gain {
  int local = 0;  // slot of the signal
  T gain{0};
};
template <class T>
using Gains = std::vector<Gain<T>>;

/// Rows of three numbers.
template <class T>
using Triples = std::vector<Vector3<T>>;

/// Points of a surface that stand in a table: rows along its chord, one after the other, each along its span.
struct PointGrid {
  int rows = 0, columns = 0;            // of points
  std::vector<Vector3<double>> points;  //            [m]
  std::string file;
};

struct Block;

/// One field as the file gives it. Absent fields (monostate) keep the default of the struct.
struct SignalGain {
  int local = 0;
  Expression gain;
};
using Value = std::variant<std::monostate,           //
                           Expression,               // T, Function<T>
                           std::vector<Expression>,  // Vector3<T>, VectorFunction<T>; Matrix3<T>, Triples<T>
                           BodyIndex,                //
                           CoordinateIndex,          //
                           std::vector<SignalGain>,  // Gains<T>
                           int,                      // a count; a word of an enumeration, by its position
                           bool,                     //
                           std::shared_ptr<const PointGrid>,  //
                           std::vector<Block>>;               // a list of structs with fields of their own

/// One entry of a map whose entries have fields of their own.
struct Block {
  std::string name;
  std::vector<Value> values;  // one per field
};

/// Turns Values into the members of a kind, for one table of parameters.
template <class T>
struct Resolver {
  const T* parameters = nullptr;

  T calc(const Expression& e) const { return e.calc<T, T>(parameters, nullptr); }

  void resolve(const Value& value, T* out) const {
    if (const auto* e = std::get_if<Expression>(&value)) *out = calc(*e);
  }
  void resolve(const Value& value, Vector3<T>* out) const {
    if (const auto* e = std::get_if<std::vector<Expression>>(&value))
      for (int i = 0; i < 3; ++i) (*out)[i] = calc((*e)[i]);
  }
  void resolve(const Value& value, Matrix3<T>* out) const {
    if (const auto* e = std::get_if<std::vector<Expression>>(&value))
      for (int i = 0; i < 9; ++i) (*out)(i / 3, i % 3) = calc((*e)[i]);
  }
  void resolve(const Value& value, Triples<T>* out) const {
    const auto* e = std::get_if<std::vector<Expression>>(&value);
    out->clear();
    for (std::size_t i = 0; e && i + 2 < e->size(); i += 3)
      out->push_back({calc((*e)[i]), calc((*e)[i + 1]), calc((*e)[i + 2])});
  }
  void resolve(const Value& value, std::shared_ptr<const PointGrid>* out) const {
    if (const auto* grid = std::get_if<std::shared_ptr<const PointGrid>>(&value)) *out = *grid;
  }
  template <class Part>
  requires requires { Part::fields(); }
  void resolve(const Value& value, std::vector<Part>* out) const {
    const auto* blocks = std::get_if<std::vector<Block>>(&value);
    out->clear();
    for (std::size_t k = 0; blocks && k < blocks->size(); ++k) {
      Part part;
      part.name = (*blocks)[k].name;
      std::size_t i = 0;
      for_each_field<Part>([&](const auto& f) { resolve((*blocks)[k].values[i++], &(part.*f.member)); });
      out->push_back(std::move(part));
    }
  }
  void resolve(const Value& value, int* out) const {
    if (const auto* i = std::get_if<int>(&value)) *out = *i;
  }
  void resolve(const Value& value, Function<T>* out) const {
    if (const auto* e = std::get_if<Expression>(&value)) *out = {e, parameters};
  }
  void resolve(const Value& value, VectorFunction<T>* out) const {
    if (const auto* e = std::get_if<std::vector<Expression>>(&value))
      for (int i = 0; i < 3; ++i) (*out)[i] = {&(*e)[i], parameters};
  }
  void resolve(const Value& value, Gains<T>* out) const {
    if (const auto* list = std::get_if<std::vector<SignalGain>>(&value)) {
      out->clear();
      for (const SignalGain& g : *list) out->push_back({g.local, calc(g.gain)});
    }
  }
  void resolve(const Value& value, BodyIndex* out) const {
    if (const auto* i = std::get_if<BodyIndex>(&value)) *out = *i;
  }
  void resolve(const Value& value, CoordinateIndex* out) const {
    if (const auto* i = std::get_if<CoordinateIndex>(&value)) *out = *i;
  }
  void resolve(const Value& value, bool* out) const {
    if (const auto* b = std::get_if<bool>(&value)) *out = *b;
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void resolve(const Value& value, Enum* out) const {
    if (const auto* i = std::get_if<int>(&value)) *out = static_cast<Enum>(*i);
  }
};

}  // namespace haltere
