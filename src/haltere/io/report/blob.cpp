#include "haltere/io/report/blob.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <zlib.h>

namespace haltere {
namespace {

// of zlib: its default, and the largest window with a header of gzip
constexpr int kLevel = 6, kGzipWindow = 15 + 16, kMemory = 8;
constexpr std::size_t kLargestPiece = 1U << 30U;  // bytes; zlib counts them in 32 bits

}  // namespace

void shift_arrays(std::size_t offset, Json* json) {
  if (json->is_object() && json->contains("type") && json->contains("at") && (*json)["at"].is_number()) {
    (*json)["at"] = (*json)["at"].get<std::size_t>() + offset;
    return;
  }
  if (json->is_structured())
    for (Json& child : *json) shift_arrays(offset, &child);
}

std::string pack_gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed;
  std::array<unsigned char, 1U << 16U> buffer;
  int status = Z_OK;
  do {
    if (stream.avail_in == 0) {
      const std::size_t piece = std::min(bytes.size(), kLargestPiece);
      stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));  // it only reads
      stream.avail_in = static_cast<unsigned>(piece);
      bytes.remove_prefix(piece);
    }
    stream.next_out = buffer.data();
    stream.avail_out = buffer.size();
    status = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    packed.append(reinterpret_cast<const char*>(buffer.data()), buffer.size() - stream.avail_out);
  } while (status == Z_OK);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::logic_error("deflate");
  return packed;
}

}  // namespace haltere
