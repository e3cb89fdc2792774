#include "source_folder.h"

namespace haltere {

// Only here the place of this clone is compiled in: all other objects of the tests are the same in every clone.
std::string source_path(const std::string& place) {
  return HALTERE_SOURCE_DIR "/" + place;
}

}  // namespace haltere
