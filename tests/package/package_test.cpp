#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <string>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "source_folder.h"

namespace haltere {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

/// The program of the installation, in an empty folder.
class InstalledProgram : public ProgramTest {};

TEST_F(InstalledProgram, ListsEveryModelOfTheSource) {
  const Outcome o = haltere({"list", "models"});
  ASSERT_EQ(o.status, 0) << o.err;
  for (const fs::directory_entry& model : fs::directory_iterator(source_path("models"))) {
    if (!model.is_directory()) continue;
    EXPECT_THAT(lines_of(o.out), Contains(StartsWith(model.path().filename().string() + " ")));
  }
}

TEST_F(InstalledProgram, ReadsItsOwnCopyOfAModelByName) {
  const Outcome right = haltere({"check", "pendulum"});
  EXPECT_EQ(right.status, 0) << right.err;
  const Outcome wrong = haltere({"check", "pendulum", "--set", "m=-1"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("/prefix/share/haltere/models/pendulum/model.yaml:"));
}

TEST_F(InstalledProgram, BringsWhatTheTabKeyOffersInEveryShell) {
  const fs::path share = fs::path(HALTERE_PROGRAM).parent_path().parent_path() / "share";
  for (const char* file : {"bash-completion/completions/haltere", "zsh/vendor-completions/_haltere",
                           "fish/vendor_completions.d/haltere.fish"})
    EXPECT_THAT(read_text(share / file), HasSubstr("__complete")) << file;
}

/// A program of examples/, built against the installed library, and what it prints.
class ExampleTest : public ProgramTest {
 protected:
  explicit ExampleTest(const std::string& program) {
    status_ = std::system((HALTERE_EXAMPLES + program + " >" + path("out").string()).c_str());
  }
  /// The number behind a label of its output.
  double value(const std::string& label) const {
    const std::string out = read("out");
    const std::size_t place = out.find(label);
    return place == std::string::npos ? NAN : std::strtod(out.c_str() + place + label.size(), nullptr);
  }
  int status_ = -1;
};

class LibraryExample : public ExampleTest {
 protected:
  LibraryExample() : ExampleTest("library/swing") {}
};

TEST_F(LibraryExample, SwingsAsHighAsItsEnergyAllows) {
  ASSERT_EQ(status_, 0);
  // analytic: w^2 l^2 / 2 = g l (1 - cos a) with w^2 = g/l gives a = 60 deg; solver: tolerance of the run
  // 1e-9
  EXPECT_NEAR(value("largest angle"), std::numbers::pi / 3, 1e-8);
  EXPECT_NEAR(value("energy balance"), 0, 1e-8);
}

TEST_F(LibraryExample, EvaluatesOneRightHandSide) {
  ASSERT_EQ(status_, 0);
  // analytic: a mass on a level rod of 1 m turns with -g/l; machine precision
  EXPECT_NEAR(value("acceleration"), -9.81, 1e-14);
}

class SteppingExample : public ExampleTest {
 protected:
  SteppingExample() : ExampleTest("stepping/stiffen") {}
};

TEST_F(SteppingExample, SwingsHalfAsFarWithTheStifferSpring) {
  ASSERT_EQ(status_, 0);
  // analytic: it passes the middle with 1 m/s, and v = 2 rad/s times the amplitude; solver: tolerance 1e-9
  EXPECT_NEAR(value("position"), -0.5, 1e-8);
}

TEST_F(SteppingExample, GoesBackToTheSpringAsItWas) {
  ASSERT_EQ(status_, 0);
  EXPECT_EQ(value("k ="), 1);
  EXPECT_NEAR(value("energy balance"), 0, 1e-8);  // solver: tolerance 1e-9 of 1/2 J, some steps
}

TEST_F(SteppingExample, LinearisesTheStifferSpring) {
  ASSERT_EQ(status_, 0);
  // analytic: sqrt(k/m)/(2 pi); machine precision of an eigenvalue
  EXPECT_NEAR(value("frequency"), 1 / std::numbers::pi, 1e-14);
}

TEST(SharedLibrary, HasTheArchiveInIt) {
  void* const module = dlopen(HALTERE_MODULE, RTLD_NOW);
  ASSERT_NE(module, nullptr) << dlerror();
  const auto calc_position = reinterpret_cast<double (*)(double)>(dlsym(module, "calc_position"));
  ASSERT_NE(calc_position, nullptr) << dlerror();
  EXPECT_NEAR(calc_position(1), std::cos(1), 1e-8);  // analytic; solver: tolerance of the run 1e-9
}

TEST(LibraryDocument, ShowsTheExamplesThatAreCompiled) {
  for (const char* example : {"library", "stepping"})
    EXPECT_THAT(
        read_text(source_path("docs/library.md")),
        HasSubstr("```cpp\n" + read_text(source_path(std::string("examples/") + example + "/main.cpp")) +
                  "```\n"));
}

TEST(LibraryDocument, ShowsTheCMakeFileThatIsUsed) {
  EXPECT_THAT(read_text(source_path("docs/library.md")),
              HasSubstr("```cmake\n" + read_text(source_path("examples/library/CMakeLists.txt")) + "```\n"));
}

}  // namespace
}  // namespace haltere
