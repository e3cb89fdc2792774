#include "haltere/model/model.h"

namespace haltere {

void update_parameters(const Model& model, std::vector<double>* table, const std::vector<bool>& fixed) {
  for (std::size_t slot = 0; slot < model.parameters.size(); ++slot) {
    const std::optional<Expression>& formula = model.parameters[slot].formula;
    if (formula && !fixed[slot]) (*table)[slot] = formula->calc<double, double>(table->data(), nullptr);
  }
}

}  // namespace haltere
