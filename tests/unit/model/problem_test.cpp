#include "haltere/model/problem.h"

#include <gtest/gtest.h>

namespace haltere {
namespace {

TEST(Problem, SaysPlaceThingMessageAndHint) {
  const Problem problem{
      {"models/x.yaml", 42, 11}, "joint 'hinge'", "unknown kind 'revolut'", "did you mean 'revolute'?"};
  EXPECT_EQ(problem.text(),
            "models/x.yaml:42:11: joint 'hinge': unknown kind 'revolut'; did you mean 'revolute'?");
}

TEST(Problem, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ((Problem{{"x.yaml", 0, 0}, "", "is empty", ""}.text()), "x.yaml: is empty");
  EXPECT_EQ((Problem{{}, "gravity", "is nan", ""}.text()), "gravity: is nan");
}

TEST(Problem, AWarningIsCalledOne) {
  const Problem problem{{"x.yaml", 2, 3}, "body 'b'", "odd", "", Problem::Severity::kWarning};
  EXPECT_EQ(problem.text(), "x.yaml:2:3: warning: body 'b': odd");
}

TEST(InputError, ListsAllProblems) {
  const InputError error({{{"x.yaml", 1, 1}, "", "first", ""}, {{"x.yaml", 2, 1}, "", "second", ""}});
  EXPECT_STREQ(error.what(), "x.yaml:1:1: first\nx.yaml:2:1: second");
  EXPECT_EQ(error.problems().size(), 2u);
}

TEST(DidYouMean, OffersTheNearestWord) {
  const std::vector<std::string> words{"stiffness", "damping", "rest_angle"};
  EXPECT_EQ(did_you_mean("stifness", words), "did you mean 'stiffness'?");
  EXPECT_EQ(did_you_mean("rest_angel", words), "did you mean 'rest_angle'?");
}

TEST(DidYouMean, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(did_you_mean("colour", {"stiffness", "damping"}), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

}  // namespace
}  // namespace haltere
