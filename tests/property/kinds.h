#pragma once

#include <random>

#include <gtest/gtest.h>

#include "haltere/math/dual.h"
#include "haltere/model/kind.h"
#include "haltere/model/values.h"

/// Runs a test over every member of a list of kinds, and fills kinds with random fields.
namespace haltere {

/// A kind as a type that a typed test can carry: Kind::In<double>, Kind::In<Dual>.
template <template <class> class K>
struct KindTag {
  template <class T>
  using In = K<T>;
};

template <class Kinds>
struct ToTypes;
template <template <class> class... Kinds>
struct ToTypes<KindList<Kinds...>> {
  using type = ::testing::Types<KindTag<Kinds>...>;
};

/// The tests of a typed suite are called after their kind.
struct KindName {
  template <class Kind>
  static std::string GetName(int) {
    return std::string(Kind::template In<double>::kName);
  }
};

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double next(double low = -1, double high = 1) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(generator_); }
  Vector3<double> vector() { return {next(), next(), next()}; }

 private:
  std::mt19937 generator_;
};

/// Random numbers of either sign, or positive where the rule of the field asks for it.
inline double random_number(Rule rule, Random* random) {
  return rule == Rule::kAny ? random->next() : random->next(0.5, 2);
}

/// Random values for the fields of joints and shapes, which are numbers and vectors. Overload for other
/// fields.
template <class T>
void fill(Rule rule, Random* random, T* out) requires std::is_constructible_v<T, double> {
  *out = T(random_number(rule, random));
}
template <class T>
void fill(Rule rule, Random* random, Vector3<T>* out) {
  for (int i = 0; i < 3; ++i) (*out)[i] = T(random_number(rule, random));
}

template <class T>
void fill(Rule rule, Random* random, Matrix3<T>* out) {
  for (int i = 0; i < 9; ++i) (*out)(i / 3, i % 3) = T(random_number(rule, random));
}

template <class Kind>
Kind make_random(Random* random) {
  Kind kind;
  for_each_field<Kind>([&](const auto& f) { fill(f.rule, random, &(kind.*f.member)); });
  return kind;
}

}  // namespace haltere
