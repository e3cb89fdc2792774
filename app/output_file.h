#pragma once

#include <string>

namespace haltere {

/// InputError unless the file can be written; nothing changes on disk. `-` is stdout.
void require_writable(const std::string& file);

/// Writes the whole text; `-` is stdout. RunError where it cannot, a full disk included.
void write_output(const std::string& file, const std::string& text);

}  // namespace haltere
