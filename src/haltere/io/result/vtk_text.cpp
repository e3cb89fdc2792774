#include "haltere/io/result/vtk_text.h"

#include <bit>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "haltere/io/base64.h"

namespace haltere {
namespace {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

constexpr std::string_view kVtkByteOrder =
    std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";

/// An array; its bytes come after their number.
template <class T>
std::string make_array(std::string_view name, const std::vector<T>& values, int components = 1,
                       std::string_view more = "") {
  const std::uint64_t size = values.size() * sizeof(T);
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof(size));
  bytes.append(reinterpret_cast<const char*>(values.data()), size);
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"{} format=\"binary\">\n{}\n</DataArray>\n",
      std::is_same_v<T, double> ? "Float64" : "Int64", name, components, more, encode_base64(bytes));
}

std::string make_head(std::string_view type) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"{}\" "
      "header_type=\"UInt64\">\n",
      type, kVtkByteOrder);
}

/// What a file of polygons, or of lines, says.
struct Drawing {
  Numbers points;
  bool are_lines = false;
  int corners = 4;  // of each cell
  Integers connectivity;
  std::string point_data, cell_data;
};

std::string make_text(const Drawing& d, double t) {
  Integers offsets;
  const auto cells = static_cast<std::int64_t>(d.connectivity.size()) / d.corners;
  for (std::int64_t i = 1; i <= cells; ++i) offsets.push_back(i * d.corners);
  const std::string_view kind = d.are_lines ? "Lines" : "Polys";
  return make_head("PolyData") + "<PolyData>\n<FieldData>\n" +
         make_array("TimeValue", Numbers{t}, 1, " NumberOfTuples=\"1\"") +
         fmt::format(
             "</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" "
             "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
             d.points.size() / 3, d.are_lines ? cells : 0, d.are_lines ? 0 : cells) +
         "<PointData>\n" + d.point_data + "</PointData>\n<CellData>\n" + d.cell_data +
         "</CellData>\n<Points>\n" + make_array("Points", d.points, 3) +
         fmt::format("</Points>\n<{}>\n", kind) + make_array("connectivity", d.connectivity) +
         make_array("offsets", offsets) + fmt::format("</{}>\n</Piece>\n</PolyData>\n</VTKFile>\n", kind);
}

/// How many steps ago the nodes left the edge.
Integers count_steps(const VortexSheet& wake) {
  Integers steps;
  for (int i = 0; i <= wake.rows; ++i)
    for (int j = 0; j <= wake.columns; ++j)
      steps.push_back(i == 0 ? 0 : wake.air_rows - static_cast<std::int64_t>(wake.rows - i) * wake.stride);
  return steps;
}

}  // namespace

std::string make_vtp(const VortexSheet& sheet, double t) {
  Drawing d;
  for (const Vector3<double>& node : sheet.nodes) d.points.insert(d.points.end(), node.begin(), node.end());
  const std::int64_t n = sheet.columns + 1;
  for (std::int64_t i = 0; i < sheet.rows; ++i)
    for (std::int64_t j = 0; j < sheet.columns; ++j)
      for (const std::int64_t node : {i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1})
        d.connectivity.push_back(node);
  d.cell_data = make_array("circulation", sheet.circulations);
  if (sheet.is_wake)
    d.point_data = make_array("steps", count_steps(sheet));
  else
    d.cell_data += make_array("pressure", sheet.pressures);
  return make_text(d, t);
}

std::string make_vtp_of_axes(const std::vector<Transform<double>>& bodies, double length, double t) {
  Drawing d;
  d.are_lines = true;
  d.corners = 2;
  Integers body_of, axis_of;
  const auto add = [&](const Vector3<double>& point) {
    d.connectivity.push_back(static_cast<std::int64_t>(d.points.size()) / 3);
    d.points.insert(d.points.end(), point.begin(), point.end());
  };
  for (std::size_t b = 0; b < bodies.size(); ++b)
    for (int axis = 0; axis < 3; ++axis) {
      add(bodies[b].p);
      add(bodies[b].p + length * bodies[b].R.col(axis));
      body_of.push_back(static_cast<std::int64_t>(b));
      axis_of.push_back(axis);
    }
  d.cell_data = make_array("body", body_of) + make_array("axis", axis_of);
  return make_text(d, t);
}

std::string make_pvd(const std::vector<VtkPart>& parts, const std::string& comment) {
  std::string text = make_head("Collection") + fmt::format("<!-- {} -->\n<Collection>\n", comment);
  for (const VtkPart& part : parts)
    text += fmt::format("<DataSet timestep=\"{:.17g}\" part=\"{}\" file=\"{}\"/>\n", part.t, part.part,
                        part.file);
  return text + "</Collection>\n</VTKFile>\n";
}

}  // namespace haltere
