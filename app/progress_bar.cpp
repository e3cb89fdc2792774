#include "app/progress_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace haltere {
namespace {

constexpr int kWidth = 30;  // of the bar, in characters

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto s = static_cast<long>(std::lround(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

// between two words
constexpr std::chrono::milliseconds kPause{100};

}  // namespace

ProgressBar::ProgressBar(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::draw(const Progress& progress) {
  if (!shown_) return;
  drawn_ = true;
  const double share = progress.until > 0 ? std::clamp(progress.t / progress.until, 0., 1.) : 1;
  const int filled = static_cast<int>(share * kWidth);
  fmt::print(stderr, "\r[{}{}] {:3.0f} %  t = {:.4g} of {:.4g} s, {} left\033[K", std::string(filled, '='),
             std::string(kWidth - filled, ' '), 100 * share, progress.t, progress.until,
             duration(progress.seconds_left));
  std::fflush(stderr);
}

void ProgressBar::say(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now - said_ < kPause) return;
  said_ = now;
  drawn_ = true;
  fmt::print(stderr, "\r{}\033[K", text);
  std::fflush(stderr);
}

}  // namespace haltere
