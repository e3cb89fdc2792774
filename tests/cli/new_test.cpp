#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "source_folder.h"

namespace haltere {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using New = ProgramTest;
using Schema = ProgramTest;

TEST_F(New, WritesAModelThatRunsInAllItsCases) {
  const Outcome made = haltere({"new", "my-machine"});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out, IsEmpty());
  EXPECT_THAT(files(), ElementsAre("my-machine/README.md", "my-machine/model.yaml"));
  for (const char* arguments : {"check", "run", "evaluate"}) {
    const Outcome o = haltere({arguments, "my-machine"});
    EXPECT_EQ(o.status, 0) << o.err;
  }
  EXPECT_EQ(haltere({"run", "my-machine", "--case", "free"}).status, 0);
}

TEST_F(New, KeepsWhatIsThere) {
  write("old/model.yaml", "mine");
  const Outcome o = haltere({"new", "old"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("old"));
  EXPECT_EQ(read("old/model.yaml"), "mine");
}

TEST_F(New, RefusesAPlaceThatCannotBeMade) {
  write("file", "");
  EXPECT_EQ(haltere({"new", "file/model"}).status, 2);
}

// The example of the README is the first thing that people try.
TEST_F(New, TheReadmeShowsAModelThatRuns) {
  const std::string readme = read_text(source_path("README.md"));
  const std::string fence = "```yaml\n";
  const std::size_t start = readme.find(fence) + fence.size();
  ASSERT_GT(start, fence.size());
  const std::string model = readme.substr(start, readme.find("```", start) - start);
  EXPECT_LE(lines_of(model).size(), 25U);
  write("pendulum.yaml", model);
  const Outcome o = haltere({"run", "pendulum.yaml", "--set", "length=1.2", "--csv", "-"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("joint.pivot.angle"));
}

TEST_F(Schema, IsJsonThatNamesTheKindsAndTheirFields) {
  const Outcome o = haltere({"schema"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  const auto schema = nlohmann::json::parse(o.out);
  EXPECT_TRUE(schema.contains("$schema"));
  EXPECT_TRUE(schema["properties"].contains("bodies"));
  EXPECT_THAT(o.out, HasSubstr("rotary-spring"));
  EXPECT_THAT(o.out, HasSubstr("rest_angle"));
}

}  // namespace
}  // namespace haltere
