#pragma once

#include <limits>
#include <vector>

#include "haltere/math/archive.h"
#include "haltere/math/types.h"

namespace haltere {

/// Where a wake ends, and from where on it becomes coarser; both by age, the time since its vortices left the edge.
struct WakeLimits {
  double age = std::numeric_limits<double>::infinity();  // older rows are given up                [s]
  double coarsen = std::numeric_limits<
      double>::infinity();  // rings of n steps may be joined in pairs when they are n times as old  [s]
};

/// The sheet of rings that a surface has left behind. Row 0 hangs on the edge. It is closed rings at any time,
/// also where its end is given up or rings are joined: no circulation is lost.
class Wake {
 public:
  explicit Wake(int columns) : columns_(columns) {}
  int columns() const { return columns_; }
  int rows() const { return static_cast<int>(steps_.size()); }  // of rings
  const Vector3<double>& node(int row, int column) const { return nodes_[index(row, column)]; }
  double circulation(int row, int column) const {
    return circulations_[static_cast<std::size_t>(rows() - 1 - row) * columns_ + column];
  }
  /// When the nodes of a row left the edge.                                                     [s]
  double birth(int row) const { return births_[rows() - row]; }
  void clear();
  /// As row 0, at time t.
  void attach(double t, const std::vector<Vector3<double>>& edge);
  /// Of the rings between row 0 and the row that attach() is given next.
  void push(const std::vector<double>& circulations);
  /// One row of rings from the edge to far behind.
  void settle(double t, const std::vector<Vector3<double>>& edge, const Vector3<double>& behind,
              const std::vector<double>& circulations);
  /// Gives up what is too old and joins what may be joined.
  void limit(double t, const WakeLimits& limits);
  std::vector<Vector3<double>>& nodes() { return nodes_; }
  const std::vector<Vector3<double>>& nodes() const { return nodes_; }
  void visit_state(Archive& archive);

 private:
  std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(rows() - row) * (columns_ + 1) + column;
  }
  void drop_oldest(std::size_t rows);
  void join(std::size_t older);  // with the ring after it
  double calc_area(std::size_t ring, int column) const;

  // oldest first: rows of rings, and rows of nodes, one more
  int columns_;
  std::vector<Vector3<double>> nodes_;
  std::vector<double> births_;        // of rows of nodes
  std::vector<double> circulations_;  // of rings
  std::vector<int> steps_;            // that a row of rings is long
};

}  // namespace haltere
