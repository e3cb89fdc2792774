#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Plot : public ProgramTest {
 protected:
  Plot() {
    EXPECT_EQ(haltere({"run", "double-pendulum", "--until", "1", "-o", "result", "--quiet"}).status, 0);
  }
};

TEST_F(Plot, DrawsChannelsByGlob) {
  const Outcome o = haltere({"plot", "result", "joint.*.angle", "energy.total", "-o", "a.svg"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, IsEmpty());
  const std::string svg = read("a.svg");
  EXPECT_THAT(svg, HasSubstr("<svg"));
  EXPECT_THAT(svg, HasSubstr("energy.total"));
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST_F(Plot, WritesAFigureToStdout) {
  const Outcome o = haltere({"plot", "result/result.h5", "energy.total", "-o", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("<svg"));
  EXPECT_THAT(o.err, IsEmpty());
}

TEST_F(Plot, MakesAPageThatLoadsNothingFromElsewhere) {
  ASSERT_EQ(haltere({"plot", "result", "-o", "index.html"}).status, 0);
  const std::string page = read("index.html");
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("href=\"http")));
}

TEST_F(Plot, NamesTheChannelThatWasMeantAndWritesNothing) {
  const Outcome o = haltere({"plot", "result", "energy.totle", "-o", "a.svg"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("did you mean 'energy.total'?"));
  EXPECT_FALSE(exists("a.svg"));
}

TEST_F(Plot, RefusesFormatsItDoesNotWrite) {
  EXPECT_EQ(haltere({"plot", "result", "energy.total", "-o", "a.jpg"}).status, 2);
  EXPECT_EQ(haltere({"plot", "result", "-o", "a.svg"}).status, 2);  // of what?
}

TEST_F(Plot, RefusesAPlaceThatCannotBeWritten) {
  const Outcome o = haltere({"plot", "result", "energy.total", "-o", "no/such/folder/a.svg"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("no/such/folder/a.svg"));
}

TEST_F(Plot, RefusesWhatIsNoResult) {
  write("garbage/result.h5", std::string(4096, '\x07'));
  write("short.h5", "\x89HDF\r\n\x1a\n");
  write("text.h5", "t,x\n0,1\n");
  for (const std::string name : {"garbage", "short.h5", "text.h5", "nowhere"}) {
    const Outcome o = haltere({"plot", name, "energy.total", "-o", "a.svg"});
    EXPECT_EQ(o.status, 2) << name;
    EXPECT_THAT(o.err, HasSubstr(name)) << name;
  }
}

TEST_F(Plot, ReadsATruncatedResultOrRefusesIt) {
  const std::string whole = read("result/result.h5");
  for (const double part : {0.1, 0.5, 0.9}) {
    write("cut.h5", whole.substr(0, static_cast<std::size_t>(part * static_cast<double>(whole.size()))));
    const Outcome o = haltere({"plot", "cut.h5", "energy.total", "-o", "a.svg"});
    EXPECT_THAT(o.status, testing::AnyOf(0, 2)) << part << o.err;
  }
}

/// Width and height in the head of a PNG.
std::pair<long, long> size_of_png(const std::string& png) {
  const auto read = [&](std::size_t at) {
    long value = 0;
    for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(png.at(i));
    return value;
  };
  return {read(16), read(20)};
}

/// The programs that are found are those of a folder, while one of these lives.
class ProgramPath {
 public:
  explicit ProgramPath(const std::string& path) : kept_(std::getenv("PATH")) {
    setenv("PATH", path.c_str(), 1);
  }
  ~ProgramPath() { setenv("PATH", kept_.c_str(), 1); }
  ProgramPath(const ProgramPath&) = delete;
  ProgramPath& operator=(const ProgramPath&) = delete;

 private:
  std::string kept_;
};

TEST_F(Plot, WritesPdfOfTheSizeThatWasAsked) {
  for (const std::string file : {"a.pdf", "b.pdf"}) {
    const Outcome o = haltere({"plot", "result", "energy.total", "--size", "86x60mm", "-o", file});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr("wrote " + file));
  }
  const std::string pdf = read("a.pdf");
  EXPECT_THAT(pdf, StartsWith("%PDF-"));
  const std::size_t box = pdf.find("/MediaBox [ 0 0 ");
  ASSERT_NE(box, std::string::npos);
  EXPECT_NEAR(std::strtod(pdf.c_str() + box + 16, nullptr), 86 / 25.4 * 72, 0.01);  // pt
  EXPECT_EQ(pdf, read("b.pdf"));
}

TEST_F(Plot, WritesPngWithThePixelsThatWereAsked) {
  ASSERT_EQ(haltere({"plot", "result", "energy.total", "--size", "86x60mm", "-o", "a.png"}).status, 0);
  const std::string png = read("a.png");
  EXPECT_THAT(png, StartsWith("\x89PNG\r\n"));
  EXPECT_EQ(size_of_png(png), std::pair(std::lround(86 / 25.4 * 300), std::lround(60 / 25.4 * 300)));
  // 300 dpi are 11811 pixels per metre; the checksum is that of zlib.crc32() (independent)
  EXPECT_THAT(png, HasSubstr(std::string("\0\0\0\x09pHYs\0\0\x2e\x23\0\0\x2e\x23\x01\x78\xa5\x3f\x76", 21)));
  ASSERT_EQ(haltere({"plot", "result", "energy.total", "--dpi", "96", "-o", "b.png"}).status, 0);
  EXPECT_EQ(size_of_png(read("b.png")).first, 900);  // as on a screen
}

TEST_F(Plot, NamesThePackageOfTheConverterThatIsMissing) {
  const ProgramPath nothing(path("nothing").string());
  write("a.pdf", "earlier");
  for (const std::string file : {"a.pdf", "a.png"}) {
    const Outcome o = haltere({"plot", "result", "energy.total", "-o", file});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, HasSubstr("librsvg2-bin"));
  }
  EXPECT_EQ(read("a.pdf"), "earlier");
  EXPECT_FALSE(exists("a.png"));
  EXPECT_EQ(haltere({"plot", "result", "energy.total", "-o", "a.svg"}).status, 0);
}

TEST_F(Plot, SaysWhyTheConverterFailedAndLeavesNothing) {
  write("bin/rsvg-convert", "#!/bin/sh\nprintf '%%PDF-part'\necho 'no such luck' >&2\nexit 3\n");
  std::filesystem::permissions(path("bin/rsvg-convert"), std::filesystem::perms::owner_all);
  const ProgramPath failing(path("bin").string() + ":" + std::getenv("PATH"));
  write("a.pdf", "earlier");
  const std::vector<std::string> before = files();
  for (const std::string file : {"a.pdf", "b.pdf"}) {
    const Outcome o = haltere({"plot", "result", "energy.total", "-o", file});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, HasSubstr("no such luck"));
  }
  EXPECT_EQ(read("a.pdf"), "earlier");
  EXPECT_EQ(files(), before);
}

TEST_F(Plot, DrawsSeveralResultsInOneFigure) {
  for (const std::string m : {"1", "2"})
    ASSERT_EQ(haltere({"run", "double-pendulum", "--until", "1", "--set", "m2=" + m, "--quiet"}).status, 0);
  const Outcome o = haltere({"plot", "results/double-pendulum-m2=1", "joint.*.angle", "--with",
                             "results/double-pendulum-m2=2", "--with", "result", "-o", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  for (const char* name : {">results/double-pendulum-m2=1<", ">results/double-pendulum-m2=2<", ">result<"})
    EXPECT_THAT(o.out, HasSubstr(name));
  const Outcome two = haltere({"plot", "results/double-pendulum-m2=1", "joint.*.angle", "--with",
                               "results/double-pendulum-m2=2", "-o", "-"});
  EXPECT_THAT(two.out, HasSubstr(">m2=2<"));
  const Outcome twice = haltere({"plot", "result", "t", "--with", "result/result.h5", "-o", "a.svg"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("drawn already"));
}

TEST_F(Plot, DrawsOneChannelOverAnotherWithinATime) {
  const Outcome o =
      haltere({"plot", "result", "joint.elbow.rate", "--x", "joint.elbow.angle", "--degrees", "--from",
               "100 ms", "--to", "0.5", "--title", "Phase <portrait>", "--font", "O'Font", "-o", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  for (const char* text : {"joint.elbow.angle [deg]", "joint.elbow.rate [deg/s]", "Phase &lt;portrait&gt;",
                           "font-family=\"'O\\'Font', "})
    EXPECT_THAT(o.out, HasSubstr(text));
}

TEST_F(Plot, SaysWhatLogarithmicAxesLeaveOut) {
  const Outcome o = haltere({"plot", "result", "joint.elbow.angle", "--log", "y", "-o", "a.svg"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.err, HasSubstr("not positive and not shown"));
  const Outcome nothing =
      haltere({"plot", "result", "joint.elbow.angle", "--log", "y", "--to", "0.05", "-o", "b.svg"});
  EXPECT_EQ(nothing.status, 2) << nothing.err;
  EXPECT_THAT(nothing.err, HasSubstr("--abs"));
  EXPECT_FALSE(exists("b.svg"));
}

TEST_F(Plot, HintsAtWhatOptionsTake) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--size", "one-colum"}, "did you mean 'one-column'?"},
      {{"--size", "12"}, "120x80mm"},
      {{"--size", "120x"}, "120x80mm"},
      {{"--size", "5x5mm"}, "30 to 2000 mm"},
      {{"--size", "120xnanmm"}, "30 to 2000 mm"},
      {{"--log", "z"}, "x, y or xy"},
      {{"--dpi", "300"}, "belongs to a .png"},
      {{"--equal"}, "--x CHANNEL"},
      {{"--equal", "--x", "energy.total", "--log", "x"}, "--log"},
      {{"--equal", "--x", "joint.elbow.rate"}, "equal scale"},
      {{"--x", "joint.elbow.angel"}, "did you mean 'joint.elbow.angle'?"},
      {{"--x", "joint.*"}, "not one channel"},
      {{"--from", "2"}, "t = 0 ... 1 s"},
      {{"--from", "1", "--to", "0.5"}, "not after"},
      {{"--from", "1 kg"}, "--from"},
      {{"--with", "nowhere"}, "nowhere"},
      {{"--figure", "A: b"}, ".html"}};
  for (const auto& [options, hint] : wrong) {
    std::vector<std::string> arguments{"plot", "result", "joint.elbow.angle", "-o", "a.svg"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome o = haltere(arguments);
    EXPECT_EQ(o.status, 2) << options.back();
    EXPECT_THAT(o.err, HasSubstr(hint));
    EXPECT_FALSE(exists("a.svg"));
  }
  for (const std::string dpi : {"0", "-3", "nan", "many", "1e9"})
    EXPECT_EQ(haltere({"plot", "result", "energy.total", "--dpi", dpi, "-o", "a.png"}).status, 2) << dpi;
  EXPECT_FALSE(exists("a.png"));
  EXPECT_EQ(haltere({"plot", "result", "--degrees", "-o", "a.html"}).status, 2);
}

}  // namespace
}  // namespace haltere
