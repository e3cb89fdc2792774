#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formulations_of.h"

#include "haltere/dynamics/equations.h"
#include "haltere/io/model/model_reader.h"

/// Accelerations of small trees, published with the tests of RBDL (source: peer; digits as printed there, 15
/// of them): unit masses, unit inertias about the centre of mass, gravity (0, -9.81, 0), everything at rest.
namespace haltere {
namespace {

struct Link {
  std::string parent, joint_position, axis, center_of_mass;
};

std::string tree_text(const std::vector<Link>& links) {
  std::string text = "haltere: 1\nname: tree\ngravity: [0, -9.81, 0]\nbodies:\n";
  for (std::size_t i = 0; i < links.size(); ++i)
    text += fmt::format("  b{}: {{mass: 1, center_of_mass: {}, inertia: [1, 1, 1]}}\n", i + 1,
                        links[i].center_of_mass);
  text += "joints:\n";
  for (std::size_t i = 0; i < links.size(); ++i)
    text +=
        fmt::format("  j{0}: {{kind: revolute, parent: {1}, child: b{0}, parent_frame: {2}, axis: {3}}}\n",
                    i + 1, links[i].parent, links[i].joint_position, links[i].axis);
  return text;
}

/// Accelerations at the model's initial state, in every formulation.
void expect_accelerations(const std::string& text, const std::vector<double>& expected) {
  const Model model = read_model_text(text, "tree.yaml", {});
  for (const FormulationInfo& formulation : general_formulations()) {
    const std::unique_ptr<Equations> equations = make_equations(formulation.name, model);
    Snapshot snapshot;
    ASSERT_EQ(equations->observe(0, equations->calc_initial_state(), &snapshot), Status::kOk);
    ASSERT_EQ(snapshot.vdot.size(), static_cast<int>(expected.size()));
    // the digits that are printed: 1e-14 of values up to 6
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(snapshot.vdot[static_cast<int>(i)], expected[i], 5e-14)
          << formulation.name << ", joint " << i + 1;
  }
}

const Link kRoot{"world", "[0, 0, 0]", "z", "[1, 0, 0]"};

TEST(PublishedTrees, SingleChain) {
  expect_accelerations(tree_text({kRoot}), {-4.905});
}

TEST(PublishedTrees, SpatialInertia) {
  expect_accelerations(
      "haltere: 1\nname: tree\ngravity: [0, -9.81, 0]\n"
      "bodies: {b1: {mass: 1, center_of_mass: [1.5, 1, 1], inertia: [1, 2, 3]}}\n"
      "joints: {j1: {kind: revolute, child: b1, axis: z}}\n",
      {-2.3544});
}

TEST(PublishedTrees, DoubleChain) {
  expect_accelerations(tree_text({kRoot, {"b1", "[1, 0, 0]", "z", "[1, 0, 0]"}}), {-5.886, 3.924});
}

TEST(PublishedTrees, TripleChain) {
  expect_accelerations(
      tree_text({kRoot, {"b1", "[1, 0, 0]", "z", "[1, 0, 0]"}, {"b2", "[1, 0, 0]", "z", "[1, 0, 0]"}}),
      {-6.03692307692308, 3.77307692307692, 1.50923076923077});
}

TEST(PublishedTrees, DoubleChainInSpace) {
  expect_accelerations(tree_text({kRoot, {"b1", "[1, 0, 0]", "y", "[0, 1, 0]"}}), {-3.924, 0});
}

TEST(PublishedTrees, TreeInSpace) {
  expect_accelerations(
      tree_text({kRoot,
                 {"b1", "[1, 0, 0]", "y", "[0, 1, 0]"},
                 {"b2", "[0, 1, 0]", "x", "[0, 0, 1]"},
                 {"b1", "[-0.5, 0, 0]", "y", "[0, 1, 0]"},
                 {"b4", "[0, -0.5, 0]", "x", "[0, 0, 1]"}}),
      {-1.6031906614786, -0.534396887159533, 4.1034046692607, 0.267198443579767, 5.30579766536965});
}

TEST(PublishedTrees, ThreeJointsThroughMasslessBodies) {
  expect_accelerations(
      "haltere: 1\nname: tree\ngravity: [0, -9.81, 0]\n"
      "bodies: {b1: {}, b2: {}, b3: {mass: 1, center_of_mass: [0, 0.5, 0], inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  j1: {kind: revolute, child: b1, axis: z}\n"
      "  j2: {kind: revolute, parent: b1, child: b2, axis: y}\n"
      "  j3: {kind: revolute, parent: b2, child: b3, axis: x}\n"
      "initial: {j1: 1}\n",
      {3.301932144386186, 0, 0});
}

}  // namespace
}  // namespace haltere
