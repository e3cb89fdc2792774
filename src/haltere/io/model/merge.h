#pragma once

#include "haltere/io/model/document.h"

namespace haltere {

/// Puts `over` on top of `base`: maps are merged key by key, everything else replaces what was there. A map
/// of another `kind` replaces as a whole; `~` removes.
void merge_over(YamlNode over, YamlNode* base);

}  // namespace haltere
