#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "haltere/simulate/channels.h"

/// Formulas of the time, of parameters and of channels: what measures and the targets of a trim are made of.
namespace haltere {

/// Names that a formula may use before those of the model, and how a mirror changes names: for copies of
/// repeated blocks.
struct CopyNames {
  std::function<std::optional<Variable>(std::string_view)> find{};
  std::function<std::string(std::string_view)> image{};
};

/// Reads such formulas. The model must outlive it.
class ChannelFormulas {
 public:
  explicit ChannelFormulas(const Model& model);

  /// Sets `channels` and `of`; what is wrong goes to `problems`, with its offset in the text. `expected`:
  /// the dimension that it must have; nothing: any.
  void read(std::string_view text, const std::optional<Dimension>& expected, const CopyNames& names,
            MeasureSpec* out, std::vector<TextProblem>* problems) const;

 private:
  Measure measure_of(const Channel& channel) const;

  const Model& model_;
  std::vector<Channel> channels_;
  std::unordered_map<std::string, int> places_;  // of channels by name
};

/// Unit of a measure: that of its formula, radians for a phase; "" for a pure number, or where unknown.
std::string unit_of_measure(const MeasureSpec& measure);

/// The values of several formulas at an instant; channels that several of them read are computed once.
class ChannelReader {
 public:
  /// InputError for a channel that the model does not have.
  ChannelReader(const Model& model, const std::vector<const MeasureSpec*>& measures);

  /// `values`: one per measure.
  void calc(const Instant& instant, const std::vector<double>& parameters, std::span<double> values);

 private:
  struct Item {
    const MeasureSpec* measure;
    std::vector<int> places;  // in row_, of its channels
  };
  const Model& model_;
  std::vector<Channel> channels_;
  std::vector<Item> items_;
  std::vector<double> row_, locals_;
};

}  // namespace haltere
