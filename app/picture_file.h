#pragma once

#include <string>

namespace haltere {

/// A figure can be written to files with these endings, as SVG to stdout.
enum class PictureFormat { kNone, kSvg, kPdf, kPng };
PictureFormat find_picture_format(const std::string& file);

struct PictureSize {
  double width = 0;  // [mm]
  double dpi = 300;  // of a PNG
};

/// Writes an SVG document as its file says; .pdf and .png by the program rsvg-convert. The file is there as a whole
/// or not at all. InputError where there is no rsvg-convert, RunError with its message where it fails.
void write_picture(const std::string& file, const std::string& svg, const PictureSize& size);

}  // namespace haltere
