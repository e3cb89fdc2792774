#pragma once

#include <concepts>
#include <stdexcept>
#include <utility>
#include <vector>

#include "haltere/math/types.h"

namespace haltere {

/// Thrown by an Archive that is loaded into something that did not save it.
class ArchiveMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The state of a computation as numbers. A class with state has one function
///   void visit_state(Archive& archive) { archive(t_, y_, steps_); }
/// which saves and loads: the same members in the same order.
class Archive {
 public:
  Archive() = default;                                                                             // saves
  explicit Archive(std::vector<double> numbers) : numbers_(std::move(numbers)), loading_(true) {}  // loads

  bool is_loading() const { return loading_; }
  const std::vector<double>& numbers() const { return numbers_; }
  /// After loading: nothing may be left over.
  void require_end() const {
    if (next_ != numbers_.size()) throw ArchiveMismatch("it has more numbers than the state");
  }

  template <class... Members>
  void operator()(Members&... members) {
    (visit(members), ...);
  }

 private:
  void visit(double& x) {
    if (loading_)
      x = take();
    else
      numbers_.push_back(x);
  }
  template <std::integral T>
  void visit(T& x) {  // exact below 2^53
    auto number = static_cast<double>(x);
    visit(number);
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
    if (next_ == numbers_.size()) throw ArchiveMismatch("it has fewer numbers than the state");
    return numbers_[next_++];
  }

  std::vector<double> numbers_;
  std::size_t next_ = 0;
  bool loading_ = false;
};

}  // namespace haltere
