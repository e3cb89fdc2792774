#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <zlib.h>

/// A page of `haltere report` read back, by docs/report-format.md and nothing of the program.
namespace haltere {

class ReportPage {
 public:
  explicit ReportPage(const std::string& page) {
    const std::string_view open = "<script type=\"application/octet-stream\" class=\"haltere-data\">",
                           close = "</script>";
    std::string letters;
    for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
      at += open.size();
      letters += page.substr(at, page.find(close, at) - at);
      ++elements;
    }
    const std::string bytes = unpack(decode(letters));
    if (bytes.substr(0, 4) != "HLTR" || word(bytes, 4) != 1) throw std::runtime_error("no report");
    const std::size_t length = word(bytes, 8), start = 12 + length;
    json = nlohmann::json::parse(bytes.substr(12, length));
    blob = bytes.substr((start + 7) / 8 * 8);
  }

  nlohmann::json json;
  std::string blob;
  int elements = 0;
  std::string gzip_head;  // ten bytes

  /// The numbers of an array, whatever their type.
  std::vector<double> numbers(const nlohmann::json& array) const {
    const std::string type = array["type"];
    if (type == "f64") return take<double, std::uint64_t>(array);
    if (type == "f32") return take<float, std::uint32_t>(array);
    if (type == "u8") return take<std::uint8_t, std::uint8_t>(array);
    if (type == "i8") return take<std::int8_t, std::uint8_t>(array);
    if (type == "u16") return take<std::uint16_t, std::uint16_t>(array);
    if (type == "i16") return take<std::int16_t, std::uint16_t>(array);
    if (type == "u32") return take<std::uint32_t, std::uint32_t>(array);
    throw std::runtime_error("unknown type " + type);
  }
  /// A channel of a result.
  const nlohmann::json& channel(std::size_t result, const std::string& name) const {
    for (const auto& channel : json["results"][result]["channels"])
      if (channel["name"] == name) return channel;
    throw std::runtime_error("no channel " + name);
  }

 private:
  static std::size_t word(const std::string& bytes, std::size_t at) {
    std::size_t value = 0;
    for (int k = 3; k >= 0; --k) value = value << 8U | static_cast<unsigned char>(bytes.at(at + k));
    return value;
  }
  static std::string decode(const std::string& letters) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<int> values(256, -1);
    for (int i = 0; i < 64; ++i) values[static_cast<unsigned char>(digits[i])] = i;
    std::string bytes;
    unsigned group = 0;
    int bits = 0;
    for (const char letter : letters) {
      const int value = values[static_cast<unsigned char>(letter)];
      if (value < 0 && letter != '=') throw std::runtime_error("no base64");
      if (value < 0) break;
      group = group << 6U | static_cast<unsigned>(value);
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      bytes += static_cast<char>(group >> bits & 0xffU);
    }
    return bytes;
  }
  std::string unpack(const std::string& packed) {
    gzip_head = packed.substr(0, 10);
    z_stream stream{};
    inflateInit2(&stream, 15 + 16);
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<unsigned>(packed.size());
    std::string bytes, buffer(1U << 16U, '\0');
    int status = Z_OK;
    while (status == Z_OK) {
      stream.next_out = reinterpret_cast<unsigned char*>(buffer.data());
      stream.avail_out = static_cast<unsigned>(buffer.size());
      status = inflate(&stream, Z_NO_FLUSH);
      bytes.append(buffer, 0, buffer.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (status != Z_STREAM_END) throw std::runtime_error("no gzip");
    return bytes;
  }
  template <class T, class Word>
  std::vector<double> take(const nlohmann::json& array) const {
    const std::size_t at = array["at"], n = array["n"], step = array.value("step", std::size_t{0});
    if (at + n * sizeof(T) > blob.size()) throw std::runtime_error("an array beyond the end");
    std::vector<Word> words(n);
    for (std::size_t i = 0; i < n; ++i) {
      Word word = 0;
      for (std::size_t k = 0; k < sizeof(T); ++k)
        word = static_cast<Word>(word | static_cast<Word>(static_cast<unsigned char>(blob[at + k * n + i]))
                                            << (8 * k));
      words[i] = step > 0 && i >= step ? static_cast<Word>(words[i - step] + word) : word;
    }
    std::vector<double> values;
    for (const Word w : words) {
      T value;
      std::memcpy(&value, &w, sizeof value);
      values.push_back(static_cast<double>(value));
    }
    return values;
  }
};

}  // namespace haltere
