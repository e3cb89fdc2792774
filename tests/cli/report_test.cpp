// Pages of reports: the verbs that write them, what they refuse, and that nothing half done is left.
#include <csignal>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "report_page.h"

namespace haltere {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ReportVerb : public ProgramTest {
 protected:
  ReportVerb() {
    EXPECT_EQ(haltere({"run", "double-pendulum", "--until", "1", "-o", "a", "--quiet"}).status, 0);
  }
};

TEST_F(ReportVerb, WritesOnePageOfSeveralResults) {
  ASSERT_EQ(haltere({"run", "pendulum", "--until", "1", "--quiet"}).status, 0);
  const Outcome o =
      haltere({"report", "a", "a/result.h5", "pendulum", "-o", "r.html", "--title", "both </script>"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_EQ(o.err, "wrote r.html\n");
  const ReportPage page(read("r.html"));
  EXPECT_EQ(page.json["title"], "both </script>");
  ASSERT_EQ(page.json["results"].size(), 3u);
  EXPECT_EQ(page.json["results"][0]["name"], "a");
  EXPECT_EQ(page.json["results"][1]["name"], "a (2)");
  EXPECT_EQ(page.json["results"][2]["name"], "pendulum");  // by its name below results/
  EXPECT_EQ(page.json["results"][0]["presets"][0]["title"], "Angles");
  EXPECT_EQ(read("r.html"), [&] {
    haltere({"report", "a", "a/result.h5", "pendulum", "-o", "again.html", "--title", "both </script>"});
    return read("again.html");
  }());
}

TEST_F(ReportVerb, GoesToStdoutToo) {
  const Outcome o = haltere({"report", "a", "-o", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(ReportPage(o.out).json["results"].size(), 1u);
}

TEST_F(ReportVerb, RefusesWhatIsWrongAndLeavesNothing) {
  write("model.yaml", "haltere: 1\n");
  const auto before = files();
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"report", "missing", "-o", "r.html"},
                                             {"report", "model.yaml", "-o", "r.html"},
                                             {"report", "a", "missing", "-o", "r.html"},
                                             {"report", "a", "-o", "a/result.h5"},
                                             {"report", "a", "-o", "./b/../a/result.h5"},
                                             {"report", "a", "-o", "nowhere/r.html"},
                                             {"report", "a", "-o", "r.html", "--size", "much"},
                                             {"report", "a", "-o", "r.html", "--size", "-3MB"},
                                             {"report", "a", "-o", "r.html", "--size", "3 TB"},
                                             {"report", "a", "-o", ""},
                                             {"modes", "pendulum", "--report", "-"},
                                             {"validate", "pendulum", "--report", "-"},
                                             {"view", "missing"},
                                             {"report", "a"}}) {
    const Outcome o = haltere(arguments);
    EXPECT_EQ(o.status, 2) << arguments[0] << ' ' << arguments.back() << '\n' << o.err;
    EXPECT_EQ(files(), before);
  }
}

TEST_F(ReportVerb, AFullDiskLeavesNothing) {
  const Outcome o = haltere({"report", "a", "-o", "/dev/full"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("cannot be written"));
}

TEST_F(ReportVerb, GoesOverNothingButItsPage) {
  write("r.html.part", "precious");
  const Outcome o = haltere({"report", "a", "-o", "r.html"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("r.html.part: is in the way"));
  EXPECT_EQ(read("r.html.part"), "precious");
  EXPECT_FALSE(exists("r.html"));
  std::filesystem::create_symlink("there.html", path("link.html"));  // to a file that is still to be made
  ASSERT_EQ(haltere({"report", "a", "-o", "link.html"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.html")));
  EXPECT_EQ(ReportPage(read("there.html")).json["results"].size(), 1u);
}

TEST_F(ReportVerb, OfARunThatWasKilledHasNoAudit) {
  haltere_interrupted_at("k/checkpoint", {"run", "x-hale", "--until", "10000", "-o", "k", "--quiet"},
                         SIGKILL);
  const Outcome o = haltere({"report", "a", "k", "-o", "r.html"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("k: the run was cut off, or goes on: no audit was made of it"));
  const ReportPage page(read("r.html"));
  EXPECT_EQ(page.json["title"], "double-pendulum, x-hale");
  EXPECT_TRUE(page.json["results"][0].contains("audit"));
  EXPECT_EQ(page.json["results"][1]["outcome"], "running");
  EXPECT_FALSE(page.json["results"][1].contains("audit"));
  EXPECT_FALSE(page.json["results"][1].contains("counts"));
}

TEST_F(ReportVerb, SaysWhereASizeCannotBeKept) {
  const Outcome o = haltere({"report", "a", "-o", "r.html", "--size", "1kB"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.err, HasSubstr("the page cannot be made smaller"));
  EXPECT_THAT(o.err, Not(HasSubstr("wakes")));
}

TEST_F(ReportVerb, ThinsToTheSizeAndSaysSo) {
  ASSERT_EQ(haltere({"run", "double-pendulum", "--until", "100", "--every", "1 ms", "-o", "long", "--quiet"})
                .status,
            0);
  const Outcome o = haltere({"report", "long", "-o", "r.html", "--size", "2 MB"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("to keep the page within 2 MB: long: of channels about"));
  const std::string page = read("r.html");
  EXPECT_LT(page.size(), 2'000'000u);
  EXPECT_EQ(ReportPage(page).json["dropped"].size(), 2u);
}

TEST_F(ReportVerb, ARunWritesItsOwn) {
  const Outcome o = haltere({"run", "pendulum", "--until", "1", "-o", "p", "--report", "p.html"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("wrote p.html"));
  const ReportPage page(read("p.html"));
  EXPECT_EQ(page.json["results"][0]["name"], "p");
  EXPECT_EQ(page.json["results"][0]["outcome"], "finished");
  const Outcome clash = haltere({"run", "pendulum", "-o", "p", "--csv", "x", "--report", "x"});
  EXPECT_EQ(clash.status, 2);
  EXPECT_THAT(clash.err, HasSubstr("another output"));
}

TEST_F(ReportVerb, AViewWorksWithoutADisplay) {
  const Outcome o = haltere({"view", "a"});
  ASSERT_EQ(o.status, 0) << o.err;
  ASSERT_THAT(o.out, HasSubstr("report.html\n"));
  const std::filesystem::path page(o.out.substr(0, o.out.size() - 1));
  EXPECT_EQ(ReportPage(read_text(page)).json["results"][0]["name"], "a");
  std::filesystem::remove_all(page.parent_path());
}

// -- pages of analyses

TEST_F(ReportVerb, ModesMove) {
  ASSERT_EQ(haltere({"modes", "double-pendulum", "--settle", "--report", "m.html"}).status, 0);
  const ReportPage page(read("m.html"));
  // two modes of a double pendulum (analytic: two degrees of freedom)
  ASSERT_EQ(page.json["results"].size(), 2u);
  const auto& r = page.json["results"][0];
  const double loop = r["loop"];
  const std::vector<double> t = page.numbers(r["poses"]["time"]);
  EXPECT_NEAR(t.back(), loop, 1e-9 * loop);
  const auto& series = page.json["figures"][0]["series"][0];
  EXPECT_EQ(series["result"], (std::vector<int>{0, 0, 1, 1}));
  EXPECT_NEAR(page.numbers(series["y"])[0] * loop, 2 * 3.14159265358979, 1e-6);
  // it swings: out and back again
  const std::vector<double> angle = page.numbers(page.channel(0, "joint.elbow.angle")["data"]);
  EXPECT_NEAR(angle.front(), angle.back(), 1e-6);
  EXPECT_GT(std::abs(angle.front() - angle[angle.size() / 2]), 0.05);
}

TEST_F(ReportVerb, ARootLocusHasALineForEachEigenvalue) {
  ASSERT_EQ(haltere({"modes", "bicycle", "--sweep", "v=4..7:4", "--report", "m.html"}).status, 0);
  const ReportPage page(read("m.html"));
  EXPECT_GE(page.json["figures"][0]["series"].size(), 4u);
  EXPECT_THAT(page.json["tables"][0]["rows"], Not(IsEmpty()));
}

TEST_F(ReportVerb, AnOrbitPlaysInACircle) {
  const Outcome o = haltere({"trim", "pendulum", "--period", "2.1", "--report", "t.html"});
  if (o.status != 0) GTEST_FAIL() << o.err;
  const ReportPage page(read("t.html"));
  EXPECT_EQ(page.json["results"][0]["loop"], 2.1);
  EXPECT_TRUE(page.json["figures"][0]["circle"]);
}

TEST_F(ReportVerb, ComparisonsAndValidationsHaveTheirTables) {
  ASSERT_EQ(
      haltere({"compare", "pendulum", "--until", "1", "--integrator", "rk4", "--report", "c.html"}).status,
      0);
  const ReportPage compared(read("c.html"));
  EXPECT_TRUE(compared.json["figures"][0]["x"]["log"]);
  EXPECT_THAT(compared.json["tables"][0]["rows"], Not(IsEmpty()));
  ASSERT_EQ(haltere({"validate", "pendulum", "--report", "v.html"}).status, 0);
  EXPECT_EQ(ReportPage(read("v.html")).json["tables"][0]["title"], "pendulum");
}

}  // namespace
}  // namespace haltere
