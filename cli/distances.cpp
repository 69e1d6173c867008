#include "cli/distances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace omen::cli {
namespace {

constexpr std::size_t kMostSteps = 400;

// The dimensions of the plot, in pixels.
constexpr double kWidth = 640;
constexpr double kHeight = 360;
constexpr double kLeft = 60;
constexpr double kRight = 20;
constexpr double kTop = 20;
constexpr double kBottom = 50;

constexpr std::array<std::string_view, 5> kColours{"#1b6ca8", "#c1440e", "#2a7f3f", "#7a3e9d", "#806000"};
constexpr std::array<std::string_view, 5> kDashes{"", "6 3", "2 3", "8 3 2 3", "1 4"};

double y_of(double share) {
  return kTop + (1 - share) * (kHeight - kTop - kBottom);
}

}  // namespace

void Distances::sort() const {
  if (!sorted_) std::ranges::sort(all_);
  sorted_ = true;
}

std::uint64_t Distances::at(std::size_t rank) const {
  if (all_.empty()) return 0;
  sort();
  return all_[rank];
}

double Distances::at_least(std::uint64_t distance) const {
  if (all_.empty()) return 0;
  sort();
  const auto fewer = std::ranges::lower_bound(all_, distance) - all_.begin();
  return 1 - static_cast<double>(fewer) / static_cast<double>(all_.size());
}

std::vector<std::pair<std::uint64_t, double>> Distances::steps() const {
  std::vector<std::pair<std::uint64_t, double>> result;
  if (all_.empty()) return result;
  sort();
  const std::size_t stride = std::max<std::size_t>(1, all_.size() / kMostSteps);
  for (std::size_t i = 0; i < all_.size(); i += stride) {
    if (result.empty() || result.back().first != all_[i]) result.emplace_back(all_[i], at_least(all_[i]));
  }
  if (result.back().first != all_.back()) result.emplace_back(all_.back(), at_least(all_.back()));
  return result;
}

std::string distance_plot(const std::vector<std::pair<std::string, Distances>>& lines) {
  std::uint64_t most = 10;
  for (const auto& [name, distances] : lines) most = std::max(most, distances.most());
  const double decades = std::ceil(std::log10(static_cast<double>(most)));
  const auto x_of = [&](std::uint64_t distance) {
    const double at = std::log10(static_cast<double>(std::max<std::uint64_t>(distance, 1))) / decades;
    return kLeft + at * (kWidth - kLeft - kRight);
  };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>Dynamic races with at least an event distance</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      kWidth, kHeight);
  for (int percent = 0; percent <= 100; percent += 25) {
    const double y = y_of(percent / 100.0);
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#cccccc\"/>"
        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5} %</text>\n",
        kLeft, kWidth - kRight, y, kLeft - 6, y + 4, percent);
  }
  std::uint64_t distance = 1;
  for (int decade = 0; decade <= static_cast<int>(decades); ++decade, distance *= 10) {
    svg += fmt::format(
        "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">10<tspan dy=\"-5\" font-size=\"9\">{}</tspan></text>\n",
        x_of(distance), kHeight - kBottom + 18, decade);
  }
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">event distance (at least)</text>\n",
                     (kWidth + kLeft - kRight) / 2, kHeight - 10);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [name, distances] = lines[i];
    std::string points;
    double x = kLeft;
    double share = 1;
    // The curve drops after a distance: every race has at least the smallest one.
    for (const auto& [step, at_least] : distances.steps()) {
      points += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", x, y_of(at_least), x_of(step), y_of(at_least));
      x = x_of(step);
      share = at_least;
    }
    points += fmt::format("{0:.1f},{1:.1f} {0:.1f},{2:.1f}", x, y_of(share), y_of(0));
    const std::string_view colour = kColours[i % kColours.size()];
    svg += fmt::format(
        "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\" points=\"{}\"/>"
        "<text x=\"{}\" y=\"{}\" fill=\"{}\" text-anchor=\"end\">{}</text>\n",
        colour, kDashes[i % kDashes.size()], points, kWidth - kRight - 4, kTop + 14 + 16 * static_cast<double>(i),
        colour, name);
  }
  return svg + "</svg>\n";
}

}  // namespace omen::cli
