#include "haltere/io/model/expectations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "haltere/analysis/steady_sweep.h"
#include "haltere/io/model/document.h"
#include "haltere/io/model/expected_limits.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

constexpr std::array<std::pair<std::string_view, Expectation::Kind>, 5> kReductions{
    {{"max", Expectation::Kind::kMax},
     {"min", Expectation::Kind::kMin},
     {"middle", Expectation::Kind::kMiddle},
     {"amplitude", Expectation::Kind::kAmplitude},
     {"period", Expectation::Kind::kPeriod}}};
constexpr std::array<std::string_view, 4> kSources{"analytic", "paper", "peer", "independent"};

/// One entry of the list; what is wrong goes to the problems.
class EntryReader {
 public:
  EntryReader(const YamlNode& node, ProblemList* problems) : node_(node), problems_(problems) {}

  Expectation read() {
    Expectation e;
    e.mark = node_.mark.source();
    if (!node_.is_map()) {
      refuse(node_,
             "expected a map with channel, measure, equilibrium or limit, at, value, tolerance and source");
      return e;
    }
    for (const YamlNode& child : node_.children)
      if (std::find(kKeys.begin(), kKeys.end(), child.key) == kKeys.end())
        problems_->add(child.key_source(), "", fmt::format("unknown key '{}'", child.key));
    if (const YamlNode* name = node_.find("case")) e.case_name = name->text;
    if (const YamlNode* set = node_.find("set")) read_set(*set, &e);
    e.value = read_number(node_, "value");
    if (node_.find("limit") != nullptr)
      read_limit(&e);
    else if (node_.find("equilibrium") != nullptr)
      read_equilibrium(&e);
    else
      read_quantity(&e);
    if (const YamlNode* tolerance = require(node_, "tolerance")) {
      const bool relative = tolerance->find("relative") != nullptr;
      e.tolerance = relative ? read_number(*tolerance, "relative") * std::abs(e.value)
                             : read_number(*tolerance, "absolute");
      e.reason = read_text(*tolerance, "reason");
    }
    if (const YamlNode* source = require(node_, "source")) {
      e.source = read_text(*source, "kind");
      e.place = read_text(*source, "place");
      if (std::find(kSources.begin(), kSources.end(), e.source) == kSources.end())
        refuse(*source, fmt::format("'{}' is no source that validates", e.source),
               fmt::format("one of {}", fmt::join(kSources, ", ")));
    }
    if (const YamlNode* differs = node_.find("differs")) e.differs = differs->text;
    return e;
  }

 private:
  static constexpr std::array<std::string_view, 14> kKeys{
      "case", "set",     "channel",   "measure", "equilibrium", "at",      "over",
      "of",   "between", "tolerance", "value",   "source",      "differs", "limit"};

  void refuse(const YamlNode& node, std::string message, std::string hint = {}) {
    problems_->add(node.mark.source(), "", std::move(message), std::move(hint));
  }
  const YamlNode* require(const YamlNode& map, std::string_view key) {
    const YamlNode* child = map.find(key);
    if (child == nullptr) refuse(map, fmt::format("`{}` is missing", key));
    return child;
  }
  std::string read_text(const YamlNode& map, std::string_view key) {
    const YamlNode* child = require(map, key);
    if (child != nullptr && child->text.empty()) refuse(*child, fmt::format("`{}` is empty", key));
    return child == nullptr ? "" : child->text;
  }
  double read_number(const YamlNode& map, std::string_view key) {
    const YamlNode* child = require(map, key);
    return child == nullptr ? 0 : read_number_of(*child, key);
  }
  double read_number_of(const YamlNode& node, std::string_view key) {
    double number = 0;
    const char* const end = node.text.data() + node.text.size();
    const auto [rest, error] = std::from_chars(node.text.data(), end, number);
    if (!node.is_scalar() || error != std::errc() || rest != end || !std::isfinite(number))
      refuse(node, fmt::format("`{}` is {}; expected a number in SI units", key, describe(node)));
    return number;
  }
  /// `set: {panels: 32}`
  void read_set(const YamlNode& set, Expectation* e) {
    if (!set.is_map() || set.children.empty())
      refuse(set, "expected parameters and their values", "write `set: {NAME: VALUE}`");
    for (const YamlNode& child : set.children) {
      if (!child.is_scalar())
        refuse(child, fmt::format("`{}` is {}; expected one value", child.key, describe(child)));
      e->set.push_back(fmt::format("{}={}", child.key, child.text));
    }
  }
  void refuse_others(std::initializer_list<std::string_view> keys, const char* message, const char* hint) {
    if (std::any_of(keys.begin(), keys.end(), [&](auto key) { return node_.find(key) != nullptr; }))
      refuse(node_, message, hint);
  }
  void read_quantity(Expectation* e) {
    refuse_others({"of", "between"}, "`of` and `between` belong to a `limit`",
                  "name its parameter, or leave them out");
    const bool is_measure = node_.find("measure") != nullptr;
    e->channel = read_text(node_, is_measure ? "measure" : "channel");
    read_place_in_time(e);
    if (!is_measure) return;
    e->kind = Expectation::Kind::kMeasure;
    refuse_others({"channel", "over"}, "a measure stands in place of `channel` and `over`",
                  "keep `measure` and `at`");
  }
  void read_equilibrium(Expectation* e) {
    e->kind = Expectation::Kind::kEquilibrium;
    e->channel = read_text(node_, "equilibrium");
    refuse_others({"channel", "measure", "at", "over", "of", "between"},
                  "an equilibrium stands in place of a run", "keep `equilibrium`");
  }
  /// `limit: U, between: [20, 30]`, its value or, `of: frequency`, that of what begins to grow there.
  void read_limit(Expectation* e) {
    e->kind = Expectation::Kind::kLimit;
    e->channel = read_text(node_, "limit");
    refuse_others({"channel", "measure", "equilibrium", "at", "over"}, "a limit stands in place of a run",
                  "keep `limit` and `between`");
    if (const YamlNode* of = node_.find("of")) {
      if (of->text == "frequency")
        e->kind = Expectation::Kind::kLimitFrequency;
      else if (of->text != "parameter")
        refuse(*of, fmt::format("`of` is '{}'", of->text), "a limit has `parameter` and `frequency`");
    }
    const YamlNode* between = require(node_, "between");
    if (between == nullptr) return;
    if (!between->is_sequence() || between->children.size() != 2) {
      refuse(*between, "expected two values of the parameter", "write `between: [20, 30]`");
      return;
    }
    e->low = read_number_of(between->children[0], "between");
    e->high = read_number_of(between->children[1], "between");
    if (!(e->low < e->high)) refuse(*between, "the first value must be the smaller one");
  }
  /// `at: {t: 1}`, or `over: {max: 30}`.
  void read_place_in_time(Expectation* e) {
    const YamlNode* over = node_.find("over");
    if (over == nullptr) {
      if (const YamlNode* at = require(node_, "at")) e->t = read_number(*at, "t");
      return;
    }
    for (const auto& [word, kind] : kReductions)
      if (over->find(word) != nullptr) {
        e->kind = kind;
        e->t = read_number(*over, word);
        return;
      }
    refuse(*over, "expected max, min, middle, amplitude or period, each with the time up to which to look");
  }

  const YamlNode& node_;
  ProblemList* problems_;
};

/// Mean time between passages through the middle of the range, upwards; straight lines between rows.
double calc_period(const std::vector<double>& t, const std::vector<double>& x) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double middle = (*low + *high) / 2;
  std::vector<double> passages;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (x[i - 1] < middle && x[i] >= middle)
      passages.push_back(t[i - 1] + (t[i] - t[i - 1]) * (middle - x[i - 1]) / (x[i] - x[i - 1]));
  if (passages.size() < 2) return std::numeric_limits<double>::infinity();
  return (passages.back() - passages.front()) / static_cast<double>(passages.size() - 1);
}

double reduce(const Expectation& e, const MemorySink& sink) {
  using Kind = Expectation::Kind;
  const std::vector<double> x = sink.column(e.channel);
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  switch (e.kind) {
    case Kind::kAt:
      return e.t > 0 ? x.back() : x.front();
    case Kind::kMax:
      return *high;
    case Kind::kMin:
      return *low;
    case Kind::kMiddle:
      return (*low + *high) / 2;
    case Kind::kAmplitude:
      return (*high - *low) / 2;
    case Kind::kPeriod:
      return calc_period(sink.column("t"), x);
    case Kind::kMeasure:
    case Kind::kEquilibrium:
    case Kind::kLimit:
    case Kind::kLimitFrequency:
      break;
  }
  return 0;
}

/// The value of a measure over the last whole period; false where it has none.
bool find_measure(const RunSummary& summary, Comparison* comparison) {
  for (const MeasureResult& measure : summary.measures) {
    if (measure.name != comparison->expected.channel) continue;
    if (measure.is_known())
      comparison->ours = measure.value();
    else
      comparison->failure = measure.text();
    return true;
  }
  return false;
}

/// A run up to t; with all rows of the model where `dense`.
RunSummary run_to(const Model& model, double t, bool dense, const ExpectationRuns& how,
                  const std::function<void(const Progress&)>& progress, MemorySink* sink) {
  Settings settings;
  settings.formulation = how.formulation;
  if (t > 0) settings.until = t;
  if (!dense) settings.every = t > 0 ? t : 1;
  RunOptions options = make_run_options(model, settings);
  options.interrupt = how.interrupt;
  options.progress = progress;
  return run(model, options, {sink});
}

/// What a run gave for one of the values it was made for.
void compare(const RunSummary& summary, const MemorySink& sink, Comparison* comparison) {
  const auto& names = sink.names();
  const std::string& channel = comparison->expected.channel;
  if (summary.outcome == RunSummary::Outcome::kFailed ||
      summary.outcome == RunSummary::Outcome::kInterrupted) {
    comparison->failure = summary.message;
  } else if (comparison->expected.kind == Expectation::Kind::kMeasure) {
    if (!find_measure(summary, comparison))
      comparison->failure = fmt::format("there is no measure '{}'", channel);
  } else if (std::find(names.begin(), names.end(), channel) == names.end()) {
    comparison->failure = fmt::format("there is no channel '{}'", channel);
  } else {
    comparison->ours = reduce(comparison->expected, sink);
  }
}

void compare_limit(const std::filesystem::path& model, const LimitSearch& search,
                   const std::string& formulation, const std::vector<std::size_t>& members,
                   std::vector<Comparison>* comparisons) {
  StabilityLimit limit;
  std::string failure;
  try {
    limit = find_limit(model, search, formulation);
  } catch (const RunError& error) {
    failure = error.what();
  }
  for (const std::size_t i : members) {
    Comparison& c = (*comparisons)[i];
    c.failure = failure;
    c.ours = c.expected.kind == Expectation::Kind::kLimit ? limit.value : std::abs(limit.eigenvalue.imag());
  }
}

/// Columns of the equilibrium of a case, or why there is none.
void compare_equilibrium(const Model& model, const std::string& formulation,
                         const std::vector<std::size_t>& members, std::vector<Comparison>* comparisons) {
  SteadyWalk walk([&](double) { return model; }, {});
  SteadySweep sweep;
  std::string failure;
  try {
    add_steady_point(0, formulation, &walk, &sweep);
    failure = sweep.points.front().failure;
  } catch (const InputError& error) {
    failure = error.what();
  }
  const std::vector<SweepColumn> columns = failure.empty() ? list_columns(sweep) : std::vector<SweepColumn>();
  for (const std::size_t i : members) {
    Comparison& c = (*comparisons)[i];
    const auto column = std::find_if(columns.begin(), columns.end(), [&](const SweepColumn& candidate) {
      return candidate.name == c.expected.channel;
    });
    c.failure = failure;
    if (column != columns.end())
      c.ours = column->values.front();
    else if (failure.empty())
      c.failure = fmt::format("the equilibrium has no '{}'", c.expected.channel);
  }
}

/// What is to be done once, and the expectations that wait for it.
struct Tasks {
  using Run = std::tuple<std::string, std::vector<std::string>, double, bool>;  // case, set, time, all rows
  std::map<Run, std::vector<std::size_t>> runs;
  std::map<std::pair<std::string, std::vector<std::string>>, std::vector<std::size_t>>
      equilibria;  // case, set
  std::map<LimitSearch, std::vector<std::size_t>> limits;

  std::size_t size() const { return runs.size() + equilibria.size() + limits.size(); }
  void add(const Expectation& e, std::size_t i) {
    if (e.is_limit()) {
      limits[{e.case_name, e.set, e.channel, e.low, e.high}].push_back(i);
      return;
    }
    if (e.kind == Expectation::Kind::kEquilibrium) {
      equilibria[{e.case_name, e.set}].push_back(i);
      return;
    }
    const bool dense = e.kind != Expectation::Kind::kAt && e.kind != Expectation::Kind::kMeasure;
    runs[{e.case_name, e.set, e.t, dense}].push_back(i);
  }
};

}  // namespace

std::string Expectation::quantity() const {
  const std::string with = set.empty() ? "" : fmt::format(" with {}", fmt::join(set, ", "));
  if (kind == Kind::kMeasure)
    return fmt::format("measure {} over the period before {:g} s{}", channel, t, with);
  if (kind == Kind::kEquilibrium) return fmt::format("{} of the equilibrium{}", channel, with);
  if (is_limit())
    return fmt::format("{}limit of stability in {} between {:g} and {:g}{}",
                       kind == Kind::kLimit ? "" : "rad/s at the ", channel, low, high, with);
  for (const auto& [word, reduction] : kReductions)
    if (reduction == kind) return fmt::format("{} of {} up to {:g} s{}", word, channel, t, with);
  return fmt::format("{} at {:g} s{}", channel, t, with);
}

bool Comparison::agrees() const {
  return failure.empty() && std::abs(ours - expected.value) <= expected.tolerance;
}

std::string Comparison::verdict() const {
  if (agrees()) return "agrees";
  if (passes()) return "differs: " + expected.differs;
  return failure.empty() ? "FAILED" : "FAILED: " + failure;
}

std::vector<Expectation> read_expectations(const std::filesystem::path& file) {
  ProblemList problems;
  const std::string name = file.string();
  std::vector<Expectation> list;
  const std::optional<std::string> text = read_text_file(file, {name, 0, 0}, &problems);
  const std::optional<YamlNode> root = text ? parse_document(*text, &name, &problems) : std::nullopt;
  if (root && !root->is_sequence()) problems.add(root->mark.source(), "", "expected a list of values");
  if (root && root->is_sequence())
    for (const YamlNode& node : root->children) list.push_back(EntryReader(node, &problems).read());
  problems.throw_errors();
  return list;
}

void check_expectations(const std::filesystem::path& model_path,
                        const std::vector<Expectation>& expectations) {
  std::map<std::pair<std::string, std::vector<std::string>>, std::vector<std::string>>
      parameters;  // of each case
  std::vector<Problem> problems;
  for (const Expectation& e : expectations) {
    const auto [place, is_new] = parameters.try_emplace({e.case_name, e.set});
    try {
      if (is_new)
        for (const ParameterSpec& p :
             read_model(model_path, {.case_name = e.case_name, .set = e.set}).parameters)
          place->second.push_back(p.name);
    } catch (const InputError& error) {
      problems.push_back(
          {e.mark, "", "the model does not take its case or its values", error.problems().front().text()});
      continue;
    }
    const std::vector<std::string>& names = place->second;
    if (e.is_limit() && !names.empty() && std::find(names.begin(), names.end(), e.channel) == names.end())
      problems.push_back({e.mark, "", fmt::format("the model has no parameter '{}'", e.channel),
                          did_you_mean(e.channel, names)});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

std::vector<Comparison> compare_with_expectations(const std::filesystem::path& model_path,
                                                  const std::vector<Expectation>& expectations,
                                                  const ExpectationRuns& how) {
  Tasks tasks;
  std::vector<Comparison> comparisons;
  for (const Expectation& e : expectations) {
    tasks.add(e, comparisons.size());
    comparisons.push_back({e, 0, "interrupted"});
  }
  int done = 0;
  const int count = static_cast<int>(tasks.size());
  const auto progress = [&](const Progress& p) { how.progress(done, count, p); };
  const auto goes_on = [&] {
    if (how.interrupt != nullptr && how.interrupt->load()) return false;
    if (how.progress) progress({});
    return true;
  };
  for (const auto& [key, members] : tasks.runs) {
    if (!goes_on()) return comparisons;
    const auto& [case_name, set, t, dense] = key;
    const Model model = read_model(model_path, {.case_name = case_name, .set = set});
    MemorySink sink;
    const RunSummary summary = run_to(
        model, t, dense, how, how.progress ? std::function<void(const Progress&)>(progress) : nullptr, &sink);
    for (const std::size_t i : members) {
      comparisons[i].failure.clear();
      compare(summary, sink, &comparisons[i]);
    }
    ++done;
  }
  for (const auto& [key, members] : tasks.equilibria) {
    if (!goes_on()) return comparisons;
    const Model model = read_model(model_path, {.case_name = key.first, .set = key.second});
    compare_equilibrium(model, how.formulation, members, &comparisons);
    ++done;
  }
  for (const auto& [search, members] : tasks.limits) {
    if (!goes_on()) return comparisons;
    compare_limit(model_path, search, how.formulation, members, &comparisons);
    ++done;
  }
  return comparisons;
}

}  // namespace haltere
