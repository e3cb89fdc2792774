#include "haltere/io/json.h"

#include <fstream>
#include <utility>
#include <vector>

#include "haltere/model/wrong_input.h"

namespace haltere {

Json to_json(ConstRef x) {
  return std::vector<double>(x.data(), x.data() + x.size());
}

Json rows_of(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    Json row =
        Json::array();  // by its numbers: a matrix without columns has no memory that a row could lie in
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
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
