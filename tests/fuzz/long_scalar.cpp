// YAML of many equal lines, as long as a file may be: a tree or a problem, soon. The input is a list of
// parts: how often (two bytes), how long (one byte), and the text to be repeated.
#include <algorithm>
#include <string>

#include "fuzz/scratch.h"

#include "haltere/io/model/document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haltere;
  constexpr std::size_t kLongest = 1 << 18;  // long enough for anything quadratic to show
  std::string text;
  while (size > 3) {
    const std::size_t times = data[0] + 256U * data[1];
    const std::size_t length = std::min<std::size_t>(data[2] % 32U + 1, size - 3);
    const std::string part(reinterpret_cast<const char*>(data) + 3, length);
    for (std::size_t i = 0; i <= times && text.size() < kLongest; ++i) text += part;
    data += 3 + length;
    size -= 3 + length;
  }
  const std::string file = "fuzz.yaml";
  ProblemList problems;
  const std::optional<YamlNode> root = parse_document(text, &file, &problems);
  require(root || problems.has_errors());
  return 0;
}
