#include <algorithm>

#include <fmt/format.h>

#include "haltere/model/renumbering.h"

namespace haltere {
namespace {

constexpr int kNone = -1;

/// Joints of the file, seen from the bodies. A reference that the reader could not resolve has index -1 and
/// has been reported there; it is passed over here.
class Graph {
 public:
  Graph(const Model& model, std::vector<Problem>* problems)
      : model_(model),
        problems_(problems),
        n_problems_(problems->size()),
        joint_of_(model.bodies.size(), kNone),
        placed_(model.bodies.size(), false) {
    for (std::size_t j = 0; j < model.joints.size(); ++j) add_joint(static_cast<int>(j));
    report_bodies_without_joint();
    if (is_tree() && !reaches_all()) grow_from_world();
  }

  /// Bodies in tree order, the world first; in the order of the file wherever a parent comes before its
  /// children.
  std::vector<int> calc_order() {
    std::vector<int> order{0};
    placed_[0] = true;
    for (std::size_t body = 1; body < placed_.size(); ++body) place(static_cast<int>(body), &order);
    return order;
  }

  int joint_of(int body) const { return joint_of_[body]; }
  bool is_tree() const { return complete_ && problems_->size() == n_problems_; }

 private:
  bool is_body(BodyIndex body) const {
    return body.value >= 0 && body.value < static_cast<int>(model_.bodies.size());
  }
  const std::string& body_name(int body) const { return model_.bodies[body].name; }
  void report(const JointSpec& joint, std::string message, std::string hint) {
    problems_->push_back(
        {joint.entry.mark, fmt::format("joint '{}'", joint.name()), std::move(message), std::move(hint)});
  }

  void add_joint(int j) {
    const JointSpec& joint = model_.joints[j];
    if (!is_body(joint.parent) || !is_body(joint.child)) {
      complete_ = false;
      return;
    }
    const int child = joint.child.value;
    if (child == 0) {
      report(joint, "its child is the world, which does not move", "swap parent and child");
    } else if (joint.parent == joint.child && joint_of_[child] == kNone) {
      report(joint, fmt::format("parent and child are both '{}'", body_name(child)), "name two bodies");
      joint_of_[child] = j;
    } else if (joint_of_[child] == kNone) {
      joint_of_[child] = j;  // a later one closes a loop
    }
  }

  /// Whether every body hangs on the world by the joints chosen so far.
  bool reaches_all() const {
    const std::size_t n = joint_of_.size();
    std::vector<int> state(n, 0);  // 0 unseen, 1 on the way, 2 hangs on the world
    state[0] = 2;
    for (std::size_t body = 1; body < n; ++body) {
      int b = static_cast<int>(body);
      for (; state[b] == 0; b = model_.joints[joint_of_[b]].parent.value) state[b] = 1;
      if (state[b] == 1) return false;
      for (b = static_cast<int>(body); state[b] == 1; b = model_.joints[joint_of_[b]].parent.value)
        state[b] = 2;
    }
    return true;
  }

  /// The joints nearest to the world, where the first ones of the file hang on each other.
  void grow_from_world() {
    std::vector<int> chosen(joint_of_.size(), kNone), reached{0};
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (std::size_t j = 0; j < model_.joints.size(); ++j) {
        const JointSpec& joint = model_.joints[j];
        if (joint.parent.value != reached[i] || joint.child.value == 0 || chosen[joint.child.value] != kNone)
          continue;
        chosen[joint.child.value] = static_cast<int>(j);
        reached.push_back(joint.child.value);
      }
    if (reached.size() == joint_of_.size()) joint_of_ = chosen;  // else the cycle is reported
  }

  void report_bodies_without_joint() {
    if (!complete_) return;  // the joint may be one of those that are not understood
    for (std::size_t b = 1; b < joint_of_.size(); ++b)
      if (joint_of_[b] == kNone)
        problems_->push_back({model_.bodies[b].mark, fmt::format("body '{}'", model_.bodies[b].name),
                              "no joint has it as its child", "add one, of kind 'free' if nothing holds it"});
  }

  /// Appends the body after all of its ancestors that are not there yet.
  void place(int body, std::vector<int>* order) {
    if (placed_[body]) return;
    path_.clear();
    for (int b = body; !placed_[b]; b = model_.joints[joint_of_[b]].parent.value) {
      placed_[b] = true;  // meeting it again on this path closes a cycle
      path_.push_back(b);
      if (joint_of_[b] < 0) break;
    }
    const int top = joint_of_[path_.back()];
    if (top >= 0) report_cycle(model_.joints[top].parent.value);
    order->insert(order->end(), path_.rbegin(), path_.rend());
  }

  /// `meeting`: the placed body at which the path upwards ended; no cycle if it was placed before.
  void report_cycle(int meeting) {
    const auto first = std::find(path_.begin(), path_.end(), meeting);
    if (first == path_.end() || path_.end() - first == 1) return;  // a joint of one body is reported already
    constexpr int kShown = 8;
    std::string names;
    const int n = static_cast<int>(path_.end() - first);
    for (int i = 0; i < n && i < kShown; ++i)
      names += fmt::format("{}'{}'", i == 0 ? "" : ", ", body_name(*(first + i)));
    if (n > kShown) names += fmt::format(" and {} more", n - kShown);
    const BodySpec& body = model_.bodies[meeting];
    problems_->push_back({body.mark, fmt::format("body '{}'", body.name),
                          fmt::format("the bodies {} hang on each other in a cycle", names),
                          "let one of them hang on the world"});
  }

  const Model& model_;
  std::vector<Problem>* problems_;
  const std::size_t n_problems_;  // before ours
  std::vector<int> joint_of_;     // joint whose child a body is, or kNone
  std::vector<bool> placed_;
  std::vector<int> path_;  // of the body being placed, upwards
  bool complete_ = true;   // every joint names two bodies
};

/// Old number -> new number, for the order `order`.
std::vector<int> calc_inverse(const std::vector<int>& order) {
  std::vector<int> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<int>(i);
  return inverse;
}

template <class Item>
void permute(const std::vector<int>& order, std::vector<Item>* items) {
  std::vector<Item> sorted;
  sorted.reserve(items->size());
  for (const int i : order) sorted.push_back(std::move((*items)[i]));
  *items = std::move(sorted);
}

/// The joints that are not in the list close loops, and follow.
void add_loops(const Model& model, std::vector<int>* joints, std::vector<Problem>* problems) {
  std::vector<bool> in_tree(model.joints.size(), false);
  for (const int j : *joints) in_tree[j] = true;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (in_tree[j]) continue;
    joints->push_back(static_cast<int>(j));
    const JointSpec& joint = model.joints[j];
    if (joint.locked)
      problems->push_back({joint.entry.mark, fmt::format("joint '{}'", joint.name()),
                           "locked: this joint closes a loop: where it starts follows from the others",
                           "lock it by an event at 0 s, or put it before the other one that moves the same "
                           "body"});
    if (joint.initial_mark.line > 0)
      problems->push_back({joint.initial_mark, fmt::format("initial of joint '{}'", joint.name()),
                           "this joint closes a loop: its position follows from those of the others",
                           "leave it out, or put this joint before the other one that moves the same body"});
  }
}

}  // namespace

void sort_tree(Model* model, std::vector<Problem>* problems) {
  Graph graph(*model, problems);
  const std::vector<int> bodies = graph.calc_order();
  if (!graph.is_tree()) return;
  std::vector<int> joints;
  for (std::size_t k = 1; k < bodies.size(); ++k) joints.push_back(graph.joint_of(bodies[k]));
  add_loops(*model, &joints, problems);

  const Renumbering renumbering{calc_inverse(bodies), calc_inverse(joints)};
  permute(bodies, &model->bodies);
  permute(joints, &model->joints);
  renumbering.apply(model);
}

}  // namespace haltere
