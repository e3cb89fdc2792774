#pragma once

#include <cstdio>
#include <string>
#include <vector>

/// Programs of others that run in Python, in processes of their own.
namespace haltere::bench {

/// What a command prints; empty where it fails.
inline std::string read_output(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::vector<char> part(1 << 16);
  for (std::size_t n = 0; (n = fread(part.data(), 1, part.size(), pipe)) > 0;) text.append(part.data(), n);
  return pclose(pipe) == 0 ? text : "";
}

}  // namespace haltere::bench
