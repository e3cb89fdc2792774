// The equations as implicit methods see them, and the methods on constrained machines with rotations.
#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shipped_models.h"
#include "tolerance.h"

#include "haltere/analysis/comparison.h"
#include "haltere/dynamics/implicit_form.h"
#include "haltere/dynamics/stabilized_form.h"
#include "haltere/integrate/alpha_method.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"
#include "haltere/simulate/start.h"

namespace haltere {
namespace {

using testing::HasSubstr;

struct MachineCase {
  const char* model;
  const char* case_name;
  const char* formulation;
  const char* chart;
};

std::string name_of(const testing::TestParamInfo<MachineCase>& test) {
  return to_test_name(fmt::format("{}_{}_{}", test.param.model, test.param.formulation, test.param.chart));
}

/// A machine somewhere on a step, with numbers in all that can be given.
class EveryForm : public testing::TestWithParam<MachineCase> {
 protected:
  EveryForm() {
    ReadOptions options;
    options.case_name = GetParam().case_name;
    model_ = read_model(shipped_model(GetParam().model), options);
    equations_ = make_equations(GetParam().formulation, model_, {.chart = GetParam().chart});
    form_ = equations_->make_implicit_form();
    const Sizes sizes = equations_->sizes();
    y_ = equations_->calc_state(calc_start(model_, model_.calc_parameters()).scene);
    form_->set_start(y_);
    point_.t = 0.3;
    point_.v = y_.segment(sizes.nq, sizes.nv);
    for (Eigen::VectorXd* x : {&point_.dq, &point_.vdot}) x->setZero(form_->n());
    point_.lambda.setZero(form_->m());
    for (int i = 0; i < form_->n(); ++i) {
      const double scale = form_->scales()[i];
      point_.dq[i] = 0.1 * scale * std::sin(1.7 * i + 0.3);
      point_.v[i] += scale * std::cos(2.1 * i);
      point_.vdot[i] = 3 * scale * std::sin(0.9 * i + 1);
    }
    for (int i = 0; i < form_->m(); ++i) point_.lambda[i] = std::cos(1.3 * i);
    residual_.r.setZero(form_->n());
    residual_.g.setZero(form_->m());
  }

  Eigen::VectorXd calc(const ImplicitForm::Point<double>& point) {
    EXPECT_EQ(form_->calc(point, &residual_), Status::kOk);
    Eigen::VectorXd all(form_->n() + form_->m());
    all << residual_.r, residual_.g;
    return all;
  }

  Model model_;
  std::unique_ptr<Equations> equations_;
  std::unique_ptr<ImplicitForm> form_;
  Eigen::VectorXd y_;
  ImplicitForm::Point<double> point_;
  ImplicitForm::Residual<double> residual_;
};

// (source: independent, central differences of the residual)
TEST_P(EveryForm, HasTheTangentOfItsResidual) {
  const double v_by_x = 30, vdot_by_x = 700;
  ASSERT_TRUE(form_->factor(point_, v_by_x, vdot_by_x));
  const int n = form_->n(), m = form_->m();
  Eigen::MatrixXd tangent = Eigen::MatrixXd::Zero(n + m, n + m);
  SparseLu& lu = form_->matrix();
  for (int j = 0; j < n + m; ++j)
    for (int e = lu.first(j); e < lu.first(j + 1); ++e) tangent(lu.row(e), j) = lu.values()[e];
  for (int j = 0; j < n + m; ++j) {
    const double step = 1e-5 * (j < n ? form_->scales()[j] : 1);
    ImplicitForm::Point<double> plus = point_, minus = point_;
    for (const auto& [point, sign] : {std::pair{&plus, 1.}, std::pair{&minus, -1.}}) {
      if (j >= n) {
        point->lambda[j - n] += sign * step;
        continue;
      }
      point->dq[j] += sign * step;
      point->v[j] += sign * step * v_by_x;
      point->vdot[j] += sign * step * vdot_by_x;
    }
    const Eigen::VectorXd difference = (calc(plus) - calc(minus)) / (2 * step);
    const double size = tangent.col(j).lpNorm<Eigen::Infinity>();
    // rounding 1e-16 of residuals over a step of 1e-5, truncation 1e-10 of third derivatives
    EXPECT_LE((difference - tangent.col(j)).lpNorm<Eigen::Infinity>(), 2e-7 * tolerance_scale() * size)
        << "column " << j;
  }
}

// At the end of Newton's method nothing depends on h; its matrix is as well conditioned for every step.
TEST_P(EveryForm, IsScaledIndependentlyOfTheStep) {
  double least = 1, most = 0;
  for (const double h : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    ASSERT_TRUE(form_->factor(point_, 2 / h, 4 / (h * h)));
    least = std::min(least, form_->matrix().calc_condition());
    most = std::max(most, form_->matrix().calc_condition());
  }
  EXPECT_LT(most / least, 30);  // stiffness and damping fade against inertia
}

// Accelerations and multipliers of the equations leave no residual.
//                                                                  (source: the other formula of the program)
TEST_P(EveryForm, AgreesWithTheAccelerations) {
  const Sizes sizes = equations_->sizes();
  Eigen::VectorXd ydot(y_.size());
  ASSERT_EQ(equations_->calc_ydot(0, y_, ydot), Status::kOk);
  point_.t = 0;
  point_.dq.setZero();
  point_.v = y_.segment(sizes.nq, sizes.nv);
  point_.vdot = ydot.segment(sizes.nq, sizes.nv);
  form_->read_multipliers(&point_.lambda);
  ASSERT_EQ(form_->calc(point_, &residual_), Status::kOk);
  ASSERT_TRUE(form_->factor(point_, 1, 1));
  form_->solve(residual_.r, residual_.g);  // as a correction of vdot
  const double size = 1 + point_.vdot.cwiseQuotient(form_->scales()).lpNorm<Eigen::Infinity>();
  EXPECT_LT(residual_.r.cwiseQuotient(form_->scales()).lpNorm<Eigen::Infinity>(),
            1e-9 * tolerance_scale() * size);
}

// A change of everything, taken through the equations by differences and back by the factors, is the same
// change; quaternions change their length, too.   (source: independent, central differences of F)
TEST_P(EveryForm, HasTheTangentOfItsStabilizedEquations) {
  const Sizes sizes = equations_->sizes();
  Eigen::VectorXd drift(sizes.ng), rates(sizes.na), ydot(y_.size());
  ASSERT_EQ(equations_->calc_ydot(0, y_, ydot), Status::kOk);
  ASSERT_EQ(equations_->calc_drift(0, y_, drift, rates), Status::kOk);
  StabilizedForm form(equations_->make_implicit_form(), sizes);
  const int moving = sizes.nq + sizes.nv;
  Eigen::VectorXd Y = Eigen::VectorXd::Zero(form.size()), Ydot = Y, plus = Y, minus = Y, change = Y;
  Y.head(moving) = y_.head(moving);
  Ydot.head(moving) = ydot.head(moving);
  form.read_multipliers(Y.segment(moving, form.m()));
  const double c = 40, load = 1 + Y.segment(moving, form.m()).lpNorm<Eigen::Infinity>();
  const Eigen::VectorXd scales = equations_->calc_scales();
  for (int i = 0; i < form.size(); ++i) {
    const double scale = i < moving ? scales[i] : i < moving + form.m() ? load : 1e-3;
    change[i] = scale * std::sin(1.9 * i + 0.7);
  }
  ASSERT_TRUE(form.factor(0, Y, Ydot, c));
  const double e = 1e-5;
  ASSERT_EQ(form.calc(0, Y + e * change, Ydot + e * c * change, plus), Status::kOk);
  ASSERT_EQ(form.calc(0, Y - e * change, Ydot - e * c * change, minus), Status::kOk);
  Eigen::VectorXd back = (plus - minus) / (2 * e);
  form.solve(back);
  // truncation e^2 of third derivatives and rounding 1e-16 / e, over the condition; of that the 1e-8 of
  // redundant rows, which no motion feels, are no part
  const double redundant = equations_->find_dependent_rows().empty() ? 1 : 1e-8;
  const double allowed = std::max(2e-4, 1e-10 * redundant / form.calc_condition());
  ASSERT_LT(allowed, 0.02) << "too ill-conditioned to tell: " << form.calc_condition();
  for (int i = 0; i < moving; ++i)
    EXPECT_NEAR(back[i], change[i], allowed * tolerance_scale() * scales[i])
        << equations_->coordinate_names()[i];
}

INSTANTIATE_TEST_SUITE_P(Machines, EveryForm,
                         testing::Values(MachineCase{"x-hale", "free", "recursive", "lie"},
                                         MachineCase{"x-hale", "free", "absolute", "lie"},
                                         MachineCase{"x-hale", "free", "absolute", "quaternion"},
                                         MachineCase{"x-hale", "free", "absolute", "euler-xyz"},
                                         MachineCase{"andrews", "", "recursive", "lie"},
                                         MachineCase{"andrews", "", "absolute", "quaternion"},
                                         MachineCase{"cart-pole", "", "recursive", "lie"},
                                         MachineCase{"cart-pole", "", "absolute", "lie"},
                                         MachineCase{"heavy-top", "", "recursive", "lie"},
                                         MachineCase{"heavy-top", "", "absolute", "quaternion"},
                                         MachineCase{"rolling-disc", "", "recursive", "lie"},
                                         MachineCase{"rolling-disc", "", "absolute", "quaternion"},
                                         MachineCase{"kick-scooter", "straight", "recursive", "lie"},
                                         MachineCase{"kick-scooter", "straight", "absolute", "lie"},
                                         MachineCase{"falling-cat", "", "recursive", "lie"},
                                         MachineCase{"falling-cat", "", "absolute", "lie"}),
                         name_of);

// -- orders

/// Largest error at the end, against dop853: of positions, of velocities, of the method's own multipliers.
struct Errors {
  double position = 0, velocity = 0, lambda = 0;
};

/// A crank, a coupler on two ball joints, and a rocker whose axis is at right angles to that of the crank.
constexpr const char* kSpatialFourBar = R"(haltere: 1
name: spatial four-bar
gravity: [0, 0, -9.81]
bodies:
  crank: {mass: 1, center_of_mass: [0.1, 0, 0], inertia: [0.001, 0.004, 0.004]}
  coupler: {mass: 2, center_of_mass: [0.3, 0, 0], inertia: [0.002, 0.04, 0.04]}
  rocker: {mass: 1.5, center_of_mass: [0, 0, 0.15], inertia: [0.012, 0.012, 0.001]}
joints:
  ground_crank: {kind: revolute, child: crank, axis: z}
  ball: {kind: spherical, parent: crank, child: coupler, parent_frame: [0.2, 0, 0]}
  ground_rocker: {kind: revolute, child: rocker, parent_frame: [0.6, 0, 0], axis: x}
  other_ball: {kind: spherical, parent: coupler, child: rocker, parent_frame: [0.6, 0, 0], child_frame: [0, 0, 0.3]}
initial:
  ground_crank: {angle: 60 deg, rate: 1}
  ball: {orientation: {axis: y, angle: -30 deg}}
)";

Model read_machine(const MachineCase& setup) {
  if (std::string_view(setup.model) == "spatial-four-bar")
    return read_model_text(kSpatialFourBar, "four-bar.yaml");
  ReadOptions options;
  options.case_name = setup.case_name;
  return read_model(shipped_model(setup.model), options);
}

Errors calc_errors(const MachineCase& setup, const std::string& method, double h, double until) {
  const Model model = read_machine(setup);
  const auto equations = make_equations(setup.formulation, model, {.chart = setup.chart});
  const Eigen::VectorXd y0 = equations->calc_state(calc_start(model, model.calc_parameters()).scene);
  const Sizes sizes = equations->sizes();
  const auto run_to_end = [&](Integrator* integrator) {
    integrator->start(0, y0);
    while (integrator->t() < until) {
      const StepReport report = integrator->step(until);
      ASSERT_EQ(report.outcome, StepReport::Outcome::kOk) << report.message;
    }
  };
  const IntegratorInfo& info = *find_integrator(method);
  const auto rough =
      info.make(*equations, {.step = h, .until = until, .parameter = parse_parameter(method, info)});
  const auto fine = find_integrator("dop853")->make(*equations, {.tolerance = 1e-12, .until = until});
  run_to_end(rough.get());
  run_to_end(fine.get());
  const Eigen::VectorXd scales = equations->calc_scales();
  Errors errors;
  const Eigen::VectorXd e =
      (rough->y() - fine->y()).head(sizes.nq + sizes.nv).cwiseQuotient(scales.head(sizes.nq + sizes.nv));
  errors.position = e.head(sizes.nq).lpNorm<Eigen::Infinity>();
  errors.velocity = e.tail(sizes.nv).lpNorm<Eigen::Infinity>();
  if (sizes.na > 0) {
    Snapshot snapshot;
    EXPECT_EQ(equations->observe(until, fine->y(), &snapshot), Status::kOk);
    const Eigen::VectorXd& lambda = dynamic_cast<const AlphaMethod&>(*rough).lambda();
    errors.lambda = (lambda.head(snapshot.lambda.size()) - snapshot.lambda).lpNorm<Eigen::Infinity>();
  }
  return errors;
}

class EveryAlphaMethod : public testing::TestWithParam<std::string> {};

// Second order for positions, velocities and multipliers; damped methods, after 20 steps and more.
TEST_P(EveryAlphaMethod, IsOfSecondOrderOnConstrainedMachines) {
  for (const MachineCase& setup :
       {MachineCase{"heavy-top", "", "absolute", "lie"},
        MachineCase{"heavy-top", "", "absolute", "quaternion"},
        MachineCase{"x-hale", "free", "absolute", "lie"}, MachineCase{"x-hale", "free", "recursive", "lie"},
        MachineCase{"andrews", "", "recursive", "lie"},
        MachineCase{"spatial-four-bar", "", "recursive", "lie"},
        MachineCase{"spatial-four-bar", "", "absolute", "lie"},
        MachineCase{"spatial-four-bar", "", "absolute", "quaternion"}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", setup.model, setup.formulation, setup.chart));
    const std::string_view name = setup.model;
    const double h = name == "andrews" ? 2e-5 : name == "heavy-top" ? 5e-4 : name == "x-hale" ? 4e-3 : 2e-3;
    const double until = 160 * h;
    const Errors coarse = calc_errors(setup, GetParam(), h, until),
                 fine = calc_errors(setup, GetParam(), h / 2, until);
    // asymptotic to two tenths at these steps
    EXPECT_NEAR(std::log2(coarse.position / fine.position), 2, 0.25);
    EXPECT_NEAR(std::log2(coarse.velocity / fine.velocity), 2, 0.25);
    if (coarse.lambda > 0) {
      EXPECT_GT(std::log2(coarse.lambda / fine.lambda), 1.7);
    }
  }
}
// newmark without damping has no order in its multipliers, which ring
INSTANTIATE_TEST_SUITE_P(Methods, EveryAlphaMethod,
                         testing::Values("hht:0.1", "generalized-alpha:0.6", "generalized-alpha:0.8"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

// -- the X-HALE of the paper                    (source: paper, Newmark on the index-3 equations, h = 0.01 s)

MemorySink run_x_hale(const std::string& method, const std::string& formulation, const std::string& chart,
                      double until, const char* case_name = "free") {
  ReadOptions read;
  read.case_name = case_name;
  const Model model = read_model(shipped_model("x-hale"), read);
  Settings settings;
  settings.integrator = method;
  settings.formulation = formulation;
  settings.chart = chart;
  settings.step = 0.01;
  settings.every = 0.1;
  settings.until = until;
  MemorySink sink;
  run(model, make_run_options(model, settings), {&sink});
  return sink;
}

// the paper: explodes at about 5 s; an independent program: 4.6 to 4.8 s
TEST(ClassicNewmark, RingsOnConstraintsUntilItDiverges) {
  const MemorySink sink = run_x_hale("newmark", "absolute", "quaternion", 10);
  EXPECT_EQ(sink.summary().outcome, RunSummary::Outcome::kFailed);
  EXPECT_GT(sink.summary().t, 4.5);
  EXPECT_LT(sink.summary().t, 5);
  EXPECT_THAT(sink.summary().message, HasSubstr("Newton's iteration does not converge"));
  EXPECT_THAT(sink.summary().message, HasSubstr("the worst row is"));
}

TEST(ClassicNewmark, ChoosesNoStepsWhereConstraintsRing) {
  const Model model = read_model(shipped_model("four-bar"));
  Settings settings;
  settings.integrator = "newmark";
  settings.tolerance = 1e-6;
  MemorySink sink;
  run(model, make_run_options(model, settings), {&sink});
  EXPECT_EQ(sink.summary().outcome, RunSummary::Outcome::kFailed);
  EXPECT_THAT(sink.summary().message, HasSubstr("a parameter that damps"));
}

TEST(ClassicNewmark, HasNothingToRingInJointCoordinates) {
  const MemorySink sink = run_x_hale("newmark", "recursive", "lie", 30);
  EXPECT_EQ(sink.summary().outcome, RunSummary::Outcome::kFinished) << sink.summary().message;
}

// 65.3 J -> about 57 J in 30 s with alpha = 0.015; generalised-alpha keeps it
TEST(NumericalDamping, LosesTheEnergyThatThePaperSays) {
  const auto last = [](const MemorySink& sink) { return sink.value(sink.rows() - 1, "energy.total"); };
  EXPECT_NEAR(last(run_x_hale("newmark:0.015", "absolute", "lie", 30, "free-undamped")), 57, 1.5);
  EXPECT_NEAR(last(run_x_hale("generalized-alpha:0.9", "absolute", "lie", 30, "free-undamped")), 65.299, 0.4);
}

// A spring a million times stiffer than the others costs no more steps, and no accuracy of the slow motion.
TEST(StiffSprings, AreTakenInTheSameSteps) {
  const auto run_with = [](double stiffness) {
    const Model model = read_model_text(fmt::format(R"(haltere: 1
gravity: [0, 0, -9.81]
bodies:
  a: {{mass: 1, center_of_mass: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}
  b: {{mass: 1, center_of_mass: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}
joints:
  slow: {{kind: revolute, child: a, axis: y}}
  fast: {{kind: revolute, parent: a, child: b, parent_frame: [1, 0, 0], axis: y}}
forces:
  soft: {{kind: rotary-spring, joint: slow, stiffness: 10 N*m/rad}}
  hard: {{kind: rotary-spring, joint: fast, stiffness: {} N*m/rad}}
)",
                                                    stiffness),
                                        "stiff.yaml");
    Settings settings;
    settings.integrator = "generalized-alpha:0.5";
    settings.step = 0.005;
    settings.until = 3;
    MemorySink sink;
    run(model, make_run_options(model, settings), {&sink});
    EXPECT_EQ(sink.summary().outcome, RunSummary::Outcome::kFinished) << sink.summary().message;
    return sink;
  };
  const MemorySink stiff = run_with(1e7), stiffer = run_with(1e9);
  EXPECT_EQ(stiff.summary().steps, 600);
  // both are a rigid arm to 1e-5 rad; the stiff spring's own oscillation is damped away
  EXPECT_NEAR(stiff.value(stiff.rows() - 1, "joint.slow.angle"),
              stiffer.value(stiffer.rows() - 1, "joint.slow.angle"), 1e-4);
}

/// Velocity rows stand at index 2, the others at index 3: all is of second order, loads too. (source:
/// analytic)
TEST(NonholonomicRows, AreTakenToSecondOrder) {
  const Model model = read_model(shipped_model("rolling-disc"));
  const MethodComparison comparison(model, 2, 0.02);
  for (const char* formulation : {"recursive", "absolute"})
    for (const char* integrator : {"newmark", "hht", "generalized-alpha"}) {
      SCOPED_TRACE(fmt::format("{} {}", formulation, integrator));
      Trial trial{.formulation = formulation, .integrator = integrator, .step = 4e-3};
      const TrialErrors coarse = comparison.run(trial).errors;
      trial.step = 2e-3;
      const TrialErrors fine = comparison.run(trial).errors;
      EXPECT_NEAR(calc_order(coarse.position, fine.position), 2, 0.2);
      EXPECT_NEAR(calc_order(coarse.velocity, fine.velocity), 2, 0.2);
      EXPECT_NEAR(calc_order(coarse.load, fine.load), 2, 0.3);
    }
}

/// Backward differences on trees, loops, dependent rows and wheels.  (source: self, dop853 at 1e-12 in
/// `recursive`, which other tests compare with independent numbers)
TEST(IdaBdf, AgreesOnConstrainedMachines) {
  struct Pair {
    const char* model;
    double until;
  };
  for (const auto& [name, until] : {Pair{"heavy-top", 0.05}, Pair{"four-bar", 0.4}, Pair{"bricard", 0.4},
                                    Pair{"rolling-disc", 1}, Pair{"cart-pole", 1}}) {
    const Model model = read_model(shipped_model(name));
    const MethodComparison comparison(model, until, until / 20);
    for (const char* formulation : {"recursive", "absolute"})
      for (const char* chart : {"lie", "quaternion"}) {
        if (std::string(formulation) == "recursive" && std::string(chart) != "lie") continue;
        SCOPED_TRACE(fmt::format("{} {} {}", name, formulation, chart));
        const TrialResult result = comparison.run(
            {.formulation = formulation, .chart = chart, .integrator = "ida-bdf", .tolerance = 1e-8});
        ASSERT_EQ(result.summary.outcome, RunSummary::Outcome::kFinished) << result.summary.message;
        // solver: local errors of 1e-8 over some hundred steps; constraints within the corrector's third of
        // it
        EXPECT_LT(result.errors.position, 2e-5);
        EXPECT_LT(result.drift, 1e-6);
        EXPECT_LT(result.summary.steps, 2000);
      }
  }
}

/// Steps that the method chooses follow the motion: each decade of tolerance gives 2/3 of a decade of error.
/// (source: analytic; the error of a step goes with h^3, that of the motion with h^2)
TEST(ChosenSteps, FollowTheTolerance) {
  const Model model = read_model(shipped_model("heavy-top"));
  const auto run_with = [&](const std::string& integrator, const std::string& formulation, double tolerance) {
    Settings settings;
    settings.integrator = integrator;
    settings.formulation = formulation;
    settings.tolerance = tolerance;
    settings.until = settings.every = 0.5;
    MemorySink sink;
    run(model, make_run_options(model, settings), {&sink});
    EXPECT_EQ(sink.summary().outcome, RunSummary::Outcome::kFinished) << sink.summary().message;
    return sink;
  };
  const MemorySink exact = run_with("dop853", "recursive", 1e-12);
  const auto calc_error = [&](const MemorySink& sink) {
    double error = 0;
    for (const char* channel : {"system.com.x", "system.com.y", "system.com.z"})
      error = std::max(
          error, std::abs(sink.value(sink.rows() - 1, channel) - exact.value(exact.rows() - 1, channel)));
    return error;
  };
  for (const char* integrator : {"hht", "generalized-alpha:0.6"})
    for (const char* formulation : {"recursive", "absolute"}) {
      SCOPED_TRACE(fmt::format("{} {}", integrator, formulation));
      const MemorySink coarse = run_with(integrator, formulation, 1e-7),
                       fine = run_with(integrator, formulation, 1e-10);
      EXPECT_NEAR(std::log10(calc_error(coarse) / calc_error(fine)), 2, 0.4);
      EXPECT_NEAR(static_cast<double>(fine.summary().steps) / coarse.summary().steps, 10, 2);
    }
}

TEST(IntegratorParameters, AreChecked) {
  EXPECT_EQ(parse_parameter("newmark:0.015", *find_integrator("newmark")), 0.015);
  EXPECT_EQ(parse_parameter("newmark", *find_integrator("newmark")), 0);
  for (const char* wrong : {"newmark:", "newmark:x", "newmark:-1", "newmark:0.1x", "rk4:1", "hht:0.5"})
    EXPECT_EQ(find_integrator(wrong), nullptr) << wrong;
}

}  // namespace
}  // namespace haltere
