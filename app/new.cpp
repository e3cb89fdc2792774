#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "app/shell.h"
#include "app/verbs.h"

#include "haltere/model/wrong_input.h"

namespace haltere {
namespace fs = std::filesystem;
namespace {

constexpr const char* kStarterModel =
    R"(# A pendulum with a motor, to start from. Check it with `haltere check {name}`, run it with `haltere run {name}`.
# Plain numbers are SI; a quantity may carry a unit, which is checked: 2.5 mg, 5 deg, 100 N*m/rad.
haltere: 1
name: {name}

# Names for numbers; formulas may use them, and `--set length=1.2` changes them.
parameters:
  length: 0.8 m
  torque: 0.5 N*m
  omega: 3 rad/s

gravity: [0, 0, -9.81]   # z is up

# A body has a frame; its origin is where its joint is, unless the joint says otherwise.
bodies:
  arm:
    mass: 1.2 kg
    center_of_mass: [0, 0, -length/2]
    inertia: {{kind: rod, length: length, axis: z}}

# Every body hangs on one joint; the parent is the world where none is named. `haltere list joints` shows all kinds.
joints:
  pivot:
    kind: revolute
    child: arm
    axis: y

# `haltere list forces` shows all kinds.
forces:
  friction: {{kind: rotary-spring, joint: pivot, damping: 0.02 N*m*s/rad}}
  motor: {{kind: applied-torque, body: arm, torque: [0, torque*sin(omega*t), 0]}}

initial:
  pivot: 30 deg

simulation:
  until: 10 s

# Variations of the model: `haltere run {name} --case free`.
cases:
  free:
    parameters: {{torque: 0 N*m}}
)";

constexpr const char* kStarterReadme = R"(# {name}

What it shows, its equations, where its numbers come from, and what to try.

    haltere check {name}
    haltere run {name}
    haltere plot results/{name} 'joint.*.angle' -o angle.svg
)";

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw wrong_input(file.string(), "cannot be written");
}

int make_model_folder(const std::string& name) {
  const fs::path folder(name);
  std::error_code error;
  if (fs::exists(folder, error)) throw wrong_input(name, "is there already");
  if (!fs::create_directories(folder, error)) throw wrong_input(name, "cannot be made: " + error.message());
  const std::string label = fs::absolute(folder).lexically_normal().filename().string();
  write_text(folder / "model.yaml", fmt::format(fmt::runtime(kStarterModel), fmt::arg("name", label)));
  write_text(folder / "README.md", fmt::format(fmt::runtime(kStarterReadme), fmt::arg("name", label)));
  fmt::print(stderr, "wrote {0}/model.yaml and {0}/README.md; next: haltere run {1}\n", name,
             quote_for_shell(name));
  return kSuccess;
}

}  // namespace

void add_new(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("new", "write a commented model to start from");
  const auto name = std::make_shared<std::string>();
  verb->add_option("NAME", *name, "folder to make")->required();
  verb->footer("Example:\n  haltere new my-machine && haltere run my-machine");
  verb->callback([=] { *action = [=] { return make_model_folder(*name); }; });
}

}  // namespace haltere
