#include "haltere/io/json.h"

#include <fstream>
#include <vector>

#include "haltere/model/wrong_input.h"

namespace haltere {

Json to_json(ConstRef x) {
  return std::vector<double>(x.data(), x.data() + x.size());
}

Json rows_of(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) rows.push_back(to_json(Eigen::VectorXd(matrix.row(i))));
  return rows;
}

std::string to_text(const Json& json) {
  // a file name in a message may be anything: odd bytes are replaced, not thrown at the user
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json read_json(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw wrong_input(file, "cannot be read");
  try {
    return Json::parse(in);
  } catch (const Json::parse_error& error) {
    throw wrong_input(file, "is not JSON: " + std::string(error.what()));
  }
}

}  // namespace haltere
