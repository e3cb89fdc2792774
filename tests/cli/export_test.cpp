// haltere export: files for ParaView.
#include <csignal>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Export : public ProgramTest {
 protected:
  /// models/wing, whose wake goes with the wind alone, in the folder r.
  void run_wing(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments{"run", shipped("wing"), "--case", "straight-wake", "-o",
                                       "r",   "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome o = haltere(arguments);
    ASSERT_EQ(o.status, 0) << o.err;
  }
  std::vector<std::string> files_of(const std::string& folder) const {
    std::vector<std::string> names;
    for (const std::string& file : files())
      if (file.starts_with(folder + "/")) names.push_back(file.substr(folder.size() + 1));
    return names;
  }
};

/// Numbers of an array of a .vtp: base64 after eight bytes that say how many.
std::vector<double> read_numbers(const std::string& vtp, const std::string& name) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t at = vtp.find("Name=\"" + name + "\"");
  EXPECT_NE(at, std::string::npos) << name;
  std::string bytes;
  unsigned bits = 0, n = 0;
  for (std::size_t i = vtp.find('\n', at) + 1; vtp[i] != '\n' && vtp[i] != '='; ++i) {
    bits = bits << 6U | static_cast<unsigned>(digits.find(vtp[i]));
    n += 6;
    if (n < 8) continue;
    n -= 8;
    bytes += static_cast<char>(bits >> n & 0xffU);
  }
  std::vector<double> values((bytes.size() - 8) / sizeof(double));
  std::memcpy(values.data(), bytes.data() + 8, values.size() * sizeof(double));
  return values;
}

TEST_F(Export, WritesOneFileAFrameAndPartAndTheirSeries) {
  ASSERT_NO_FATAL_FAILURE(run_wing({"--frames", "0.00625"}));  // 10 of 40 steps
  const Outcome o = haltere({"export", "r", "--vtk", "v"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "wrote v/frames.pvd: 5 frames of wing\n");
  EXPECT_EQ(o.out, "");
  EXPECT_THAT(files_of("v"),
              ElementsAre("bodies-0.vtp", "bodies-1.vtp", "bodies-2.vtp", "bodies-3.vtp", "bodies-4.vtp",
                          "frames.pvd", "surface-wing-0.vtp", "surface-wing-1.vtp", "surface-wing-2.vtp",
                          "surface-wing-3.vtp", "surface-wing-4.vtp", "wake-wing-0.vtp", "wake-wing-1.vtp",
                          "wake-wing-2.vtp", "wake-wing-3.vtp", "wake-wing-4.vtp"));
  const std::string series = read("v/frames.pvd");
  EXPECT_THAT(series, HasSubstr("<DataSet timestep=\"0\" part=\"0\" file=\"surface-wing-0.vtp\"/>"));
  for (const std::string& file : files_of("v")) {
    if (file == "frames.pvd") continue;
    EXPECT_THAT(series, HasSubstr("file=\"" + file + "\""));
  }
}

TEST_F(Export, HasTheWakeWhereTheWindHasTakenIt) {
  ASSERT_NO_FATAL_FAILURE(run_wing());
  ASSERT_EQ(haltere({"export", "r/result.h5", "--vtk", "v"}).status, 0);
  // 41 frames; chord 1 m, 4 rows of panels, 13 columns on a span of 4 m, wind of 100 m/s at 5 degrees
  const double pi = 3.141592653589793, u = 100 * std::cos(5 * pi / 180), w = 100 * std::sin(5 * pi / 180);
  for (const auto& [name, k] : {std::pair{"00", 0}, {"01", 1}, {"17", 17}, {"40", 40}}) {
    const std::vector<double> points =
        read_numbers(read(std::string("v/wake-wing-") + name + ".vtp"), "Points");
    ASSERT_EQ(points.size(), 3U * 14 * (k + 1));
    const double dt = 1. / 1600;
    // analytic: row i left the edge, a quarter of a panel behind the wing, i steps ago; rounding of k additions
    for (int i = 0; i <= k; ++i)
      for (int j = 0; j <= 13; ++j) {
        const double* point = points.data() + 3 * (14 * static_cast<std::ptrdiff_t>(i) + j);
        EXPECT_NEAR(point[0], 1 + 0.25 / 4 + u * i * dt, 1e-13);
        EXPECT_NEAR(point[1], -2 + 4. * j / 13, 1e-13);
        EXPECT_NEAR(point[2], w * i * dt, 1e-13);
      }
  }
  const std::vector<double> corners = read_numbers(read("v/surface-wing-17.vtp"), "Points");
  ASSERT_EQ(corners.size(), 3U * 14 * 5);
  for (int i = 0; i <= 4; ++i) EXPECT_NEAR(corners[3 * 14 * static_cast<std::size_t>(i)], 0.25 * i, 1e-15);
}

TEST_F(Export, ReplacesAnEarlierExportAndNothingElse) {
  ASSERT_NO_FATAL_FAILURE(run_wing());
  write("v/notes.txt", "mine");
  ASSERT_EQ(haltere({"export", "r", "--vtk", "v"}).status, 0);
  EXPECT_EQ(files_of("v").size(), 3U * 41 + 2);
  ASSERT_NO_FATAL_FAILURE(run_wing({"--frames", "0.0125"}));
  ASSERT_EQ(haltere({"export", "r", "--vtk", "v"}).status, 0);
  EXPECT_EQ(files_of("v").size(), 3U * 3 + 2);
  EXPECT_EQ(read("v/notes.txt"), "mine");
  write("v/wake-wing-00.vtp", "mine");
  ASSERT_NO_FATAL_FAILURE(run_wing());
  const Outcome o = haltere({"export", "r", "--vtk", "v"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("v/wake-wing-00.vtp: is there, and no export of haltere has made it"));
  EXPECT_EQ(read("v/wake-wing-00.vtp"), "mine");
  EXPECT_EQ(files_of("v").size(), 3U * 3 + 3);  // nothing half done
}

TEST_F(Export, RefusesASeriesOfSomebodyElse) {
  ASSERT_NO_FATAL_FAILURE(run_wing());
  write("v/frames.pvd", "<VTKFile file=\"surface-wing-00.vtp\"/>");
  EXPECT_EQ(haltere({"export", "r", "--vtk", "v"}).status, 2);
  EXPECT_THAT(files_of("v"), ElementsAre("frames.pvd"));
}

TEST_F(Export, RefusesWhatHasNoFramesAndPlacesThatAreNone) {
  ASSERT_EQ(haltere({"run", shipped("pendulum"), "-o", "p", "--quiet"}).status, 0);
  const Outcome o = haltere({"export", "p", "--vtk", "v"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("p: has no frames"));
  EXPECT_FALSE(exists("v"));
  EXPECT_EQ(haltere({"export", "nowhere", "--vtk", "v"}).status, 2);
  EXPECT_EQ(haltere({"export", "p"}).status, 2);
  ASSERT_NO_FATAL_FAILURE(run_wing());
  const Outcome missing = haltere({"export", "r", "--vtk", "no/such"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("no/such: cannot be made"));
  EXPECT_FALSE(exists("no"));
  write("file", "mine");
  EXPECT_EQ(haltere({"export", "r", "--vtk", "file"}).status, 2);
  EXPECT_EQ(read("file"), "mine");
}

TEST_F(Export, ARunWithoutFramesHasNone) {
  ASSERT_NO_FATAL_FAILURE(run_wing({"--frames", "0"}));
  EXPECT_EQ(haltere({"export", "r", "--vtk", "v"}).status, 2);
  const Outcome o = haltere({"run", shipped("wing"), "--wake-stride", "0"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("--wake-stride: is 0"));
}

TEST_F(Export, OfAContinuedRunIsThatOfOneInOnePiece) {
  const std::vector<std::string> start{"run", shipped("wing"), "--case", "straight-wake", "--until",
                                       "0.2", "--checkpoint",  "0.01",   "--quiet"};
  std::vector<std::string> whole = start;
  whole.insert(whole.end(), {"-o", "whole"});
  ASSERT_EQ(haltere(whole).status, 0);
  ASSERT_EQ(haltere_cut_off("r", start, 0).status, 128 + SIGINT);
  const Outcome other = haltere({"run", shipped("wing"), "--continue", "r", "--frames", "1"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("frames: was 0.002"));
  ASSERT_EQ(haltere({"run", shipped("wing"), "--continue", "r", "--quiet"}).status, 0);
  ASSERT_EQ(haltere({"export", "whole", "--vtk", "v1"}).status, 0);
  ASSERT_EQ(haltere({"export", "r", "--vtk", "v2"}).status, 0);
  ASSERT_EQ(files_of("v1").size(), 3U * 101 + 1);
  ASSERT_EQ(files_of("v1"), files_of("v2"));
  for (const std::string& file : files_of("v1"))
    EXPECT_TRUE(read("v1/" + file) == read("v2/" + file)) << file;
}

}  // namespace
}  // namespace haltere
