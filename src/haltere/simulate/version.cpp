#include "haltere/simulate/version.h"

#ifndef HALTERE_VERSION
#define HALTERE_VERSION "development"  // built without the project's CMake files
#endif

namespace haltere {

std::string_view version() {
  return HALTERE_VERSION;
}

}  // namespace haltere
