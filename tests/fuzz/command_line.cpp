// Any words as a command line, one on each line: the program ends, and its status is 0, 1 or 2. It runs in a
// folder of its own with one small model; words with a slash could lead out of it and are left out. Runs are
// interrupted, verbs that compute for long get no further than their options.
#include <array>
#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/time.h>

#include "app/program.h"
#include "fuzz/scratch.h"

namespace {

using namespace haltere;

constexpr const char* kModel = R"(haltere: 1
parameters: {l: 0.5 m, g: 9.81 m/s2}
gravity: [0, 0, -g]
bodies: {bob: {mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3]}}
joints: {pivot: {kind: revolute, child: bob, axis: y, child_frame: [0, 0, l]}}
initial: {pivot: 10 deg}
simulation: {until: 1 s, every: 0.1 s}
cases: {moon: {parameters: {g: 1.62 m/s2}}}
)";

constexpr std::array<std::string_view, 4> kLong{"compare", "trim", "validate", "lqr"};

/// Words of the input; none where one of them could name a place outside.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words{"haltere"};
  if (text.find('/') != std::string_view::npos || text.find("..") != std::string_view::npos ||
      text.find('\0') != std::string_view::npos)
    return words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (const std::string_view verb : kLong)
    if (words.size() > 1 && words[1] == verb) words.emplace_back("--help");
  return words;
}

/// The program's streams go nowhere while one of these lives.
class Silence {
 public:
  Silence() {
    const int nowhere = open("/dev/null", O_WRONLY);
    for (const int stream : {1, 2}) {
      kept_[stream - 1] = dup(stream);
      dup2(nowhere, stream);
    }
    close(nowhere);
  }
  ~Silence() {
    std::fflush(stdout);
    for (const int stream : {1, 2}) {
      dup2(kept_[stream - 1], stream);
      close(kept_[stream - 1]);
    }
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  std::array<int, 2> kept_{};
};

/// Ctrl-C a tenth of a second from now.
void interrupt_soon() {
  std::signal(SIGINT, SIG_IGN);  // until a run listens
  std::signal(SIGALRM, [](int) { std::raise(SIGINT); });
  const itimerval soon{{0, 100'000}, {0, 100'000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Scratch scratch;
  const std::vector<std::string> words = split({reinterpret_cast<const char*>(data), size});
  if (words.size() < 2) return 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.folder()))
    std::filesystem::remove_all(entry.path());
  write_bytes(scratch / "m.yaml", kModel);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.folder());
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  int status = 0;
  {
    const Silence silence;
    interrupt_soon();
    status = run_program(static_cast<int>(arguments.size()), arguments.data());
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
  }
  std::filesystem::current_path(before);
  require(status >= 0 && status <= 2);
  return 0;
}
