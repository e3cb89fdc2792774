#include "peers/machine.h"

#include <cmath>
#include <random>

#include <fmt/format.h>

namespace haltere::bench {
namespace {

/// The generator of the standard gives the same bits everywhere, its distributions do not.
class Random {
 public:
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(generator_() >> 11) * 0x1p-53;
  }
  Triple triple(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Triple direction() { return normalized(triple(1)); }
  Quaternion rotation() {
    return normalized(Quaternion{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
  }

 private:
  template <class V>
  static V normalized(V x) {
    double square = 0;
    for (const double c : x) square += c * c;
    for (double& c : x) c /= std::sqrt(square);
    return x;
  }
  std::mt19937_64 generator_{20231105};
};

Link make_link(int parent, Random* random) {
  Link link;
  link.parent = parent;
  link.position = random->triple(0.3);
  link.rotation = random->rotation();
  link.axis = random->direction();
  link.mass = random->uniform(0.5, 3);
  link.center_of_mass = random->triple(0.15);
  // each moment is the sum of two second moments: no body violates the triangle inequality
  const Triple second = {random->uniform(0.005, 0.02), random->uniform(0.005, 0.02),
                         random->uniform(0.005, 0.02)};
  link.moments = {link.mass * (second[1] + second[2]), link.mass * (second[2] + second[0]),
                  link.mass * (second[0] + second[1])};
  link.principal = random->rotation();
  return link;
}

/// A row of n links from `parent` on; the last of them.
int add_limb(int parent, int n, Random* random, Machine* machine) {
  for (int i = 0; i < n; ++i) {
    machine->links.push_back(make_link(parent, random));
    parent = static_cast<int>(machine->links.size()) - 1;
  }
  return parent;
}

Machine make_humanoid(Random* random) {
  Machine machine;
  machine.name = "humanoid";
  Link base = make_link(-1, random);
  base.floating = true;
  base.position = {};
  base.rotation = {1, 0, 0, 0};
  machine.links.push_back(base);
  const int torso = add_limb(0, 3, random, &machine);
  add_limb(torso, 3, random, &machine);                              // neck
  for (int i = 0; i < 2; ++i) add_limb(torso, 6, random, &machine);  // arms
  for (int i = 0; i < 2; ++i) add_limb(0, 6, random, &machine);      // legs
  return machine;
}

Machine make_row(const char* name, int n, Random* random) {
  Machine machine;
  machine.name = name;
  add_limb(-1, n, random, &machine);
  return machine;
}

/// The tree of models/hawkmoth with four sections a wing. Bodies between twist and bending have a little mass
/// here: nobody else takes bodies without.
Machine make_hawkmoth() {
  constexpr double kLength = 0.0175, kChord = 0.0315, kThickness = 1e-4, kDensity = 1400;
  Machine machine;
  machine.name = "hawkmoth";
  Link thorax;
  thorax.floating = true;
  thorax.rotation = thorax.principal = {1, 0, 0, 0};
  thorax.mass = 6.779e-3;
  thorax.moments = {1.161e-6, 1.161e-6, 1.96e-7};
  machine.links.push_back(thorax);
  for (const double side : {1.0, -1.0}) {
    int parent = 0;
    for (int j = 0; j < 8; ++j) {
      const bool blade = j % 2 == 1, twist = !blade && j > 0;
      const double x = j / 2 / 4.0, chord = kChord * std::sqrt(1 - x * x);
      Link link;
      link.parent = parent;
      link.rotation = link.principal = {1, 0, 0, 0};
      link.axis = twist ? Triple{side, 0, 0} : Triple{0, 0, 1};
      link.position = {blade ? 0 : side * (j == 0 ? 0.0182 : kLength), 0, 0};
      link.mass = blade ? kDensity * kLength * chord * kThickness : 1e-5;
      link.center_of_mass = {blade ? side * kLength / 2 : 0, 0, blade ? -chord / 2 : 0};
      const double m = link.mass / 12;
      const double c2 = chord * chord, l2 = kLength * kLength, e2 = kThickness * kThickness;
      link.moments = blade ? Triple{m * (c2 + e2), m * (l2 + c2), m * (l2 + e2)} : Triple{1e-9, 1e-9, 1e-9};
      machine.links.push_back(link);
      parent = static_cast<int>(machine.links.size()) - 1;
    }
  }
  return machine;
}

template <std::size_t n>
std::string list(const std::array<double, n>& x, const char* separator) {
  std::string text;
  for (const double c : x) text += fmt::format("{}{:.17g}", text.empty() ? "" : separator, c);
  return text;
}

/// Elements xx, yy, zz, xy, xz, yz of R diag(moments) R^T.
std::array<double, 6> calc_inertia(const Link& link) {
  const std::array<Triple, 3> R = rotation_matrix(link.principal);
  const auto element = [&](int i, int j) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += R[i][k] * link.moments[k] * R[j][k];
    return sum;
  };
  return {element(0, 0), element(1, 1), element(2, 2), element(0, 1), element(0, 2), element(1, 2)};
}

/// Body i into file f, its children inside it. MuJoCo's XML reader gives up below 100 levels: a long chain
/// goes on in another file.
void write_mjcf_body(const Machine& machine, int i, int depth, std::size_t f, std::vector<TextFile>* files) {
  constexpr int kDeepest = 60;
  if (depth > kDeepest) {
    const std::string name = fmt::format("part{}.xml", files->size());
    (*files)[f].text += fmt::format("<include file='{}'/>\n", name);
    f = files->size();
    files->push_back({name, "<mujocoinclude>\n"});
    write_mjcf_body(machine, i, 0, f, files);
    (*files)[f].text += "</mujocoinclude>\n";
    return;
  }
  const Link& link = machine.links[i];
  (*files)[f].text += fmt::format("<body name='link{}' pos='{}' quat='{}'>\n", i, list(link.position, " "),
                                  list(link.rotation, " "));
  (*files)[f].text += fmt::format("<inertial pos='{}' quat='{}' mass='{:.17g}' diaginertia='{}'/>\n",
                                  list(link.center_of_mass, " "), list(link.principal, " "), link.mass,
                                  list(link.moments, " "));
  (*files)[f].text += link.floating ? "<freejoint/>\n"
                                    : fmt::format("<joint type='hinge' axis='{}'/>\n", list(link.axis, " "));
  for (int k = i + 1; k < static_cast<int>(machine.links.size()); ++k)
    if (machine.links[k].parent == i) write_mjcf_body(machine, k, depth + 1, f, files);
  (*files)[f].text += "</body>\n";
}

}  // namespace

std::vector<Machine> make_machines() {
  Random random;
  return {make_humanoid(&random), make_row("arm", 7, &random), make_row("chain", 100, &random),
          make_hawkmoth()};
}

std::vector<MachineState> make_states(const Machine& machine, int count) {
  Random random;
  std::vector<MachineState> states(count);
  for (MachineState& state : states)
    for (const Link& link : machine.links) {
      if (link.floating) {
        for (const double c : random.rotation()) state.q.push_back(c);
        for (const double c : random.triple(1)) state.q.push_back(c);
        for (int i = 0; i < 6; ++i) state.v.push_back(random.uniform(-1, 1));
        state.tau.assign(6, 0);
      } else {
        state.q.push_back(random.uniform(-3, 3));
        state.v.push_back(random.uniform(-1, 1));
        state.tau.push_back(random.uniform(-1, 1));
      }
    }
  return states;
}

std::string write_haltere(const Machine& machine, const std::vector<double>* driven) {
  std::string text = fmt::format("haltere: 1\nname: {}\ngravity: [{}]\nbodies:\n", machine.name,
                                 list(machine.gravity, ", "));
  for (std::size_t i = 0; i < machine.links.size(); ++i) {
    const Link& link = machine.links[i];
    const std::array<double, 6> I = calc_inertia(link);
    text += fmt::format("  link{}:\n    mass: {:.17g}\n    center_of_mass: [{}]\n", i, link.mass,
                        list(link.center_of_mass, ", "));
    text += fmt::format(
        "    inertia: {{xx: {:.17g}, yy: {:.17g}, zz: {:.17g}, xy: {:.17g}, xz: {:.17g}, yz: {:.17g}}}\n",
        I[0], I[1], I[2], I[3], I[4], I[5]);
  }
  text += "joints:\n";
  int v = 0;
  for (std::size_t i = 0; i < machine.links.size(); ++i) {
    const Link& link = machine.links[i];
    text += fmt::format("  joint{}:\n    kind: {}\n    child: link{}\n", i,
                        link.floating ? "free" : "revolute", i);
    if (link.parent >= 0) text += fmt::format("    parent: link{}\n", link.parent);
    text += fmt::format("    parent_frame: {{position: [{}], rotation: {{quaternion: [{}]}}}}\n",
                        list(link.position, ", "), list(link.rotation, ", "));
    if (!link.floating) text += fmt::format("    axis: [{}]\n", list(link.axis, ", "));
    if (!link.floating && driven != nullptr) text += fmt::format("    driven: {:.17g}\n", (*driven)[v]);
    v += link.floating ? 6 : 1;
  }
  return text + "simulation: {until: 1}\n";
}

std::vector<TextFile> write_mjcf(const Machine& machine) {
  std::vector<TextFile> files{{"machine.xml", {}}};
  files[0].text = fmt::format(
      "<mujoco model='{}'>\n<compiler angle='radian' inertiafromgeom='false'/>\n<option gravity='{}'>\n"
      "<flag constraint='disable' contact='disable' equality='disable' frictionloss='disable' "
      "limit='disable' "
      "actuation='disable' sensor='disable' energy='disable' warmstart='disable'/>\n</option>\n<worldbody>\n",
      machine.name, list(machine.gravity, " "));
  for (int i = 0; i < static_cast<int>(machine.links.size()); ++i)
    if (machine.links[i].parent < 0) write_mjcf_body(machine, i, 0, 0, &files);
  files[0].text += "</worldbody>\n</mujoco>\n";
  return files;
}

std::array<Triple, 3> rotation_matrix(const Quaternion& q) {
  const auto [w, x, y, z] = q;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

Triple rotate(const Quaternion& q, const Triple& x) {
  const std::array<Triple, 3> R = rotation_matrix(q);
  Triple y{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) y[i] += R[i][j] * x[j];
  return y;
}

Triple rotate_back(const Quaternion& q, const Triple& x) {
  return rotate({q[0], -q[1], -q[2], -q[3]}, x);
}

Triple cross(const Triple& a, const Triple& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace haltere::bench
