#pragma once

#include <string_view>

namespace haltere {

/// The line of the viewer in whose place the data of a report stand (docs/report-format.md).
inline constexpr std::string_view kViewerDataMark = "<!-- haltere:data -->";

/// The page that shows reports, as `report/` bundles it; it has the mark once, in a line of its own.
/// Empty where haltere was built without its viewer: there was no report/dist/viewer.html.
std::string_view viewer_page();

}  // namespace haltere
