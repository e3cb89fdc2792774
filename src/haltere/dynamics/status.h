#pragma once

namespace haltere {

/// Whether something could be computed.
enum class Status { kOk, kSingular, kNotFinite };

}  // namespace haltere
