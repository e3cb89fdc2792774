// Any bytes as a checkpoint, and then again under a valid checksum: refused, or read as what can be written
// again.
#include <string>

#include "fuzz/scratch.h"

#include "haltere/io/result/checkpoint_file.h"
#include "haltere/io/result/crc64.h"
#include "haltere/io/result/seal.h"
#include "haltere/model/problem.h"

namespace {

using namespace haltere;

void try_to_read(const Scratch& scratch, const std::string& bytes) {
  write_bytes(scratch / "checkpoint", bytes);
  try {
    const Checkpoint checkpoint = read_checkpoint(scratch / "checkpoint");
    write_checkpoint(checkpoint, scratch / "again");
    require(read_bytes(scratch / "again") == bytes);
  } catch (const InputError& error) {
    require(!error.problems().empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Scratch scratch;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  try_to_read(scratch, bytes);
  append_number(calc_crc64(bytes), &bytes);
  try_to_read(scratch, bytes);
  return 0;
}
