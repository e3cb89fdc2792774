#include "haltere/io/result/state_file.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "haltere/io/json.h"

namespace haltere {
namespace {

/// Problems of a state file, collected.
class StateReader {
 public:
  explicit StateReader(std::string file) : file_(std::move(file)) {}

  /// `values` from json[key]: a list of all, or a map of some by name.
  void read(const Json& json, const char* key, const Names& names, Eigen::Ref<Eigen::VectorXd> values) {
    if (!json.contains(key)) return;
    const Json& given = json[key];
    if (given.is_array()) {
      if (given.size() != names.size())
        return add(fmt::format("'{}' has {} values; the model has {}", key, given.size(), names.size()));
      for (std::size_t i = 0; i < names.size(); ++i)
        read_number(given[i], names[i], &values[static_cast<int>(i)]);
    } else if (given.is_object()) {
      for (const auto& [name, value] : given.items()) read_named(name, value, names, values);
    } else {
      add(fmt::format("'{}' is neither a list nor a map", key));
    }
  }
  void read_number(const Json& json, const std::string& name, double* value) {
    if (!json.is_number() || !std::isfinite(json.get<double>()))
      return add(fmt::format("'{}' is no number", name));
    *value = json.get<double>();
  }
  void check_keys(const Json& json) {
    if (!json.is_object()) return add("is no map with 'q' and 'v'");
    // what `evaluate --json` writes can be read again
    for (const auto& [key, value] : json.items())
      if (key != "t" && key != "q" && key != "v" && !json.contains("haltere"))
        add(fmt::format("unknown key '{}'", key), "a state has t, q and v");
  }
  void throw_if_any() const {
    if (!problems_.empty()) throw InputError(problems_);
  }

 private:
  void read_named(const std::string& name, const Json& value, const Names& names,
                  Eigen::Ref<Eigen::VectorXd> values) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      return add(fmt::format("unknown coordinate '{}'", name), did_you_mean(name, names));
    read_number(value, name, &values[found - names.begin()]);
  }
  void add(std::string message, std::string hint = {}) {
    Problem problem;
    problem.mark.file = file_;
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    problems_.push_back(std::move(problem));
  }

  std::string file_;
  std::vector<Problem> problems_;
};

}  // namespace

void read_state(const std::string& file, const StateNames& names, double* t, Eigen::VectorXd* y) {
  const Json json = read_json(file);
  StateReader reader(file);
  reader.check_keys(json);
  reader.throw_if_any();
  if (json.contains("t")) reader.read_number(json["t"], "t", t);
  const auto nq = static_cast<Eigen::Index>(names.q.size()), nv = static_cast<Eigen::Index>(names.v.size());
  reader.read(json, "q", names.q, y->head(nq));
  reader.read(json, "v", names.v, y->segment(nq, nv));
  reader.throw_if_any();
}

}  // namespace haltere
