#include <string>

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
  EXPECT_EQ(haltere({"plot", "result", "energy.total", "-o", "a.png"}).status, 2);
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

}  // namespace
}  // namespace haltere
