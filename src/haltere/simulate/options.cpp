#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "haltere/dynamics/absolute/chart.h"
#include "haltere/dynamics/misfits.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

constexpr double kMostCounted = 9e15;      // rows or steps: more cannot be counted in a double (2^53)
constexpr double kLeastTolerance = 1e-15;  // just above the rounding of a number, 2e-16

/// One setting: its value and who gave it, for messages.
template <class T>
struct Setting {
  SourceMark mark;    // in the file
  std::string thing;  // `--until`, `simulation: until`
  std::optional<T> value;
};

/// Takes each setting from the command line, else from the file, and collects what is wrong.
class SettingsReader {
 public:
  SettingsReader(const Settings& file, const Settings& overrides) : file_(file), overrides_(overrides) {}

  template <class T>
  Setting<T> get(std::string_view name, std::optional<T> Settings::*member) const {
    if (overrides_.*member) {
      std::string option = fmt::format("--{}", name);
      std::replace(option.begin(), option.end(), '_', '-');
      return {{}, std::move(option), overrides_.*member};
    }
    const auto mark = file_.marks.find(name);
    return {mark == file_.marks.end() ? SourceMark{} : mark->second, fmt::format("simulation: {}", name),
            file_.*member};
  }
  /// A number of seconds, or the default.
  double get_time(std::string_view name, std::optional<double> Settings::*member, double otherwise,
                  bool zero_allowed) {
    const Setting<double> setting = get(name, member);
    if (!setting.value) return otherwise;
    if (!std::isfinite(*setting.value) || *setting.value < 0 || (*setting.value == 0 && !zero_allowed)) {
      add(setting, fmt::format("is {:.10g} s", *setting.value),
          zero_allowed ? "it must not be negative" : "it must be greater than 0");
      return otherwise;
    }
    if (*setting.value != 0 && (*setting.value < kShortestTime || *setting.value > kLongestTime)) {
      add(setting, fmt::format("is {:.10g} s", *setting.value),
          fmt::format("it must lie between {:g} and {:g} s", kShortestTime, kLongestTime));
      return otherwise;
    }
    return *setting.value;
  }
  /// A word of a list, or the default.
  std::string get_word(std::string_view name, std::optional<std::string> Settings::*member,
                       std::string otherwise, const std::vector<std::string>& words) {
    const Setting<std::string> setting = get(name, member);
    if (!setting.value) return otherwise;
    for (const std::string& word : words)
      if (word == *setting.value) return word;
    std::string hint = did_you_mean(*setting.value, words);
    if (hint.empty()) hint = fmt::format("there are: {}", fmt::join(words, ", "));
    add(setting, fmt::format("unknown {} '{}'", name, *setting.value), hint);
    return otherwise;
  }
  template <class T>
  void add(const Setting<T>& setting, std::string message, std::string hint) {
    problems_.push_back({setting.mark, setting.thing, std::move(message), std::move(hint)});
  }
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  const Settings& file_;
  const Settings& overrides_;
  std::vector<Problem> problems_;
};

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.emplace_back(item.name);
  return names;
}

void read_tolerance(SettingsReader* reader, RunOptions* options) {
  const auto setting = reader->get("tolerance", &Settings::tolerance);
  if (!setting.value) return;
  if (*setting.value >= kLeastTolerance && *setting.value < 1)
    options->tolerance = *setting.value;
  else
    reader->add(setting, fmt::format("is {:.10g}", *setting.value),
                fmt::format("a relative tolerance lies between {:g} and 1", kLeastTolerance));
}

void read_times(SettingsReader* reader, RunOptions* options) {
  options->until = reader->get_time("until", &Settings::until, options->until, true);
  options->every = reader->get_time("every", &Settings::every, options->until / 1000, false);
  options->step = reader->get_time("step", &Settings::step, 0, false);

  const auto every = reader->get("every", &Settings::every);
  const auto step = reader->get("step", &Settings::step);
  if (options->every > 0 && options->until / options->every > kMostCounted)
    reader->add(every,
                fmt::format("{:.3g} rows until {:g} s", options->until / options->every, options->until),
                fmt::format("at most {:g}", kMostCounted));
  if (options->step > options->until)
    reader->add(step, fmt::format("a step of {:g} s is longer than the run", options->step),
                fmt::format("the run ends at {:g} s", options->until));
  if (options->step > 0 && options->until / options->step > kMostCounted)
    reader->add(step,
                fmt::format("{:.3g} steps until {:g} s", options->until / options->step, options->until),
                fmt::format("at most {:g}", kMostCounted));
}

/// What is drawn of the air.
void read_frames(SettingsReader* reader, RunOptions* options) {
  if (reader->get("frames", &Settings::frames).value)
    options->frames = reader->get_time("frames", &Settings::frames, 0, true);
  const auto stride = reader->get("wake_stride", &Settings::wake_stride);
  if (!stride.value) return;
  if (*stride.value >= 1 && *stride.value <= std::numeric_limits<int>::max() &&
      *stride.value == std::floor(*stride.value))
    options->wake_stride = static_cast<int>(*stride.value);
  else
    reader->add(stride, fmt::format("is {:.10g}", *stride.value), "it must be a whole number, 1 or more");
}

/// A name, perhaps with a parameter: `newmark:0.015`.
void read_integrator(SettingsReader* reader, RunOptions* options) {
  const auto setting = reader->get("integrator", &Settings::integrator);
  if (!setting.value) return;
  const std::string& text = *setting.value;
  if (find_integrator(text) != nullptr) {
    options->integrator = text;
    return;
  }
  const IntegratorInfo* known = find_integrator(text.substr(0, text.find(':')));
  if (known == nullptr) {
    reader->get_word("integrator", &Settings::integrator, "", names_of(integrators()));  // says so
  } else if (known->parameter.name.empty()) {
    reader->add(setting, fmt::format("{} has no parameter", known->name), "leave out what follows the colon");
  } else {
    reader->add(setting,
                fmt::format("'{}': {} must be a number from {:g} to {:g}", text, known->parameter.name,
                            known->parameter.least, known->parameter.most),
                fmt::format("as in {}:{:g}", known->name, known->parameter.otherwise));
  }
}

void read_chart(const Model& model, SettingsReader* reader, RunOptions* options) {
  const auto check = [&](const Setting<std::string>& setting) {
    if (Chart::parse(*setting.value)) return true;
    reader->add(setting, fmt::format("unknown chart '{}'", *setting.value),
                "lie, quaternion, or euler- and a sequence of axes, as in euler-zyx");
    return false;
  };
  const Setting<std::string> setting = reader->get("chart", &Settings::chart);
  if (setting.value && check(setting)) options->chart = *setting.value;
  for (const BodySpec& body : model.bodies)
    if (!body.chart.empty()) check({body.chart_mark, fmt::format("body '{}'", body.name), body.chart});
}

void read_stabilization(SettingsReader* reader, RunOptions* options) {
  const auto setting = reader->get("stabilization", &Settings::stabilization);
  if (setting.value) {
    if (Stabilization::parse(*setting.value))
      options->stabilization = *setting.value;
    else
      reader->add(setting, fmt::format("unknown stabilization '{}'", *setting.value),
                  "none, baumgarte:ALPHA,BETA (both in 1/s, not negative), projection or s-both2");
  }
}

/// What a run may lose before it counts as failed.
void read_bound(SettingsReader* reader, std::string_view name, std::optional<double> Settings::*member,
                double* bound) {
  const auto setting = reader->get(name, member);
  if (!setting.value) return;
  if (*setting.value > 0 && std::isfinite(*setting.value))
    *bound = *setting.value;
  else
    reader->add(setting, fmt::format("is {:.10g}", *setting.value), "it must be greater than 0");
}

}  // namespace

double calc_default_balance(const RunOptions& options) {
  const IntegratorInfo* method = find_integrator(options.integrator);
  const bool adaptive = method != nullptr && method->chooses_steps(options.step);
  return adaptive ? std::max(0.01, 1000 * options.tolerance) : 0.1;
}

RunOptions make_run_options(const Model& model, const Settings& overrides) {
  RunOptions options;
  SettingsReader reader(model.settings, overrides);
  read_integrator(&reader, &options);
  options.formulation =
      reader.get_word("formulation", &Settings::formulation, options.formulation, names_of(formulations()));
  read_chart(model, &reader, &options);
  read_stabilization(&reader, &options);
  read_bound(&reader, "drift", &Settings::drift, &options.drift);
  read_bound(&reader, "balance", &Settings::balance, &options.balance);
  read_times(&reader, &options);
  read_frames(&reader, &options);
  read_tolerance(&reader, &options);
  if (!reader.problems().empty()) throw InputError(reader.problems());

  const IntegratorInfo* method = find_integrator(options.integrator);
  if (options.step == 0 && method != nullptr && !method->chooses_steps(0)) options.step = options.every;
  if (options.step > options.until) options.step = options.until;
  return options;
}

void require_formulation(const Model& model, const RunOptions& options) {
  std::vector<Problem> problems = find_misfits(options.formulation, model);
  const IntegratorInfo* method = find_integrator(options.integrator);
  if (method != nullptr && method->solves_constraints && !has_implicit_form(options.formulation)) {
    const auto mark = model.settings.marks.find("integrator");
    const bool stands_in_file =
        mark != model.settings.marks.end() && model.settings.integrator == options.integrator;
    problems.push_back({stands_in_file ? mark->second : SourceMark{}, "integrator",
                        fmt::format("{} solves the constraints itself, which the formulation {} cannot",
                                    method->name, options.formulation),
                        "use --formulation recursive or absolute, or an explicit integrator"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace haltere
