// Damage to a result: it is refused, or holds what was written; never a crash, a hang or another number. The
// first byte says to what: the bytes are the whole file (0), or changes to a finished result (1), to one
// whose run was killed (2), to its seal (3), or to its seal with a new checksum over it (4).
#include "fuzz/scratch.h"
#include "unit/io/sample_run.h"

#include "haltere/io/result/crc64.h"
#include "haltere/io/result/hdf5_sink.h"
#include "haltere/io/result/result.h"
#include "haltere/io/result/seal.h"

namespace {

using namespace haltere;

/// Everything that can be read of it; "" where it is refused.
std::string read_all(const std::filesystem::path& path) {
  try {
    const Result result(path);
    std::string all = result.outcome() + result.info().model_text;
    for (const Channel& channel : result.channels()) {
      const std::vector<double> column = result.column(channel.name);
      all += channel.name + channel.unit;
      all.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(double));
    }
    for (std::size_t i = 0; i < result.frame_times().size(); ++i) {
      const Frame frame = result.read_frame(static_cast<long>(i));
      for (const VortexSheet& sheet : frame.sheets)
        all.append(reinterpret_cast<const char*>(sheet.circulations.data()),
                   sheet.circulations.size() * sizeof(double));
    }
    return all;
  } catch (const InputError& error) {
    require(!error.problems().empty());
    return "";
  }
}

/// A lattice of one panel.
Frame make_frame() {
  VortexSheet sheet{.surface = "wing", .rows = 1, .columns = 1, .air_rows = 1};
  sheet.nodes.assign(4, Vector3<double>(0.1, 0.2, 0.3));
  sheet.circulations = sheet.pressures = {0.7};
  return {0.5, {Transform<double>{}}, {sheet}};
}

/// A run of two files, each as a kill would leave it.
struct Good {
  Good() {
    Hdf5Sink sink(scratch / "good.h5");
    RunInfo info = make_sample_info();
    info.frames = 0.1;
    info.bodies = info.surfaces = {"wing"};
    sink.begin(make_sample_channels({{"x", "m"}}), info);
    sink.flush();
    write_sample_rows(&sink, 2, 20);
    sink.frame(make_frame());
    sink.event({"release", 0.25, false, "k = 4 N/m", 1.5});
    sink.flush();
    killed = read_bytes(scratch / "good.h5");
    seal = read_bytes(scratch / "good.h5.seal");
    killed_content = read_all(scratch / "good.h5");
    sink.end(make_sample_summary());
    finished = read_bytes(scratch / "good.h5");
    finished_content = read_all(scratch / "good.h5");
    require(!killed_content.empty() && !finished_content.empty());
  }
  Scratch scratch;
  std::string finished, killed, seal, finished_content, killed_content;
};

std::string seal_again(std::string seal) {
  if (seal.size() < 8) return seal;
  seal.resize(seal.size() - 8);
  append_number(calc_crc64(seal), &seal);
  return seal;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Good good;
  if (size == 0) return 0;
  const int what = data[0] % 5;
  ++data;
  --size;
  const std::filesystem::path file = good.scratch / "result.h5", seal = good.scratch / "result.h5.seal";
  std::filesystem::remove(seal);
  if (what == 0) write_bytes(file, std::string(reinterpret_cast<const char*>(data), size));
  if (what == 1) write_bytes(file, damage(good.finished, data, size));
  if (what >= 2) write_bytes(file, what == 2 ? damage(good.killed, data, size) : good.killed);
  if (what == 2) write_bytes(seal, good.seal);
  if (what == 3) write_bytes(seal, damage(good.seal, data, size));
  if (what == 4) write_bytes(seal, seal_again(damage(good.seal, data, size)));
  const std::string content = read_all(file);
  require(content.empty() || content == (what == 1 ? good.finished_content : good.killed_content));
  return 0;
}
