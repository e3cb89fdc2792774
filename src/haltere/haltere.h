#pragma once

/// The library in one header; docs/library.md explains it with examples. What these headers declare is
/// public: it changes only with the middle number of the version. Headers that are not named here may change
/// at any time.

// -- a machine and its equations
#include "haltere/dynamics/equations.h"  // make_equations(), Equations: right-hand side, mass matrix, forces
#include "haltere/io/model/model_reader.h"  // read_model(), read_model_text(), list_cases()
#include "haltere/model/model.h"            // Model: what the user described, constant
#include "haltere/model/problem.h"          // InputError with all its Problems, RunError

// -- its motion
#include "haltere/io/result/csv_sink.h"   // CsvSink: rows as text
#include "haltere/io/result/hdf5_sink.h"  // Hdf5Sink: a result file
#include "haltere/io/result/result.h"     // Result: reads a result file back
#include "haltere/simulate/recorder.h"    // RunSummary with its Audit, Sink, MemorySink
#include "haltere/simulate/run.h"         // run(), RunOptions, make_run_options()
#include "haltere/simulate/simulation.h"  // Simulation: step by step, changed on the way, saved and loaded
#include "haltere/simulate/start.h"       // calc_start(): as the run begins
#include "haltere/simulate/version.h"     // version()

// -- what can be said about it
#include "haltere/analysis/assembly.h"        // assemble(): positions that obey the constraints
#include "haltere/analysis/evaluation.h"      // evaluate(): M, f, A, b, accelerations and loads at one state
#include "haltere/analysis/floquet.h"         // calc_floquet(): is a periodic motion stable?
#include "haltere/analysis/linear_model.h"    // linearize() about a steady state; make_state_space()
#include "haltere/analysis/modes.h"           // calc_modes() of a linearisation
#include "haltere/analysis/orbit_request.h"   // make_orbit_request(): what find_orbit() is to look for
#include "haltere/analysis/periodic_orbit.h"  // find_orbit(): periodic motions, with parameters to be found
#include "haltere/analysis/regulator.h"       // calc_regulator(): the feedback of least cost
#include "haltere/analysis/root_locus.h"      // calc_root_locus(): modes over a parameter
#include "haltere/analysis/steady_state.h"    // find_steady_state(): at rest, or in steady motion

// the library frees what Eigen allocated here, and the other way round: both sides must align alike
static_assert(EIGEN_DEFAULT_ALIGN_BYTES == 16,
              "haltere: compile this file without -mavx and -march=native; the library picks AVX2 by itself");
