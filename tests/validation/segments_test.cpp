// A published aircraft with another number of wing plates.
#include <gtest/gtest.h>

#include "formulations_of.h"
#include "shipped_models.h"
#include "tolerance.h"

#include "haltere/simulate/run.h"

namespace haltere {
namespace {

std::string hinge(int left, int right) {
  return "joint.hinge" + std::to_string(left) + std::to_string(right) + ".angle";
}

// both formulations are the same machine, and its two sides swing alike                (source: analytic)
TEST(XHale, HasAnyOddNumberOfWingPlates) {
  for (const int n : {3, 7, 13}) {
    const Model model =
        read_model(shipped_model("x-hale"), {.case_name = "free", .set = {"n=" + std::to_string(n)}});
    EXPECT_EQ(model.n_tree(), 3 * n - 5);
    std::vector<double> of_first;  // angles of the first formulation
    for (const FormulationInfo& formulation : general_formulations()) {
      Settings settings;
      settings.formulation = formulation.name;
      settings.until = settings.every = 0.5;
      settings.tolerance = 1e-10;
      MemorySink sink;
      ASSERT_EQ(run(model, make_run_options(model, settings), {&sink}).outcome,
                RunSummary::Outcome::kFinished)
          << sink.summary().message;
      const bool is_first = of_first.empty();
      for (int i = 1; i < n; ++i) {
        const double angle = sink.value(sink.rows() - 1, hinge(i, i + 1));
        // solver: 1e-10 a step, grown along the wing
        EXPECT_NEAR(angle, sink.value(sink.rows() - 1, hinge(n - i, n - i + 1)), 1e-8);
        if (is_first)
          of_first.push_back(angle);
        else
          EXPECT_NEAR(angle, of_first[i - 1], 1e-8) << hinge(i, i + 1);
      }
    }
  }
}

}  // namespace
}  // namespace haltere
