// What vortex lines cost: the kernel alone, the tree against the sum one by one, a step of a large wake; what the matrix of
// the rings; and a step of a machine, against PteraSoftware.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lattice/ptera.h"
#include "measure.h"

#include "haltere/aero/lattice/far_field.h"
#include "haltere/aero/lattice/lattice.h"
#include "haltere/aero/lattice/ring_matrix.h"
#include "haltere/aero/lattice/vortex_air.h"
#include "haltere/math/threads.h"

namespace haltere::bench {
namespace {

using Vector = Vector3<double>;

constexpr double kTolerance = 1e-4;
constexpr double kCore = 0.05;  // of a panel
constexpr int kAudited = 64;    // points of a step
constexpr int kBlades = 3;

struct Wake {
  VortexLines lines;
  PointList nodes;
  int panels = 0;
};

/// Helices behind the blades of a rotor, a little rough; panels are about 1 wide.
struct Shape {
  const char* name;
  int columns;
  double rows, turns, length;  // the rows and the length in columns
};

/// A third of a turn: sheets that are far from each other, as behind wings.
Shape make_sheets(int columns) {
  return {"sheets", columns, 1.7, 0.34, 0.5};
}

/// The rotor of 35,100 panels that SHARPy publishes: 450 steps of ten degrees.
constexpr Shape kRotor{"rotor", 26, 450 / 26., 12.5, 7.5};

Wake make_wake(const Shape& shape) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const int columns = shape.columns, rows = static_cast<int>(std::lround(shape.rows * columns));
  Wake wake;
  std::mt19937 generator(1);
  std::normal_distribution<double> number(0, 1);
  std::vector<Vector> all;
  for (int blade = 0; blade < kBlades; ++blade) {
    std::vector<Vector> nodes;
    for (int i = 0; i <= rows; ++i)
      for (int j = 0; j <= columns; ++j) {
        const double part = static_cast<double>(i) / rows, turns = shape.turns * part,
                     angle = kTurn * (turns + blade / double{kBlades}),
                     r = columns * (0.2 + 1. * j / columns) * (1 + 0.1 * part);
        nodes.emplace_back(shape.length * columns * part + 0.05 * number(generator), r * std::cos(angle),
                           r * std::sin(angle));
      }
    add_rings(
        rows, columns, [&](int i, int j) { return nodes[i * (columns + 1) + j]; },
        [&](int i, int j) {
          const double e = (2 * j + 1.) / columns - 1;
          return std::sqrt(1 - e * e) * (1 + 0.1 * std::sin(6 * kTurn * i / rows));
        },
        &wake.lines);
    all.insert(all.end(), nodes.begin(), nodes.end());
  }
  wake.panels = kBlades * rows * columns;
  wake.nodes.resize(static_cast<int>(all.size()));
  for (int i = 0; i < wake.nodes.size(); ++i) wake.nodes.set(i, all[i]);
  return wake;
}

/// Of the clock on the wall and of the processor, all threads: the second one is right on a busy machine, too.
struct Times {
  double wall = INFINITY, processor = INFINITY;
};

template <class F>
void shorten(Times* times, F&& evaluate) {
  const std::clock_t start = std::clock();
  times->wall = std::min(times->wall, time_calls(1, evaluate));
  times->processor =
      std::min(times->processor, static_cast<double>(std::clock() - start) / double{CLOCKS_PER_SEC});
}

// -- the kernel

/// Seconds of an interaction on one core, in a process of its own: a program chooses its instruction set once.
double measure_kernel(const char* instruction_set) {
  int answers[2];
  if (pipe(answers) != 0) std::abort();
  const pid_t child = fork();
  if (child < 0) std::abort();
  if (child == 0) {
    setenv("HALTERE_INSTRUCTION_SET", instruction_set, 1);
    const Wake wake = make_wake(make_sheets(20));
    PointList velocities(wake.nodes.size());
    Times times;
    for (int round = 0; round < 20; ++round)
      shorten(&times, [&] { wake.lines.add_velocities(wake.nodes, kCore, &velocities); });
    const double time = times.processor / static_cast<double>(wake.nodes.size()) /
                        static_cast<double>(wake.lines.n_segments());
    if (write(answers[1], &time, sizeof(time)) != sizeof(time)) _exit(1);
    _exit(0);
  }
  double time = 0;
  if (read(answers[0], &time, sizeof(time)) != sizeof(time)) std::abort();
  waitpid(child, nullptr, 0);
  close(answers[0]);
  close(answers[1]);
  return time;
}

void print_kernel() {
  fmt::print("a segment at a point, one core [million a second]\n");
  double avx2 = INFINITY, baseline = INFINITY;
  for (int round = 0; round < 5; ++round) {
    avx2 = std::min(avx2, measure_kernel("avx2"));
    baseline = std::min(baseline, measure_kernel("baseline"));
  }
  fmt::print("  AVX2 {:.0f}, baseline {:.0f}, ratio {:.1f}\n\n", 1e-6 / avx2, 1e-6 / baseline,
             baseline / avx2);
}

// -- the tree

struct Figures {
  Times tree, direct;  // of a step
  double error = 0;    // of the tolerance
};

/// Shortest of some rounds, in turns. One by one a part of the points is enough: each takes as long as any other.
Figures measure_step(const Wake& wake, double core, double tolerance, int rounds) {
  constexpr double kInteractions = 1e8;  // one by one
  Figures figures;
  FarField far, direct;
  const int n = wake.nodes.size();
  const int few =
      std::min(n, 64 + static_cast<int>(kInteractions / static_cast<double>(wake.lines.n_segments())));
  PointList some(few), velocities;
  for (int i = 0; i < few; ++i) some.set(i, wake.nodes[static_cast<int>(static_cast<long>(n) * i / few)]);
  for (int round = 0; round < rounds; ++round) {
    velocities.resize(n);
    shorten(&figures.tree, [&] {
      far.update(wake.lines, core, tolerance);
      far.add_velocities(wake.nodes, &velocities);
    });
    velocities.resize(few);
    shorten(&figures.direct, [&] {
      direct.update(wake.lines, core, 0);
      direct.add_velocities(some, &velocities);
    });
  }
  figures.direct.wall *= static_cast<double>(n) / few;
  figures.direct.processor *= static_cast<double>(n) / few;
  figures.error = far.calc_error(wake.nodes, kAudited) / tolerance;
  return figures;
}

constexpr const char* kHead =
    "   tree, s: wall  processor   one by one, s: wall  processor   ratio   error/tolerance\n";

void print(const Figures& f) {
  fmt::print("{:15.4f} {:10.4f} {:21.3f} {:10.3f} {:7.1f} {:17.3f}\n", f.tree.wall, f.tree.processor,
             f.direct.wall, f.direct.processor, f.direct.processor / f.tree.processor, f.error);
  std::fflush(stdout);
}

/// Of a straight line through the logarithms.
double calc_slope(const std::vector<std::pair<double, double>>& points) {
  const double n = static_cast<double>(points.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [a, b] : points) {
    x += std::log(a) / n;
    y += std::log(b) / n;
  }
  for (const auto& [a, b] : points) {
    xx += (std::log(a) - x) * (std::log(a) - x);
    xy += (std::log(a) - x) * (std::log(b) - y);
  }
  return xy / xx;
}

void print_tree() {
  fmt::print(
      "velocities of all nodes of a wake, tolerance {:g}, core {:g} of a panel, {} threads\n"
      "  segments   points {}",
      kTolerance, kCore, n_threads(), kHead);
  std::vector<std::pair<double, double>> large;
  for (const int columns : {18, 25, 32, 58, 98, 180, 312}) {
    const Wake wake = make_wake(make_sheets(columns));
    const double n = static_cast<double>(wake.lines.n_segments());
    const Figures f = measure_step(wake, kCore, kTolerance, n < 5e4 ? 9 : 2);
    fmt::print("{:10} {:8} ", wake.lines.n_segments(), wake.nodes.size());
    print(f);
    if (n > 9e3) large.emplace_back(n, f.tree.processor);
  }
  fmt::print("  log time against log segments, from 1e4 on: slope {:.2f}\n\n", calc_slope(large));
}

void print_large_step() {
  fmt::print("velocities of all nodes, {} threads\n   wake    panels  tolerance   core {}", n_threads(),
             kHead);
  for (const Shape& shape : {make_sheets(83), kRotor}) {
    const Wake wake = make_wake(shape);
    for (const double core : {1e-3, kCore})
      for (const double tolerance : {1e-2, kTolerance, 1e-6}) {
        fmt::print("  {:6} {:8} {:9g} {:6g} ", shape.name, wake.panels, tolerance, core);
        print(measure_step(wake, core, tolerance, 2));
      }
  }
}

// -- a step of the whole air

/// Blades of one row of panels, which turn in a wind along their axis: after 450 steps their wake is that of kRotor.
std::vector<VortexAir::Motion> make_blades(double t) {
  const double turn = 2 * std::numbers::pi * kRotor.turns / (kRotor.rows * kRotor.columns);  // of a step
  std::vector<VortexAir::Motion> motions;
  for (int blade = 0; blade < kBlades; ++blade) {
    VortexAir::Motion& motion = motions.emplace_back();
    const double angle = turn * t + 2 * std::numbers::pi * blade / kBlades;
    const Vector out(0, std::cos(angle), std::sin(angle)), on(0, -out[2], out[1]);
    for (int i = 0; i <= 1; ++i)
      for (int j = 0; j <= kRotor.columns; ++j) {
        const Vector place = (0.2 * kRotor.columns + j) * out - i * on + Vector(0.05 * i, 0, 0);
        motion.corners.push_back(place);
        motion.velocities.push_back(turn * Vector::UnitX().cross(place));
      }
  }
  return motions;
}

VortexAir make_rotor(double tolerance, bool wake_is_free, double rows) {
  const double axial = kRotor.length * kRotor.columns / (kRotor.rows * kRotor.columns);
  VortexAir::Settings settings;
  settings.density = 1;
  settings.core = kCore;
  settings.far_field = tolerance;
  settings.limits.age = rows - 0.5;
  settings.wind = [axial](double, const Vector&) { return Vector(axial, 0, 0); };
  LatticeSpec spec{.rows = 1, .columns = kRotor.columns};
  spec.wake_is_free = wake_is_free;
  return {settings, std::vector(kBlades, spec)};
}

/// All that the air does in a step: velocities of all nodes, circulations, loads. A wake that goes with the wind grows; it
/// is free for the steps that count.
void print_whole_step() {
  constexpr int kSteps = 3;
  const int rows = static_cast<int>(std::lround(kRotor.rows * kRotor.columns));
  VortexAir grown = make_rotor(0, false, rows);
  grown.start(0, 1, make_blades(0));
  for (int k = 1; k <= rows; ++k) grown.advance(k, make_blades(k));
  Archive saved;
  grown.visit_state(saved);
  VortexAir air = make_rotor(kTolerance, true, rows);
  Archive loaded(saved.state());
  air.visit_state(loaded);
  int panels = 0;
  for (int s = 0; s < air.n_surfaces(); ++s) panels += air.wake(s).rows() * air.wake(s).columns();
  Times times;
  for (int k = rows + 1; k <= rows + kSteps; ++k) {
    const std::vector<VortexAir::Motion> motions = make_blades(k);
    shorten(&times, [&] { air.advance(k, motions); });
  }
  fmt::print(
      "a step of the whole air, rotor of {} panels in the wake, tolerance {:g}, {} threads: {:.3f} s of the "
      "wall, {:.3f} s of the processor; error/tolerance {:.3f}\n\n",
      panels, kTolerance, n_threads(), times.wall, times.processor, air.far_error() / kTolerance);
}

// -- the matrix

/// Wings of aspect ratio 3 that flap about one hinge, the second one on the other side.
std::vector<Lattice> make_wings(int n_wings, int rows, int columns, double angle) {
  std::vector<Lattice> wings;
  for (int wing = 0; wing < n_wings; ++wing) {
    std::vector<Vector> corners, still;
    for (int i = 0; i <= rows; ++i)
      for (int j = 0; j <= columns; ++j) {
        const double x = static_cast<double>(i) / rows, y = 0.1 + 3. * j / columns;
        corners.emplace_back(x, (wing == 0 ? 1 : -1) * y * std::cos(angle), y * std::sin(angle));
        still.emplace_back(Vector::Zero());
      }
    Lattice& lattice = wings.emplace_back(rows, columns, LatticeLayout::kQuarter);
    lattice.update(corners, still);
  }
  return wings;
}

void print_matrix() {
  fmt::print(
      "matrix of the rings and solution, of a step [ms of the processor]\n  wings  panels of each      kept  "
      "   anew   ratio\n");
  for (const auto& [n_wings, rows, columns] :
       {std::array{1, 5, 18}, std::array{2, 5, 18}, std::array{1, 8, 40}, std::array{2, 8, 40}}) {
    Times kept, anew;
    RingMatrix keeps, forgets;
    constexpr int kSteps = 10;
    for (int round = 0; round < 5; ++round)
      for (const bool is_kept : {true, false}) {
        RingMatrix& matrix = is_kept ? keeps : forgets;
        Eigen::VectorXd x = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_wings) * rows * columns);
        const Eigen::VectorXd flow = Eigen::VectorXd::Ones(x.size());
        shorten(is_kept ? &kept : &anew, [&, n_wings = n_wings, rows = rows, columns = columns] {
          for (int step = 0; step < kSteps; ++step) {
            if (!is_kept) matrix.forget();
            const std::vector<Lattice> wings = make_wings(n_wings, rows, columns, 0.02 * step);
            std::vector<const Lattice*> list;
            for (const Lattice& wing : wings) list.push_back(&wing);
            matrix.update(list, kCore / rows, {});
            matrix.solve(flow, &x);
          }
        });
      }
    fmt::print("{:7} {:15} {:9.3f} {:8.3f} {:7.1f}\n", n_wings, rows * columns, 1e3 / kSteps * kept.processor,
               1e3 / kSteps * anew.processor, anew.processor / kept.processor);
  }
  fmt::print("\n");
}

}  // namespace
}  // namespace haltere::bench

int main(int argc, char** argv) {
  const std::vector<std::string> parts(argv + 1, argv + argc);
  const auto wants = [&](const char* part) {
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  if (wants("kernel")) haltere::bench::print_kernel();
  if (wants("tree")) haltere::bench::print_tree();
  if (wants("step")) haltere::bench::print_large_step();
  if (wants("whole")) haltere::bench::print_whole_step();
  if (wants("matrix")) haltere::bench::print_matrix();
  return !wants("ptera") || haltere::bench::compare_with_ptera() ? 0 : 1;
}
