#include "app/completion.h"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "app/find_model.h"
#include "app/model_arguments.h"
#include "app/output_file.h"
#include "app/verbs.h"

#include "haltere/dynamics/equations.h"
#include "haltere/integrate/integrator.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/channels.h"

namespace haltere {
namespace {

using Words = std::vector<Candidates::Word>;

bool takes_value(const CLI::Option& option) {
  return option.get_type_size() != 0;
}

/// The option of a verb that `word` names; none for what is no option.
const CLI::Option* find_option(const CLI::App& verb, const std::string& word) {
  return word.starts_with('-') ? verb.get_option_no_throw(word) : nullptr;
}

/// What has been typed before the cursor, sorted.
struct Typed {
  std::map<std::string, std::string> values;  // of options, by name with dashes
  std::vector<std::string> arguments;         // that belong to no option
};

Typed sort_words(const CLI::App& verb, const std::vector<std::string>& words) {
  Typed typed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const CLI::Option* option = find_option(verb, words[i]);
    if (option == nullptr) {
      typed.arguments.push_back(words[i]);
    } else if (takes_value(*option) && i + 1 < words.size()) {
      typed.values[words[i]] = words[i + 1];
      ++i;
    }
  }
  return typed;
}

Words model_words() {
  Words words;
  for (const ShippedModel& model : find_shipped_models()) words.push_back({model.name, "shipped model"});
  return words;
}

Words case_words(const Typed& typed) {
  Words words;
  if (!typed.arguments.empty())
    for (const std::string& name : list_cases(find_model(typed.arguments[0]))) words.push_back({name, ""});
  return words;
}

Model read_typed(const Typed& typed) {
  ModelArguments arguments;
  arguments.model = typed.arguments.empty() ? "" : typed.arguments[0];
  if (const auto found = typed.values.find("--case"); found != typed.values.end())
    arguments.case_name = found->second;
  return arguments.read();
}

Words parameter_words(const Typed& typed) {
  Words words;
  for (const ParameterSpec& parameter : read_typed(typed).parameters)
    words.push_back({parameter.name + "=", fmt::format("{:g}", parameter.value)});
  return words;
}

Words channel_words(const Typed& typed) {
  Words words;
  for (const Channel& channel : make_channels(read_typed(typed)))
    words.push_back({channel.name, channel.meaning});
  return words;
}

Words integrator_words() {
  Words words;
  for (const IntegratorInfo& i : integrators())
    words.push_back({std::string(i.name), std::string(i.summary)});
  return words;
}

Words formulation_words() {
  Words words;
  for (const FormulationInfo& f : formulations())
    words.push_back({std::string(f.name), std::string(f.summary)});
  return words;
}

Words option_words(const CLI::App& verb) {
  Words words;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames())
      words.push_back({"--" + name, option->get_description()});
  return words;
}

Words verb_words(const CLI::App& program) {
  Words words;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    words.push_back({verb->get_name(), verb->get_description()});
  return words;
}

/// The words between the braces of what a list of allowed words says of itself.
Words listed_words(const CLI::Option& option) {
  Words words;
  const std::string text = option.get_type_name();
  const std::size_t open = text.find('{'), close = text.find('}');
  if (open == std::string::npos || close == std::string::npos) return words;
  std::size_t from = open + 1;
  while (from < close) {
    const std::size_t to = std::min(text.find(',', from), close);
    words.push_back({text.substr(from, to - from), ""});
    from = to + 1;
  }
  return words;
}

Candidates values_of(const CLI::Option& option, const std::string& name, const Typed& typed) {
  const std::string type = option.get_type_name();
  if (type.starts_with("FILE") || type.starts_with("DIR")) return {.words = {}, .files = true};
  if (name == "--case") return {case_words(typed)};
  if (name == "--set") return {parameter_words(typed)};
  if (name == "--channels") return {channel_words(typed)};
  if (name == "--integrator") return {integrator_words()};
  if (name == "--formulation") return {formulation_words()};
  return {listed_words(option)};
}

Candidates arguments_of(const CLI::App& verb, const Typed& typed) {
  std::vector<const CLI::Option*> positional;
  for (const CLI::Option* option : verb.get_options())
    if (option->get_positional()) positional.push_back(option);
  if (positional.empty()) return {};
  const std::size_t index = std::min(typed.arguments.size(), positional.size() - 1);
  const CLI::Option& option = *positional[index];
  if (index < typed.arguments.size() && option.get_expected_max() == 1) return {option_words(verb)};
  const std::string name = option.get_name();
  if (name == "MODEL") return {model_words(), true};
  if (name == "RESULT") return {{}, true};
  return {listed_words(option)};
}

Candidates calc_all(const CLI::App& program, const std::vector<std::string>& typed) {
  if (typed.size() < 2) return {verb_words(program)};
  const std::vector<const CLI::App*> verbs =
      program.get_subcommands([&](const CLI::App* candidate) { return candidate->get_name() == typed[0]; });
  if (verbs.empty()) return {};
  const CLI::App* verb = verbs[0];
  const std::string& cursor = typed.back();
  const Typed before = sort_words(*verb, {typed.begin() + 1, typed.end() - 1});
  const std::string& last = typed[typed.size() - 2];
  const CLI::Option* option = typed.size() > 2 ? find_option(*verb, last) : nullptr;
  if (option != nullptr && takes_value(*option) && !before.values.contains(last)) {
    // the value of `last` is what is being typed
    return values_of(*option, last, before);
  }
  if (cursor.starts_with('-')) return {option_words(*verb)};
  return arguments_of(*verb, before);
}

// bash cuts words at = and :, and what it is given replaces the last piece alone; `compgen` reads what stands there now
constexpr std::string_view kBash = R"~(_haltere() {
  local cur words cword line word files= all
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n =: cur words cword
  else
    cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
  fi
  COMPREPLY=()
  mapfile -t all < <(haltere __complete "${words[@]:1:cword}" 2>/dev/null)
  for line in "${all[@]}"; do
    if [ "$line" = :files ]; then files=1; continue; fi
    word=${line%%$'\t'*}
    COMPREPLY+=("$word")
  done
  if [ -n "$files" ]; then
    compopt -o filenames
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
  fi
  [ ${#COMPREPLY[@]} -ne 1 ] || case ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac
  ! declare -F __ltrim_colon_completions >/dev/null || __ltrim_colon_completions "$cur"
}
complete -F _haltere haltere
)~";

constexpr std::string_view kZsh = R"~(#compdef haltere
_haltere() {
  local line files=0
  local -a words_found
  for line in ${(f)"$(haltere __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    if [[ $line == :files ]]; then files=1; else words_found+=("${${line//:/\\:}/$'\t'/:}"); fi
  done
  (( ${#words_found} )) && _describe haltere words_found
  (( files )) && _files
}
if [ "$funcstack[1]" = _haltere ]; then _haltere; else compdef _haltere haltere; fi
)~";

constexpr std::string_view kFish = R"~(function __haltere_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (haltere __complete $words[2..-1] 2>/dev/null)
  string match -v :files -- $found
  contains -- :files $found; and __fish_complete_path (commandline -ct)
end
complete -c haltere -f -a '(__haltere_complete)'
)~";

}  // namespace

Candidates calc_candidates(const CLI::App& program, const std::vector<std::string>& typed) {
  Candidates candidates;
  try {
    candidates = calc_all(program, typed);
  } catch (const std::exception&) {
    return {};  // a model that cannot be read, say: who types will be told when the line is run
  }
  const std::string prefix = typed.empty() ? "" : typed.back();
  std::erase_if(candidates.words, [&](const auto& word) { return !word.text.starts_with(prefix); });
  return candidates;
}

std::string candidates_text(const Candidates& candidates) {
  std::string text;
  for (const auto& [word, about] : candidates.words) {
    std::string line = about.empty() ? word : fmt::format("{}\t{}", word, about);
    std::replace(line.begin(), line.end(), '\n', ' ');
    text += line + "\n";
  }
  return text + (candidates.files ? ":files\n" : "");
}

void add_completion(CLI::App* program, Action* action) {
  CLI::App* verb =
      program->add_subcommand("completion", "what makes the Tab key of a shell complete command lines");
  const auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("");
  verb->footer(
      "Examples, for good:\n"
      "  haltere completion bash > ~/.local/share/bash-completion/completions/haltere\n"
      "  haltere completion zsh > ~/.zfunc/_haltere     (a folder that is in $fpath)\n"
      "  haltere completion fish > ~/.config/fish/completions/haltere.fish\n"
      "and for this shell only:\n"
      "  source <(haltere completion bash)");
  verb->callback([=] {
    *action = [=] {
      write_output("-", std::string(*shell == "bash" ? kBash : *shell == "zsh" ? kZsh : kFish));
      return kSuccess;
    };
  });
}

}  // namespace haltere
