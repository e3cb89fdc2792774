#pragma once

/// The library in one header; docs/library.md explains it with an example. What these headers declare is
/// public: it changes only with the middle number of the version. Headers that are not named here may change
/// at any time.

#include "haltere/dynamics/equations.h"  // make_equations(), Equations: right-hand side, mass matrix, forces
#include "haltere/io/csv_sink.h"         // CsvSink: rows as text
#include "haltere/io/hdf5_sink.h"        // Hdf5Sink: a result file
#include "haltere/io/model_reader.h"     // read_model(), read_model_text(), list_cases()
#include "haltere/io/result.h"           // Result: reads a result file back
#include "haltere/model/model.h"         // Model: what the user described, constant
#include "haltere/model/problem.h"       // InputError with all its Problems, RunError
#include "haltere/simulate/recorder.h"   // RunSummary with its Audit, Sink, MemorySink
#include "haltere/simulate/run.h"        // run(), RunOptions, make_run_options()
#include "haltere/simulate/version.h"    // version()

// the library frees what Eigen allocated here, and the other way round: both sides must align alike
static_assert(EIGEN_DEFAULT_ALIGN_BYTES == 16,
              "haltere: compile this file without -mavx and -march=native; the library picks AVX2 by itself");
