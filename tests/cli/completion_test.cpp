// What the Tab key offers. The scripts of the shells ask `haltere __complete`, with the words typed so far.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Completion : public ProgramTest {
 protected:
  std::vector<std::string> complete(const std::vector<std::string>& typed) const {
    std::vector<std::string> arguments{"__complete"};
    arguments.insert(arguments.end(), typed.begin(), typed.end());
    const Outcome o = haltere(arguments);
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.err, IsEmpty());
    return lines_of(o.out);
  }
};

TEST_F(Completion, OffersVerbsWithWhatTheyDo) {
  EXPECT_THAT(complete({"va"}), ElementsAre(StartsWith("validate\t")));
  EXPECT_THAT(complete({""}), Contains(StartsWith("run\t")));
}

TEST_F(Completion, OffersOptionsOfTheVerb) {
  EXPECT_THAT(complete({"run", "--int"}), ElementsAre(StartsWith("--integrator\t")));
  EXPECT_THAT(complete({"run", "pendulum", "--"}), Each(StartsWith("--")));
  EXPECT_THAT(complete({"check", "--int"}), IsEmpty());
}

TEST_F(Completion, OffersModelsAndFiles) {
  EXPECT_THAT(complete({"run", "x-h"}),
              ElementsAre(StartsWith("x-hale\t"), StartsWith("x-hale-air\t"), ":files"));
  EXPECT_THAT(complete({"run", "--until", "3", "wing-n"}), Contains(StartsWith("wing-nut")));
  EXPECT_THAT(complete({"plot", ""}), ElementsAre(":files"));
  EXPECT_THAT(complete({"run", "pendulum", "--csv", ""}), ElementsAre(":files"));
}

TEST_F(Completion, OffersWhatAModelHas) {
  const std::string model = shipped("x-hale");
  EXPECT_THAT(complete({"run", model, "--case", "gust-damage-"}),
              ElementsAre("gust-damage-12", "gust-damage-23"));
  EXPECT_THAT(complete({"run", model, "--set", "kT1"}), ElementsAre("kT12=\t100"));
  EXPECT_THAT(complete({"run", model, "--channels", "joint.hinge12.a"}),
              ElementsAre(StartsWith("joint.hinge12.angle\t"), StartsWith("joint.hinge12.acceleration\t")));
}

TEST_F(Completion, OffersWordsOfLists) {
  EXPECT_THAT(complete({"run", "pendulum", "--integrator", "dop"}),
              ElementsAre(StartsWith("dopri5\t"), StartsWith("dop853\t")));
  EXPECT_THAT(complete({"run", "pendulum", "--formulation", "abs"}), ElementsAre(StartsWith("absolute\t")));
  EXPECT_THAT(complete({"list", "integ"}), ElementsAre("integrators"));
  EXPECT_THAT(complete({"completion", ""}), testing::UnorderedElementsAre("bash", "zsh", "fish"));
}

TEST_F(Completion, IsSilentWhereNothingIsKnown) {
  EXPECT_THAT(complete({"run", "no-such-model", "--set", ""}), IsEmpty());
  EXPECT_THAT(complete({"no-such-verb", "--"}), IsEmpty());
  write("broken.yaml", "haltere: [");
  EXPECT_THAT(complete({"run", path("broken.yaml"), "--case", ""}), IsEmpty());
}

// independent: the shell itself says what it would offer
TEST_F(Completion, WorksInBash) {
  const Outcome script = haltere({"completion", "bash"});
  ASSERT_EQ(script.status, 0);
  write("script", "PATH=" + std::filesystem::path(HALTERE_PROGRAM).parent_path().string() + ":$PATH\n" +
                      script.out +
                      "COMP_WORDS=(haltere run pendulum --integrator dopr) COMP_CWORD=4\n_haltere\n"
                      "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const Outcome o = other_program("/bin/bash", {path("script")});
  EXPECT_EQ(o.out, "dopri5\n") << o.err;
}

TEST_F(Completion, OfAnUnknownShellIsWrongInput) {
  const Outcome o = haltere({"completion", "tcsh"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("bash"));
  EXPECT_THAT(haltere({"completion", "fish"}).out, Not(IsEmpty()));
}

}  // namespace
}  // namespace haltere
