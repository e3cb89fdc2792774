#include "app/json_file.h"

#include "app/output_file.h"

namespace haltere {

void write_json(const Json& json, const std::string& file) {
  write_output(file, to_text(json));
}

}  // namespace haltere
