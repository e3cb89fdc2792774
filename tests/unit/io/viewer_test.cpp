#include "haltere/io/report/viewer.h"

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "source_folder.h"

namespace haltere {
namespace {

TEST(Viewer, IsTheFileThatWasBundledOrEmpty) {
  std::ifstream file(source_path("report/dist/viewer.html"), std::ios::binary);
  const std::string bundled{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(viewer_page() == bundled);
}

TEST(Viewer, HasOneLineForTheData) {
  const std::string_view page = viewer_page();
  if (page.empty()) {
    return;  // built without node
  }
  const std::string line = "\n" + std::string(kViewerDataMark) + "\n";
  EXPECT_NE(page.find(line), std::string_view::npos);
  EXPECT_EQ(page.find(kViewerDataMark), page.rfind(kViewerDataMark));
  EXPECT_LT(page.size(), 800'000u);
}

}  // namespace
}  // namespace haltere
