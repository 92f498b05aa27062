// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/prompt_times.hpp"

#include <algorithm>
#include <bit>

namespace ridgepoint::workloads {
namespace {

constexpr std::int64_t kLeastContext = 64;  // of a point, beside none

struct Span {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

Span marks_around(std::int64_t value, std::int64_t per_octave) {
  const auto octave = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
  const std::int64_t step = std::max<std::int64_t>(1, octave / per_octave);
  const std::int64_t low = octave + (value - octave) / step * step;
  return {low, low == value ? low : low + step};
}

double between(std::int64_t x, const Span& span, double low, double high) {
  if (span.low == span.high) return low;
  return low + (high - low) * static_cast<double>(x - span.low) /
                   static_cast<double>(span.high - span.low);
}

}  // namespace

PromptTimes::PromptTimes(Ask ask, int per_octave, std::int64_t most_keys)
    : ask_(std::move(ask)), per_octave_(per_octave), most_keys_(most_keys) {}

double PromptTimes::point(std::int64_t rows, std::int64_t context) {
  const auto [found, added] = points_.try_emplace({rows, context}, 0.0);
  if (added) found->second = ask_({rows, context});
  return found->second;
}

double PromptTimes::at_rows(std::int64_t rows, std::int64_t context) {
  if (context == 0) return point(rows, 0);
  Span span = context < kLeastContext ? Span{0, kLeastContext} : marks_around(context, per_octave_);
  if (rows + span.high > most_keys_) span = {context, context};
  const double low = point(rows, span.low);
  return span.low == span.high ? low : between(context, span, low, point(rows, span.high));
}

double PromptTimes::at(const AttendingSequence& sequence) {
  Span span = marks_around(sequence.new_tokens, per_octave_);
  if (sequence.context + span.high > most_keys_) span = {sequence.new_tokens, sequence.new_tokens};
  const double low = at_rows(span.low, sequence.context);
  if (span.low == span.high) return low;
  return between(sequence.new_tokens, span, low, at_rows(span.high, sequence.context));
}

}  // namespace ridgepoint::workloads
