#include "lattice/ptera.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <numbers>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "python_peer.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/math/threads.h"
#include "haltere/model/surfaces.h"
#include "haltere/model/surfaces/planform.h"
#include "haltere/simulate/run.h"

namespace haltere::bench {
namespace {

using Json = nlohmann::json;

constexpr const char* kPtera = HALTERE_BINARY_DIR "/ptera-env/bin/python";
constexpr const char* kPteraScript = HALTERE_SOURCE_DIR "/bench/lattice/ptera_peer.py";
constexpr const char* kCaseFile = HALTERE_BINARY_DIR "/ptera-case.json";
constexpr const char* kModels = HALTERE_SOURCE_DIR "/models/";
constexpr double kPi = std::numbers::pi;

struct Flight {
  bool finished = false;
  double processor = INFINITY, wall = INFINITY;  // [s]
  std::string threads;
  std::vector<double> lift;  // at each step of the wake [N]
};

void keep_shorter(const Flight& flight, Flight* best) {
  const double processor = std::min(best->processor, flight.processor),
               wall = std::min(best->wall, flight.wall);
  *best = flight;
  best->processor = processor;
  best->wall = wall;
}

/// `threads` 0: as many as the program takes.
Flight run_ptera(const Json& task, int threads) {
  std::ofstream(kCaseFile) << task;
  const std::string limit = threads > 0 ? fmt::format("NUMBA_NUM_THREADS={}", threads) : "";
  std::istringstream in(
      read_output(fmt::format("{} {} {} {} 2>/dev/null", limit, kPtera, kPteraScript, kCaseFile)));
  Flight flight;
  std::string layer;
  flight.finished = static_cast<bool>(in >> flight.processor >> flight.wall >> flight.threads >> layer);
  for (double lift = 0; in >> lift;) flight.lift.push_back(lift);
  flight.threads += ", " + layer;
  return flight;
}

/// That it takes where nobody limits them.
int find_ptera_threads() {
  const std::string text = read_output(fmt::format("{} {} threads 2>/dev/null", kPtera, kPteraScript));
  return text.empty() ? 1 : std::stoi(text);
}

/// The whole of a run, all four formulas for loads among it; lift, across the wind, is that of `j-edge`, which is
/// PteraSoftware's.
Flight run_haltere(const Model& model, double alpha, int threads) {
  set_n_threads(threads);
  MemorySink sink;
  Flight flight;
  const std::clock_t processor = std::clock();
  const auto wall = std::chrono::steady_clock::now();
  const RunSummary summary = run(model, make_run_options(model, {}), {&sink});
  flight.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  flight.processor = static_cast<double>(std::clock() - processor) / double{CLOCKS_PER_SEC};
  flight.finished = summary.outcome == RunSummary::Outcome::kFinished;
  if (!flight.finished) fmt::print(stderr, "{}\n", summary.message);
  flight.threads = fmt::format("{}", n_threads());
  set_n_threads(0);
  for (const Entry& surface : model.surfaces) {
    const std::string force = "surface." + surface.name + ".load.j-edge.force.";
    const std::vector<double> x = sink.column(force + "x"), z = sink.column(force + "z");
    flight.lift.resize(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      flight.lift[k] += z[k] * std::cos(alpha) - x[k] * std::sin(alpha);
  }
  return flight;
}

/// Of the lifts of two flights, from `first` on.
double calc_difference(const Flight& a, const Flight& b, std::size_t first) {
  if (!a.finished || !b.finished || a.lift.size() != b.lift.size()) return INFINITY;
  double most = 0;
  for (std::size_t k = first; k < a.lift.size(); ++k) most = std::max(most, std::abs(a.lift[k] - b.lift[k]));
  return most;
}

/// Where a wing's columns of panels begin and end.
Json list_sections(const Model& model) {
  const std::vector<double> parameters = model.calc_parameters();
  const auto any = resolve<SurfaceKinds, double>(model.surfaces.front(), Resolver<double>{parameters.data()});
  const auto& wing = std::get<VortexLattice<double>>(any);
  const std::vector<Vector3<double>> corners = make_corners(wing);
  const auto [rows, columns] = count_panels(wing);
  Json sections = Json::array();
  for (int j = 0; j <= columns; ++j) {
    const Vector3<double>&leading = corners[j], &trailing = corners[rows * (columns + 1) + j];
    sections.push_back({leading.y(), leading.x(), trailing.x()});
  }
  return sections;
}

double read_parameter(const Model& model, const char* name) {
  return model.calc_parameters()[static_cast<std::size_t>(*model.find_parameter(name))];
}

/// What ptera_peer.py reads, but for the flap. Both models call these parameters by the same names.
Json make_task(const Model& model, double alpha, int steps, bool free, bool mirrored) {
  return {{"speed", read_parameter(model, "U")},
          {"alpha", alpha * 180 / kPi},
          {"density", read_parameter(model, "rho")},
          {"viscosity", 15.06e-6},  // its own: air
          {"step", read_parameter(model, "dt")},
          {"steps", steps},
          {"rows", static_cast<int>(read_parameter(model, "panels_chord"))},
          {"sections", list_sections(model)},
          {"mirrored", mirrored},
          {"period", 0},
          {"angles", Json::array()},
          {"free", free}};
}

// -- a plate that is started at once

constexpr int kPlateSteps = 40;

/// A step is a panel's chord, so that the rings of both programs lie alike; the core is PteraSoftware's, 0.03 chords.
Model read_plate(double alpha, bool free) {
  return read_model(
      std::string(kModels) + "wing",
      {"",
       {fmt::format("alpha={} deg", alpha * 180 / kPi), "U=1 m/s", "dt=chord/(panels_chord*U)",
        "surfaces.wing.core=0.03 m", fmt::format("surfaces.wing.wake={}", free ? "free" : "prescribed")}});
}

/// The largest difference of the lift, of the lift at the end.
double compare_plate(double alpha, bool free) {
  const Model model = read_plate(alpha, free);
  Json task = make_task(model, alpha, kPlateSteps, free, false);
  task["viscosity"] = 1e-12;  // no growth of cores; 0 is refused
  const Flight ours = run_haltere(model, alpha, 0), theirs = run_ptera(task, 0);
  return calc_difference(ours, theirs, 0) / std::abs(ours.lift.back());
}

bool compare_plates() {
  constexpr double kSame = 1e-6;
  bool good = true;
  fmt::print(
      "a plate of aspect ratio 4 that is started at once, 4 x 13 panels, ten chords: largest difference of "
      "lift\n");
  for (const bool free : {false, true}) {
    const double small = compare_plate(1e-4 * kPi / 180, free), large = compare_plate(5 * kPi / 180, free);
    fmt::print("  {:10} wake: {:.1e} of the lift at 0.0001 degrees, {:.1e} at 5 degrees\n",
               free ? "free" : "prescribed", small, large);
    good = good && small < kSame;
  }
  if (!good) fmt::print("  they should agree to {:g} at 0.0001 degrees: times mean nothing\n", kSame);
  std::fflush(stdout);
  return good;
}

// -- the flapping robot

constexpr const char* kCoarser = "20 ms";
constexpr int kRobotSteps = 224, kFlaps = 3;
constexpr std::size_t kLastFlap = kRobotSteps * (kFlaps - 1) / kFlaps;  // begins there

Model read_robot(bool free, bool coarser) {
  const std::string wake = free ? "free" : "prescribed";
  std::vector<std::string> set{"surfaces.left.wake=" + wake, "surfaces.right.wake=" + wake};
  if (coarser) set.push_back(fmt::format("air.coarsen_after={}", kCoarser));
  return read_model(std::string(kModels) + "flapping-robot", {"", set});
}

Json make_robot_task(const Model& model, bool free) {
  constexpr int kSamples = 64;  // of the flap: four harmonics
  Json task = make_task(model, 0, kRobotSteps, free, true);
  const double period = read_parameter(model, "T");
  RunOptions options = make_run_options(model, {});
  options.until = period;
  options.every = period / kSamples;
  MemorySink sink;
  run(model, options, {&sink});
  std::vector<double> angles = sink.column("joint.left.angle");
  angles.resize(kSamples);
  task["period"] = period;
  task["angles"] = angles;
  return task;
}

struct RobotRow {
  const char* name;
  int threads;  // 0: as many as the program takes
  std::function<Flight(int threads)> fly;
  Flight best{};
};

/// `ptera`: with its whole wake and as many threads. `lift`: what the lift is compared with.
void print_row(const RobotRow& row, const Flight& ptera, const Flight& lift) {
  const Flight& flight = row.best;
  fmt::print("    {:32} {:>8} {:9.2f} {:10.2f} {:8.1f} {:10.1f} {:14.2f}\n", row.name, flight.threads,
             1e3 * flight.wall / kRobotSteps, 1e3 * flight.processor / kRobotSteps, ptera.wall / flight.wall,
             ptera.processor / flight.processor, 1e3 * calc_difference(flight, lift, kLastFlap));
}

bool compare_robot(bool free, int rounds) {
  const Model plain = read_robot(free, false), coarse = read_robot(free, true);
  const Json task = make_robot_task(plain, free);
  Json shorter = task;
  shorter["wake_rows"] = kRobotSteps / kFlaps + 1;
  const auto ours = [&](int threads) { return run_haltere(plain, 0, threads); };
  const auto coarser = [&](int threads) { return run_haltere(coarse, 0, threads); };
  const auto theirs = [&](int threads) { return run_ptera(task, threads); };
  std::vector<RobotRow> rows{{"haltere", 1, ours},
                             {"haltere", 0, ours},
                             {"haltere, coarser after 5 steps", 1, coarser},
                             {"haltere, coarser after 5 steps", 0, coarser}};
  if (!free)  // minutes otherwise
    rows.push_back(
        {"PteraSoftware, wake of one flap", 1, [&](int threads) { return run_ptera(shorter, threads); }});
  rows.push_back({"PteraSoftware", 1, theirs});
  const std::size_t ptera = rows.size() - 1;
  if (find_ptera_threads() > 1) rows.push_back({"PteraSoftware", 0, theirs});
  for (int round = 0; round < rounds; ++round)
    for (RobotRow& row : rows) {
      keep_shorter(row.fly(row.threads), &row.best);
      if (!row.best.finished) return false;
    }
  fmt::print("  {} wake\n", free ? "free" : "prescribed");
  for (const RobotRow& row : rows) {
    const bool is_ours = row.name[0] == 'h';
    print_row(row, (row.threads == 1 ? rows[ptera] : rows.back()).best,
              is_ours ? rows.front().best : rows[ptera].best);
  }
  const Flight& first = rows.front().best;
  fmt::print(
      "    lift of PteraSoftware against that of haltere: {:.2f} mN in the last flap, where it is up to "
      "{:.0f} mN\n",
      1e3 * calc_difference(first, rows[ptera].best, kLastFlap),
      1e3 * *std::max_element(first.lift.begin() + kLastFlap, first.lift.end()));
  std::fflush(stdout);
  return true;
}

}  // namespace

bool compare_with_ptera() {
  if (read_output(fmt::format("{} -c 'import pterasoftware; print(1)' 2>/dev/null", kPtera)).empty()) {
    fmt::print("\nPteraSoftware is not compared with (it could not be loaded)\n");
    return true;
  }
  fmt::print("\n");
  if (!compare_plates()) return false;
  fmt::print(
      "the flapping robot, 2 x 5 x 18 panels, {} steps of three flaps: ms a step; how many times as long "
      "PteraSoftware takes "
      "with as many threads; how far other settings move the lift in the last flap\n{:36}{:>9} {:>9} {:>10} "
      "{:>8} {:>10} {:>14}\n",
      kRobotSteps, "", "threads", "wall", "processor", "wall", "processor", "mN");
  // a free wake takes minutes there, and once is enough for it
  return compare_robot(false, 2) && compare_robot(true, 1);
}

}  // namespace haltere::bench
