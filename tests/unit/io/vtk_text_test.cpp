#include "haltere/io/result/vtk_text.h"

#include <cstring>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The reverse of base64, by the table of RFC 4648.
std::string decode_base64(const std::string& text) {
  std::string bytes;
  unsigned bits = 0;
  int n = 0;
  for (const char c : text) {
    if (c == '=' || c == '\n') continue;
    const unsigned value = c >= 'A' && c <= 'Z'   ? static_cast<unsigned>(c - 'A')
                           : c >= 'a' && c <= 'z' ? static_cast<unsigned>(c - 'a' + 26)
                           : c >= '0' && c <= '9' ? static_cast<unsigned>(c - '0' + 52)
                           : c == '+'             ? 62U
                                                  : 63U;
    bits = bits << 6U | value;
    n += 6;
    if (n < 8) continue;
    n -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(n) & 0xffU);
  }
  return bytes;
}

/// The array of that name; its first eight bytes say how many follow.
template <class T>
std::vector<T> read_array(const std::string& vtp, const std::string& name) {
  const std::size_t at = vtp.find("Name=\"" + name + "\"");
  if (at == std::string::npos) throw std::out_of_range(name);
  const std::size_t begin = vtp.find('\n', at), end = vtp.find("</DataArray>", at);
  const std::string bytes = decode_base64(vtp.substr(begin, end - begin));
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  EXPECT_EQ(size + 8, bytes.size());
  std::vector<T> values(size / sizeof(T));
  if (size > 0) std::memcpy(values.data(), bytes.data() + 8, size);  // of nothing there is no address
  return values;
}

VortexSheet make_sheet(bool is_wake) {
  VortexSheet sheet{
      .surface = "left", .is_wake = is_wake, .rows = 2, .columns = 1, .stride = 3, .air_rows = 4};
  for (int i = 0; i <= 2; ++i)
    for (int j = 0; j <= 1; ++j) sheet.nodes.emplace_back(i, j, 1. / 3);
  sheet.circulations = {1.5, -2.5};
  if (!is_wake) sheet.pressures = {7, 8};
  return sheet;
}

TEST(VtkText, ALatticeHasItsPanels) {
  const std::string vtp = make_vtp(make_sheet(false), 0.125);
  EXPECT_THAT(vtp, HasSubstr("byte_order=\"LittleEndian\" header_type=\"UInt64\""));
  EXPECT_THAT(vtp,
              HasSubstr("NumberOfPoints=\"6\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
                        "NumberOfPolys=\"2\""));
  const double third = 1. / 3;
  EXPECT_THAT(read_array<double>(vtp, "Points"),
              ElementsAre(0, 0, third, 0, 1, third, 1, 0, third, 1, 1, third, 2, 0, third, 2, 1, third));
  // by hand: counter-clockwise as seen from +z, where the normal of such a lattice points
  EXPECT_THAT(read_array<std::int64_t>(vtp, "connectivity"), ElementsAre(0, 2, 3, 1, 2, 4, 5, 3));
  EXPECT_THAT(read_array<std::int64_t>(vtp, "offsets"), ElementsAre(4, 8));
  EXPECT_THAT(read_array<double>(vtp, "circulation"), ElementsAre(1.5, -2.5));
  EXPECT_THAT(read_array<double>(vtp, "pressure"), ElementsAre(7, 8));
  EXPECT_THAT(read_array<double>(vtp, "TimeValue"), ElementsAre(0.125));
}

TEST(VtkText, AWakeSaysHowOldItIs) {
  const std::string vtp = make_vtp(make_sheet(true), 0);
  // by hand: of four rows every third from the end, and the edge
  EXPECT_THAT(read_array<std::int64_t>(vtp, "steps"), ElementsAre(0, 0, 1, 1, 4, 4));
  EXPECT_EQ(vtp.find("pressure"), std::string::npos);
}

TEST(VtkText, AWakeMayBeEmpty) {
  VortexSheet sheet = make_sheet(true);
  sheet.rows = sheet.air_rows = 0;
  sheet.nodes.resize(2);
  sheet.circulations.clear();
  const std::string vtp = make_vtp(sheet, 0);
  EXPECT_THAT(vtp, HasSubstr("NumberOfPolys=\"0\""));
  EXPECT_EQ(read_array<std::int64_t>(vtp, "offsets").size(), 0U);
}

TEST(VtkText, BodiesAreThreeLines) {
  Transform<double> X;
  X.p = Vector3<double>(1, 2, 3);
  X.R << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const std::string vtp = make_vtp_of_axes({{}, X}, 0.5, 0);
  const std::vector<double> points = read_array<double>(vtp, "Points");
  ASSERT_EQ(points.size(), 36U);
  // by hand: x of the second body points along y
  EXPECT_THAT(std::vector(points.begin() + 18, points.begin() + 24), ElementsAre(1, 2, 3, 1, 2.5, 3));
  EXPECT_THAT(read_array<std::int64_t>(vtp, "body"), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(read_array<std::int64_t>(vtp, "axis"), ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(vtp, HasSubstr("NumberOfLines=\"6\""));
}

TEST(VtkText, ASeriesNamesItsFilesWithAllDigitsOfTheirTimes) {
  EXPECT_THAT(make_pvd({{0.1, 2, "a.vtp"}}, "remark"),
              AllOf(HasSubstr("<!-- remark -->"),
                    HasSubstr("<DataSet timestep=\"0.10000000000000001\" part=\"2\" file=\"a.vtp\"/>")));
}

}  // namespace
}  // namespace haltere
