// Any bytes as a model file: a model that can be evaluated, or an InputError; never a crash, a leak or a long
// wait.
#include "haltere/io/model/model_reader.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "haltere/dynamics/equations.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haltere;
  try {
    const Model model = read_model_text(std::string(reinterpret_cast<const char*>(data), size), "fuzz.yaml");
    const std::unique_ptr<Equations> equations = make_equations("recursive", model);
    const Eigen::VectorXd y = equations->calc_initial_state();
    Eigen::VectorXd ydot(y.size());
    equations->calc_ydot(0, y, ydot);
  } catch (const InputError& error) {
    if (error.problems().empty()) std::abort();  // what bad input is for, but it must say what is bad
  }
  return 0;
}
