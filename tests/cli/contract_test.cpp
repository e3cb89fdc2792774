// What scripts rely on whatever the verb: exit status, help, and what goes to which stream.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using Contract = ProgramTest;

constexpr const char* kVerbs[] = {"run",    "check", "assemble", "evaluate", "equilibrium", "modes",
                                  "lqr",    "trim",  "compare",  "validate", "list",        "plot",
                                  "report", "view",  "export",   "schema",   "new",         "completion"};

TEST_F(Contract, HelpOfEveryVerbGoesToStdoutAndHasAnExample) {
  for (const std::string verb : kVerbs) {
    const Outcome o = haltere({verb, "--help"});
    EXPECT_EQ(o.status, 0) << verb;
    EXPECT_THAT(o.out, HasSubstr("Example")) << verb;
    EXPECT_THAT(o.out, HasSubstr("haltere " + verb)) << verb;
    EXPECT_THAT(o.err, IsEmpty()) << verb;
  }
}

TEST_F(Contract, HelpOfTheProgramNamesEveryVerb) {
  const Outcome o = haltere({"--help"});
  EXPECT_EQ(o.status, 0);
  for (const char* verb : kVerbs) EXPECT_THAT(o.out, HasSubstr(std::string("\n  ") + verb)) << verb;
}

TEST_F(Contract, VersionGoesToStdout) {
  const Outcome o = haltere({"--version"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.out, StartsWith("haltere 0."));
}

TEST_F(Contract, NothingTypedShowsTheHelpAsAnError) {
  const Outcome o = haltere({});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("haltere run"));
}

TEST_F(Contract, AMistypedVerbIsNamedWithTheOneThatWasMeant) {
  const Outcome o = haltere({"chekc", "x"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("did you mean 'check'?"));
}

TEST_F(Contract, VerbsStillToComeSaySo) {
  for (const std::string verb : {"sweep"}) {
    const Outcome o = haltere({verb});
    EXPECT_EQ(o.status, 2) << verb;
    EXPECT_THAT(o.err, HasSubstr("not there yet")) << verb;
  }
}

TEST_F(Contract, AnUnknownOptionIsWrongInput) {
  const Outcome o = haltere({"run", shipped("pendulum"), "--unitl", "3"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("--unitl"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Contract, AMissingArgumentIsWrongInput) {
  for (const std::string verb :
       {"run", "check", "evaluate", "plot", "report", "view", "export", "new", "list"}) {
    const Outcome o = haltere({verb});
    EXPECT_EQ(o.status, 2) << verb;
    EXPECT_THAT(o.out, IsEmpty()) << verb;
  }
}

TEST_F(Contract, UnknownChartsAndStabilizationsAreRefused) {
  for (const auto& [option, value] :
       {std::pair{"--chart", "euler-xxy"}, std::pair{"--chart", "polar"},
        std::pair{"--stabilization", "baumgarte"}, std::pair{"--stabilization", "baumgarte:-1,2"},
        std::pair{"--drift", "0"}}) {
    const Outcome o = haltere({"run", shipped("pendulum"), option, value});
    EXPECT_EQ(o.status, 2) << value;
    EXPECT_THAT(o.err, HasSubstr(option));
    EXPECT_THAT(files(), IsEmpty());
  }
}

// a file opened later must not take the number of a closed stream and receive its messages
TEST_F(Contract, AClosedStreamChangesNoExitStatus) {
  write("wrong.yaml", "haltere: 1\nbodie: {}\n");
  EXPECT_EQ(haltere({"check", "wrong.yaml"}, Closed::kErr).status, 2);
  EXPECT_EQ(haltere({"run", shipped("pendulum"), "-o", "r"}, Closed::kErr).status, 0);
  EXPECT_EQ(haltere({"plot", "r", "joint.*.angle", "-o", "p.svg"}).status, 0);
}

TEST_F(Contract, OutputThatCannotBeWrittenIsAFailure) {
  EXPECT_EQ(haltere({"list", "integrators"}, Closed::kOut).status, 1);
}

}  // namespace
}  // namespace haltere
