#include "cli/program.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source_folder.h"

namespace haltere {
namespace fs = std::filesystem;
namespace {

fs::path make_temporary_folder() {
  std::string name = (fs::temp_directory_path() / "haltere-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return name;
}

/// Where the streams of the program go, other than to files.
struct Streams {
  int closed = 0;          // this one is closed
  int out = -1, err = -1;  // to these descriptors
  const char* program = HALTERE_PROGRAM;
};

/// In the child: becomes the program. Output goes to files, so that no pipe can fill up.
[[noreturn]] void become_program(const fs::path& folder, const fs::path& streams,
                                 const std::vector<std::string>& arguments, const Streams& others) {
  std::vector<char*> argv{const_cast<char*>(others.program)};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const int out = open((streams / "out").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  const int err = open((streams / "err").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  const int in = open("/dev/null", O_RDONLY);
  if (chdir(folder.c_str()) == 0 && dup2(in, 0) == 0 && dup2(others.out < 0 ? out : others.out, 1) == 1 &&
      dup2(others.err < 0 ? err : others.err, 2) == 2) {
    for (const int original : {out, err, in}) close(original);
    if (others.closed > 0) close(others.closed);
    execv(others.program, argv.data());
  }
  _exit(127);
}

/// `meanwhile`: what happens while the program runs; then it is sent the signal, if there is one.
Outcome run_in(const fs::path& folder, const std::vector<std::string>& arguments, const Streams& others = {},
               int signal = 0, const std::function<void(pid_t)>& meanwhile = {}) {
  const fs::path streams = make_temporary_folder();
  const pid_t child = fork();
  if (child == 0) become_program(folder, streams, arguments, others);
  if (meanwhile) meanwhile(child);
  if (signal != 0) kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read_text(streams / "out");
  outcome.err = read_text(streams / "err");
  fs::remove_all(streams);
  return outcome;
}

}  // namespace

ProgramTest::ProgramTest() : folder_(make_temporary_folder()) {}

ProgramTest::~ProgramTest() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Outcome ProgramTest::haltere(const std::vector<std::string>& arguments, Closed closed) const {
  const int stream = closed == Closed::kOut ? 1 : 2;
  return run_in(folder_, arguments, {.closed = closed == Closed::kNone ? 0 : stream});
}

Outcome ProgramTest::other_program(const std::string& program,
                                   const std::vector<std::string>& arguments) const {
  return run_in(folder_, arguments, {.program = program.c_str()});
}

Outcome ProgramTest::haltere_read(const std::vector<std::string>& arguments, std::size_t bytes) const {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::string text(bytes, ' ');
  Outcome outcome = run_in(folder_, arguments, {.out = ends[1]}, 0, [&](pid_t) {
    close(ends[1]);
    std::size_t size = 0;
    for (ssize_t n = 1; size < bytes && n > 0; size += static_cast<std::size_t>(n))
      n = std::max<ssize_t>(0, ::read(ends[0], text.data() + size, bytes - size));
    text.resize(size);
    close(ends[0]);
  });
  outcome.out = text;
  return outcome;
}

Outcome ProgramTest::haltere_on_terminal(const std::vector<std::string>& arguments) const {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
    throw std::runtime_error("no terminal");
  const int other = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
  std::string text;
  Outcome outcome = run_in(folder_, arguments, {.err = other}, 0, [&](pid_t) {
    close(other);
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(terminal, buffer, sizeof buffer)) > 0;) text.append(buffer, n);
  });
  close(terminal);
  outcome.err = text;
  return outcome;
}

Outcome ProgramTest::haltere_interrupted(const std::vector<std::string>& arguments, int signal,
                                         double seconds) const {
  return run_in(folder_, arguments, {}, signal,
                [&](pid_t) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); });
}

Outcome ProgramTest::haltere_interrupted_at(const std::string& file,
                                            const std::vector<std::string>& arguments, int signal) const {
  return haltere_meanwhile(file, arguments, signal, [] {});
}

Outcome ProgramTest::haltere_cut_off(const std::string& folder, std::vector<std::string> arguments,
                                     double after) const {
  arguments.insert(arguments.end(), {"-o", folder});
  const std::string when = "interrupted at t = ";
  Outcome o;
  for (int trial = 0; trial < 100; ++trial) {
    o = haltere_interrupted_at(folder + "/checkpoint", arguments, SIGINT);
    const std::size_t place = o.err.find(when);
    if (o.status == 128 + SIGINT && place != std::string::npos &&
        std::stod(o.err.substr(place + when.size())) > after)
      return o;
    if (o.status != 0 && o.status != 128 + SIGINT) return o;
    fs::remove_all(path(folder));
  }
  o.status = -1;
  return o;
}

Outcome ProgramTest::haltere_meanwhile(const std::string& file, const std::vector<std::string>& arguments,
                                       int signal, const std::function<void()>& meanwhile) const {
  return run_in(folder_, arguments, {}, signal, [&](pid_t child) {
    // until the file is there, or the program has ended without it
    siginfo_t ended{};
    while (!exists(file) &&
           waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    meanwhile();
  });
}

void ProgramTest::write(const std::string& name, const std::string& text) const {
  fs::create_directories(path(name).parent_path());
  std::ofstream(path(name), std::ios::binary) << text;
}

std::string ProgramTest::read(const std::string& name) const {
  return read_text(path(name));
}

std::vector<std::string> ProgramTest::files() const {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_))
    if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), folder_).string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string shipped(const std::string& name) {
  return source_path("models/" + name);
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace haltere
