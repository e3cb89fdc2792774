#include "haltere/dynamics/past.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

namespace haltere {
namespace {

constexpr double kNoBreak = std::numeric_limits<double>::infinity();
// how often something that is not smooth comes back before it is smooth enough: a jump of the input is one of the second
// derivative of what integrates it, three delays later of the fifth
constexpr int kLevels = 3;
// delays whose combinations are looked at; of more, only each with itself
constexpr std::size_t kCombined = 3;

}  // namespace

Past::Past(const Model& model) {
  for (std::size_t i = 0; i < model.states.size(); ++i)
    if (model.states[i].is_delay()) places_.push_back(static_cast<int>(i));
  laws_.resize(places_.size());
  first_.assign(laws_.size(), 0);
  set_degree(3);
}

void Past::set_degree(int degree) {
  degree_ = std::max(degree, 3);
  nodes_.resize(degree_ + 1);
  for (int j = 0; j <= degree_; ++j) nodes_[j] = (1 - std::cos(std::numbers::pi * j / degree_)) / 2;
  nodes_.back() = 1;
}

void Past::set_machine(const Machine<double>& machine) {
  const Resolver<double> resolver{machine.parameters.data()};
  for (std::size_t k = 0; k < laws_.size(); ++k) {
    const StateSpec& spec = machine.model.states[places_[k]];
    const double time = resolver.calc(*spec.at(StateKey::kTime));
    if (begun_ && time > longest_)
      throw RunError(
          fmt::format("state '{}' ({}:{}): its delay becomes {:.6g} s, and only {:.6g} s of the past are "
                      "remembered\n  try: begin with "
                      "the longest delay",
                      spec.name, spec.mark.file, spec.mark.line, time, longest_));
    laws_[k].time = time;
    if (!begun_) longest_ = std::max(longest_, time);
    laws_[k].is_given = spec.at(StateKey::kBefore).has_value();
    if (laws_[k].is_given) laws_[k].before = resolver.calc(*spec.at(StateKey::kBefore));
  }
}

double Past::shortest() const {
  double time = kNoBreak;
  for (const Law& law : laws_) time = std::min(time, law.time);
  return time;
}

void Past::start(double t, const std::vector<double>& inputs) {
  begun_ = true;
  first_ = inputs;
  pieces_.clear();
  breaks_.clear();
  step_start_ = t;
}

double Past::calc(int delay, double t) const {
  const Law& law = laws_[delay];
  const bool begins = t <= step_start_;
  // the first piece that does not end before t: where two meet, the one that belongs to the present step
  const auto piece = std::partition_point(pieces_.begin(), pieces_.end(), [&](const Piece& p) {
    const double end = p.t1 + law.time;
    return begins ? end <= t : end < t;
  });
  const bool is_before =
      pieces_.empty() ||
      (piece == pieces_.begin() && (t < piece->t0 + law.time || (t == piece->t0 + law.time && !begins)));
  if (is_before) return law.is_given ? law.before : first_[delay];
  // a guess beyond the end of the step, as for the length of the first one: what is known last
  if (piece == pieces_.end()) return interpolate(pieces_.back(), delay, pieces_.back().t1);
  return interpolate(*piece, delay, t - law.time);
}

/// The barycentric formula for Chebyshev points.
double Past::interpolate(const Piece& piece, int delay, double t) const {
  const double x = (t - piece.t0) / (piece.t1 - piece.t0);
  const std::size_t n = laws_.size();
  double above = 0, below = 0;
  for (int j = 0; j <= degree_; ++j) {
    const double value = piece.inputs[static_cast<std::size_t>(j) * n + static_cast<std::size_t>(delay)];
    const double distance = x - nodes_[j];
    if (distance == 0) return value;
    const double weight = (j % 2 == 0 ? 1 : -1) * (j == 0 || j == degree_ ? 0.5 : 1) / distance;
    above += weight * value;
    below += weight;
  }
  return above / below;
}

std::vector<double> Past::list_times(double t0, double t1) const {
  std::vector<double> times;
  for (const double x : nodes_) times.push_back(t0 + x * (t1 - t0));
  times.back() = t1;
  return times;
}

void Past::add(double t0, double t1, std::vector<double> inputs) {
  pieces_.push_back({t0, t1, std::move(inputs)});
  while (pieces_.front().t1 + longest_ < t0) pieces_.pop_front();  // rows of this step may still be asked for
}

void Past::break_at(double t, int level, int delay) {
  if (level == kLevels) return;
  for (std::size_t k = 0; k < laws_.size(); ++k) {
    const bool is_other = delay >= 0 && delay != static_cast<int>(k);
    if (is_other && laws_.size() > kCombined) continue;
    const double back = t + laws_[k].time;
    const auto place =
        std::partition_point(breaks_.begin(), breaks_.end(), [&](const Break& b) { return b.t < back; });
    breaks_.insert(place, {back, level + 1, static_cast<int>(k)});
  }
}

double Past::next_break() const {
  if (breaks_.empty()) return kNoBreak;
  return breaks_.front().t;
}

bool Past::pass_break(double t) {
  bool passed = false;
  while (next_break() <= t) {
    const Break now = breaks_.front();
    breaks_.erase(breaks_.begin());
    break_at(now.t, now.level, now.delay);
    passed = true;
  }
  return passed;
}

void Past::visit_state(Archive& archive) {
  const std::size_t n_inputs = nodes_.size() * laws_.size();
  std::vector<double> ends, inputs, breaks;
  for (const Piece& piece : pieces_) {
    ends.insert(ends.end(), {piece.t0, piece.t1});
    inputs.insert(inputs.end(), piece.inputs.begin(), piece.inputs.end());
  }
  for (const Break& b : breaks_)
    breaks.insert(breaks.end(), {b.t, static_cast<double>(b.level), static_cast<double>(b.delay)});
  archive(begun_, step_start_, longest_, first_);
  for (std::vector<double>* list : {&ends, &inputs, &breaks}) archive.grow(*list);
  if (!archive.is_loading()) return;
  if (ends.size() % 2 != 0 || inputs.size() != ends.size() / 2 * n_inputs || breaks.size() % 3 != 0)
    throw ArchiveMismatch("what its delays remember has another length");
  pieces_.clear();
  breaks_.clear();
  for (std::size_t i = 0; i < ends.size() / 2; ++i) {
    const auto first = inputs.begin() + static_cast<std::ptrdiff_t>(i * n_inputs);
    pieces_.push_back({ends[2 * i], ends[2 * i + 1], {first, first + static_cast<std::ptrdiff_t>(n_inputs)}});
  }
  for (std::size_t i = 0; i < breaks.size(); i += 3)
    breaks_.push_back({breaks[i], static_cast<int>(breaks[i + 1]), static_cast<int>(breaks[i + 2])});
}

}  // namespace haltere
