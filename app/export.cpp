#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "app/export_folder.h"
#include "app/signals.h"
#include "app/verbs.h"

#include "haltere/io/result/result.h"
#include "haltere/io/result/vtk_text.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

constexpr const char* kSeries = "frames.pvd";
constexpr const char* kBodies = "bodies";
// of the axes of a body, as a part of the largest wing: to be seen, and not in the way
constexpr double kAxisLength = 0.25;

struct ExportArguments {
  std::string result, vtk;
};

/// Of the box around the largest lattice.
double calc_extent(const Frame& frame) {
  double extent = 0;
  for (const VortexSheet& sheet : frame.sheets) {
    if (sheet.is_wake) continue;
    Vector3<double> least = sheet.nodes.front(), most = least;
    for (const Vector3<double>& node : sheet.nodes) {
      least = least.cwiseMin(node);
      most = most.cwiseMax(node);
    }
    extent = std::max(extent, (most - least).norm());
  }
  return extent;
}

/// `wake-left`: names in models have letters, digits and underscores alone, so that these never meet.
std::string name_part(const VortexSheet& sheet) {
  return (sheet.is_wake ? "wake-" : "surface-") + sheet.surface;
}

/// Writes the files of all frames, one after the other.
class VtkSeries {
 public:
  VtkSeries(const Result& result, ExportFolder* folder)
      : result_(result), folder_(*folder), digits_(fmt::to_string(result.frame_times().size()).size()) {}

  void add(long index) {
    const Frame frame = result_.read_frame(index);
    if (index == 0) axis_ = kAxisLength * calc_extent(frame);
    int part = 0;
    for (const VortexSheet& sheet : frame.sheets) {
      write(index, frame.t, part++, name_part(sheet), make_vtp(sheet, frame.t));
      if (!sheet.is_wake) surfaces_.insert(sheet.surface);
    }
    if (!frame.bodies.empty())
      write(index, frame.t, part, kBodies, make_vtp_of_axes(frame.bodies, axis_, frame.t));
  }
  void end() {
    folder_.write_index(make_pvd(parts_, ExportFolder::kMark));
    folder_.publish();
  }
  const std::set<std::string>& surfaces() const { return surfaces_; }

 private:
  void write(long index, double t, int part, const std::string& name, const std::string& text) {
    const std::string file = fmt::format("{}-{:0{}}.vtp", name, index, digits_);
    folder_.write(file, text);
    parts_.push_back({t, part, file});
  }

  const Result& result_;
  ExportFolder& folder_;
  const std::size_t digits_;
  double axis_ = 0;  // [m]
  std::vector<VtkPart> parts_;
  std::set<std::string> surfaces_;
};

int export_result(const ExportArguments& a) {
  const Result result(a.result);
  const auto frames = static_cast<long>(result.frame_times().size());
  if (frames == 0 || result.read_frame(0).sheets.empty())  // of the bodies alone
    throw wrong_input(
        a.result, "has no frames",
        "runs of models with a vortex-lattice have some, unless --frames 0 or `simulation: {frames: 0}` "
        "says that there are none");
  ExportFolder folder(a.vtk, kSeries, "haltere export");
  VtkSeries series(result, &folder);
  const std::atomic<bool>* interrupt = catch_signals();
  for (long i = 0; i < frames; ++i) {
    if (*interrupt) return interrupted_status();  // what is half done goes with the folder
    series.add(i);
  }
  series.end();
  fmt::print(stderr, "wrote {}: {} frames of {}\n", (std::filesystem::path(a.vtk) / kSeries).string(), frames,
             fmt::join(series.surfaces(), ", "));
  return kSuccess;
}

}  // namespace

void add_export(CLI::App* program, Action* action) {
  CLI::App* verb =
      program->add_subcommand("export", "lattices, wakes and bodies of a result for other programs");
  const auto a = std::make_shared<ExportArguments>();
  verb->add_option("RESULT", a->result, "folder of a result, or its result.h5")->required();
  verb->add_option("--vtk", a->vtk,
                   "folder for VTK files (.vtp) and their series, frames.pvd, as ParaView reads them")
      ->required()
      ->type_name("DIR");
  verb->footer(
      "Examples:\n"
      "  haltere run flapping-pair\n"
      "  haltere export results/flapping-pair --vtk flapping-pair-vtk\n"
      "An earlier export in the folder is replaced; files of others are not.");
  verb->callback([=] { *action = [=] { return export_result(*a); }; });
}

}  // namespace haltere
