// SPDX-License-Identifier: Apache-2.0
#include "sim/probe/vcd.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/error.hpp"

namespace ridgepoint::probe {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

// Printable characters '!' .. '~', least significant first.
std::string identifier(std::size_t signal) {
  std::string text;
  do {
    text += static_cast<char>('!' + signal % 94);
    signal /= 94;
  } while (signal > 0);
  return text;
}

}  // namespace

std::size_t VcdWriter::declare(std::string scope, std::string name, int bits) {
  signals_.push_back({std::move(scope), std::move(name), bits});
  return signals_.size() - 1;
}

void VcdWriter::change(std::size_t signal, core::Femtoseconds at, std::uint32_t value) {
  if (changes_.size() >= most_changes_) {
    too_many_ = true;
    return;
  }
  changes_.push_back({at, static_cast<std::uint32_t>(signal), value});
}

std::string VcdWriter::header() const {
  std::string text = "$version ridgepoint $end\n$timescale 1 fs $end\n$scope module machine $end\n";
  std::string scope;
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    const Signal& one = signals_[i];
    if (one.scope != scope) {
      if (!scope.empty()) text += "$upscope $end\n";
      text += "$scope module " + one.scope + " $end\n";
      scope = one.scope;
    }
    text += "$var wire " + std::to_string(one.bits) + ' ' + identifier(i) + ' ' + one.name;
    if (one.bits > 1) text += " [" + std::to_string(one.bits - 1) + ":0]";
    text += " $end\n";
  }
  if (!scope.empty()) text += "$upscope $end\n";
  return text + "$upscope $end\n$enddefinitions $end\n";
}

void VcdWriter::append_value(std::string& out, std::size_t signal, std::uint32_t value) const {
  const int bits = signals_[signal].bits;
  if (bits > 1) out += 'b';
  for (int bit = bits - 1; bit >= 0; --bit) out += (value >> bit & 1U) != 0 ? '1' : '0';
  if (bits > 1) out += ' ';
  out += identifier(signal) + '\n';
}

void VcdWriter::write(const TextSink& sink, core::Femtoseconds from, core::Femtoseconds to) {
  if (too_many_) {
    core::fail_input({}, "--timeline-window-us", "",
                     "holds more than " + std::to_string(most_changes_) + " changes of signals",
                     "a shorter window, or fewer cores and channels");
  }
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
    return std::pair(a.at, a.signal) < std::pair(b.at, b.signal);
  });
  std::vector<std::uint32_t> now(signals_.size(), 0);
  std::string out = header();
  std::size_t next = 0;
  for (; next < changes_.size() && changes_[next].at <= from; ++next) {
    now[changes_[next].signal] = changes_[next].value;
  }
  out += '#' + std::to_string(from) + "\n$dumpvars\n";
  for (std::size_t i = 0; i < signals_.size(); ++i) append_value(out, i, now[i]);
  out += "$end\n";
  core::Femtoseconds written = from;
  for (; next < changes_.size() && changes_[next].at <= to; ++next) {
    const Change& change = changes_[next];
    const bool replaced = next + 1 < changes_.size() && changes_[next + 1].at == change.at &&
                          changes_[next + 1].signal == change.signal;
    if (replaced || now[change.signal] == change.value) continue;
    now[change.signal] = change.value;
    if (change.at != written) out += '#' + std::to_string(change.at) + '\n';
    written = change.at;
    append_value(out, change.signal, change.value);
    if (out.size() < kFlushBytes) continue;
    sink(out);
    out.clear();
  }
  if (written != to) out += '#' + std::to_string(to) + '\n';
  sink(out);
}

}  // namespace ridgepoint::probe
