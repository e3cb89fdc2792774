#pragma once

#include <string>
#include <vector>

namespace haltere {

/// What a verb is to write; `-` is stdout, "" nothing. InputError where a file is one of the inputs, by
/// whatever name or link, or another output.
void require_distinct(const std::vector<std::string>& files, const std::vector<std::string>& inputs);
/// InputError unless the file can be written; nothing changes on disk.
void require_writable(const std::string& file);
/// Both.
void require_outputs(const std::vector<std::string>& files, const std::vector<std::string>& inputs);

/// Writes the whole text; `-` is stdout. RunError where it cannot, a full disk included.
void write_output(const std::string& file, const std::string& text);

}  // namespace haltere
