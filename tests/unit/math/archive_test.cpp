#include "haltere/math/archive.h"

#include <gtest/gtest.h>

namespace haltere {
namespace {

struct State {
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
  State saved{0.1, 1L << 52U, true, {true, false}, {-1, 0, 1}, Eigen::Vector2d(3, 4), {5, 6, 7}};
  Archive out;
  saved.visit_state(out);
  Archive in(out.numbers());
  State loaded;
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
  State state;
  Archive out;
  state.visit_state(out);
  State longer;
  longer.y = Eigen::VectorXd::Zero(3);
  Archive in(out.numbers());
  EXPECT_THROW(longer.visit_state(in), ArchiveMismatch);

  std::vector<double> numbers = out.numbers();
  numbers.pop_back();
  Archive cut(numbers);
  EXPECT_THROW(state.visit_state(cut), ArchiveMismatch);

  numbers = out.numbers();
  numbers.push_back(0);
  Archive extended(numbers);
  state.visit_state(extended);
  EXPECT_THROW(extended.require_end(), ArchiveMismatch);
}

}  // namespace
}  // namespace haltere
