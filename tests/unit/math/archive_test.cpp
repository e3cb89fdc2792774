#include "haltere/math/archive.h"

#include <cmath>

#include <gtest/gtest.h>

namespace haltere {
namespace {

struct Part {
  double x = 0;
  long steps = 0;
  bool begun = false;
  std::vector<bool> flags{false, false};
  std::vector<int> signs{0, 0, 0};
  Eigen::VectorXd y = Eigen::VectorXd::Zero(2);
  Vector3<double> p = Vector3<double>::Zero();

  void visit_state(Archive& archive) { archive(x, steps, begun, flags, signs, y, p); }
};

TEST(Archive, SavesAndLoadsByTheSameFunction) {
  Part saved{0.1, 1L << 52U, true, {true, false}, {-1, 0, 1}, Eigen::Vector2d(3, 4), {5, 6, 7}};
  Archive out;
  saved.visit_state(out);
  Archive in(out.state());
  Part loaded;
  loaded.visit_state(in);
  in.require_end();
  EXPECT_EQ(loaded.x, saved.x);
  EXPECT_EQ(loaded.steps, saved.steps);
  EXPECT_EQ(loaded.begun, saved.begun);
  EXPECT_EQ(loaded.flags, saved.flags);
  EXPECT_EQ(loaded.signs, saved.signs);
  EXPECT_EQ(loaded.y, saved.y);
  EXPECT_EQ(loaded.p, saved.p);
}

TEST(Archive, AnotherStateIsRefused) {
  Part state;
  Archive out;
  state.visit_state(out);
  Part longer;
  longer.y = Eigen::VectorXd::Zero(3);
  Archive in(out.state());
  EXPECT_THROW(longer.visit_state(in), ArchiveMismatch);

  State saved = out.state();
  saved[0].numbers.pop_back();
  Archive cut(saved);
  EXPECT_THROW(state.visit_state(cut), ArchiveMismatch);

  saved = out.state();
  saved[0].numbers.push_back(0);
  Archive extended(saved);
  state.visit_state(extended);
  EXPECT_THROW(extended.require_end(), ArchiveMismatch);
}

TEST(Archive, WhatIsNoCountIsRefused) {
  for (const double number : {0.5, std::nan(""), 1e300, -1e300, 2147483648.}) {
    int steps = 0;
    Archive archive(State{{"", {number}}});
    EXPECT_THROW(archive(steps), ArchiveMismatch) << number;
  }
  bool begun = false;
  Archive archive(State{{"", {2}}});
  EXPECT_THROW(archive(begun), ArchiveMismatch);
}

/// Two parts by name, of which the first may have more to say.
void visit_parts(Archive& archive, std::vector<double>* wake, double* t) {
  archive.block("wake");
  archive.grow(*wake);
  archive.block("clock");
  archive(*t);
}

TEST(Archive, PartsAreFoundByName) {
  std::vector<double> wake{1, 2, 3};
  double t = 0.5;
  Archive out;
  visit_parts(out, &wake, &t);
  ASSERT_EQ(out.state().size(), 2u);
  EXPECT_EQ(out.state()[0], (StateBlock{"wake", {3, 1, 2, 3}}));
  EXPECT_EQ(out.state()[1], (StateBlock{"clock", {0.5}}));

  std::vector<double> loaded;
  double t_loaded = 0;
  Archive in(State{out.state()[1], out.state()[0]});  // their order is nothing
  visit_parts(in, &loaded, &t_loaded);
  in.require_end();
  EXPECT_EQ(loaded, wake);
  EXPECT_EQ(t_loaded, t);
}

TEST(Archive, PartsThatAreMissingOrTooManyAreNamed) {
  std::vector<double> wake;
  double t = 0;
  Archive clock_alone(State{{"clock", {0.5}}});
  try {
    visit_parts(clock_alone, &wake, &t);
    FAIL() << "nothing was thrown";
  } catch (const ArchiveMismatch& mismatch) {
    EXPECT_STREQ(mismatch.what(), "it has no state of 'wake'; it has 'clock'");
  }
  Archive another(State{{"wake", {0}}, {"clock", {0.5}}, {"ground", {}}});
  visit_parts(another, &wake, &t);
  EXPECT_THROW(another.require_end(), ArchiveMismatch);
  Archive too_long(State{{"wake", {1e9, 1}}, {"clock", {0.5}}});
  EXPECT_THROW(visit_parts(too_long, &wake, &t), ArchiveMismatch);
  Archive twice;
  twice.block("wake");
  EXPECT_THROW(twice.block("wake"), std::logic_error);
}

}  // namespace
}  // namespace haltere
