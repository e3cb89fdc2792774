#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

/// The program as a script sees it: arguments in, exit status and two streams out.
namespace haltere {

struct Outcome {
  int status = -1;  // exit status; 128 + signal where it died of one
  std::string out;  // stdout
  std::string err;  // stderr
};

/// A test with a folder of its own, in which the program runs, and which is removed afterwards.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  enum class Closed { kNone, kOut, kErr };  // a stream that the caller has closed
  Outcome haltere(const std::vector<std::string>& arguments, Closed closed = Closed::kNone) const;
  /// Another program in place of the one that is tested, with all streams.
  Outcome other_program(const std::string& program, const std::vector<std::string>& arguments) const;
  /// Its stdout is a pipe, whose reader goes away after so many bytes; they are `out`.
  Outcome haltere_read(const std::vector<std::string>& arguments, std::size_t bytes) const;
  /// Its stderr is a terminal.
  Outcome haltere_on_terminal(const std::vector<std::string>& arguments) const;
  /// Sends `signal` after `seconds`.
  Outcome haltere_interrupted(const std::vector<std::string>& arguments, int signal, double seconds) const;
  /// Sends `signal` a tenth of a second after the file has appeared.
  Outcome haltere_interrupted_at(const std::string& file, const std::vector<std::string>& arguments,
                                 int signal) const;

  /// Cuts a run off, with SIGINT, later than t = `after` and before its end; the folder has its checkpoint then. On a
  /// busy machine a signal may come after a step or two, or as late as the end: such a run is begun anew. The status
  /// is -1 if it was so a hundred times.
  Outcome haltere_cut_off(const std::string& folder, std::vector<std::string> arguments, double after) const;

  /// As haltere_interrupted_at(); before the signal, `meanwhile` happens.
  Outcome haltere_meanwhile(const std::string& file, const std::vector<std::string>& arguments, int signal,
                            const std::function<void()>& meanwhile) const;

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  /// Names of all files below the folder, sorted.
  std::vector<std::string> files() const;

 private:
  std::filesystem::path folder_;
};

/// The file of a shipped model's folder.
std::string shipped(const std::string& name);

/// A whole file.
std::string read_text(const std::filesystem::path& file);

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace haltere
