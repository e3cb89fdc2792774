#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "haltere/math/types.h"

namespace haltere {

/// Thrown by an Archive that is loaded into something that did not save it.
class ArchiveMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The numbers of one part of a computation, by name.
struct StateBlock {
  std::string name;
  std::vector<double> numbers;
  bool operator==(const StateBlock&) const = default;
};

/// All that a computation knows between two steps.
using State = std::vector<StateBlock>;

/// Saves and loads a State. A class with state has one function
///   void visit_state(Archive& archive) { archive(t_, y_, steps_); }
/// for both: the same members in the same order. Whoever puts parts together gives each a block:
///   archive.block("events"); watch_.visit_state(archive);
/// so that a state of something else is refused by name, and a part that comes later finds its own.
class Archive {
 public:
  Archive() = default;                                                         // saves
  explicit Archive(State state) : state_(std::move(state)), loading_(true) {}  // loads

  bool is_loading() const { return loading_; }
  const State& state() const { return state_; }
  /// Loading: there is a state of `name`.
  void require(std::string_view name) const {
    if (loading_ && find(name) == state_.size())
      throw ArchiveMismatch("it has no state of '" + std::string(name) + "'" + list_names());
  }
  /// What follows is the state of `name`.
  void block(std::string_view name) {
    require_block_end();
    require(name);
    current_ = find(name);
    if (!loading_) {
      if (current_ < state_.size()) throw std::logic_error("two states of '" + std::string(name) + "'");
      state_.push_back({std::string(name), {}});
    }
    next_ = 0;
    ++visited_;
  }
  /// After loading: nothing may be left over.
  void require_end() const {
    require_block_end();
    if (visited_ != state_.size()) throw ArchiveMismatch("it has more parts than the state" + list_names());
  }

  template <class... Members>
  void operator()(Members&... members) {
    (visit(members), ...);
  }
  /// A list whose length is part of the state.
  void grow(std::vector<double>& list) {
    std::size_t size = list.size();
    visit(size);
    if (loading_ && size > numbers().size() - next_) throw ArchiveMismatch("a list is longer than the state");
    list.resize(size);
    for (double& x : list) visit(x);
  }

 private:
  void visit(double& x) {
    if (visited_ == 0) block("");  // of one part alone
    if (loading_)
      x = take();
    else
      numbers().push_back(x);
  }
  template <std::integral T>
  void visit(T& x) {                             // exact below 2^53
    constexpr double kExact = 9007199254740992;  // 2^53
    auto number = static_cast<double>(x);
    visit(number);
    const double least = std::max(-kExact, static_cast<double>(std::numeric_limits<T>::lowest())),
                 most = std::min(kExact, static_cast<double>(std::numeric_limits<T>::max()));
    if (!(number >= least && number <= most && number == std::trunc(number)))
      throw ArchiveMismatch("it has a number that is no count");
    x = static_cast<T>(number);
  }
  void visit(std::vector<bool>& list) {
    require_size(list.size());
    for (auto&& reference : list) {  // of bits
      bool item = reference;
      visit(item);
      reference = item;
    }
  }
  template <class T>
  void visit(std::vector<T>& list) {
    require_size(list.size());
    for (T& item : list) visit(item);
  }
  template <int rows>
  void visit(Eigen::Matrix<double, rows, 1>& vector) {
    require_size(static_cast<std::size_t>(vector.size()));
    for (double& item : vector) visit(item);
  }

  /// Lists have the length that the model gives them; a different one belongs to a different model.
  void require_size(std::size_t size) {
    std::size_t saved = size;
    visit(saved);
    if (saved != size) throw ArchiveMismatch("a list of its numbers has another length");
  }
  double take() {
    if (next_ == numbers().size()) throw ArchiveMismatch("it has fewer numbers than the state");
    return numbers()[next_++];
  }
  std::size_t find(std::string_view name) const {
    const auto is_it = [&](const StateBlock& block) { return block.name == name; };
    return std::find_if(state_.begin(), state_.end(), is_it) - state_.begin();
  }
  std::vector<double>& numbers() { return state_[current_].numbers; }
  void require_block_end() const {
    if (loading_ && visited_ > 0 && next_ != state_[current_].numbers.size())
      throw ArchiveMismatch("it has more numbers than the state");
  }
  std::string list_names() const {
    std::string text;
    for (const StateBlock& block : state_) text += (text.empty() ? "; it has '" : "', '") + block.name;
    return text.empty() ? text : text + "'";
  }

  State state_;
  std::size_t current_ = 0;  // block
  std::size_t next_ = 0;     // number in it
  std::size_t visited_ = 0;  // blocks
  bool loading_ = false;
};

}  // namespace haltere
