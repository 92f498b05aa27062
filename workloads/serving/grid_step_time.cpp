// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/grid_step_time.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/core/error.hpp"
#include "workloads/traces/random.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr double kPartsPerBillion = 1e9;

double checked(core::Femtoseconds time) {
  if (time < 0) throw core::SimulationError("a kernel time is negative");
  return static_cast<double>(time);
}

// Rows x attend to y tokens each.
double decode_work(double batch, double) { return batch; }
// The ends of the first spans: small batches stream the weights, whatever their size.
constexpr std::int64_t kFirstSpans[] = {1, 64, 256, 1024};

std::pair<std::int64_t, std::int64_t> span_around(std::int64_t x) {
  for (std::size_t i = 1; i < std::size(kFirstSpans); ++i) {
    if (x < kFirstSpans[i]) return {kFirstSpans[i - 1], kFirstSpans[i]};
  }
  const auto base = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(x)));
  return {base, 2 * base};
}

// Causal: new token i attends to y + i tokens.
double prefill_work(double rows, double context) { return rows * (context + (rows + 1) / 2); }

}  // namespace

std::int64_t grid_ceiling(std::int64_t x) {
  const auto [low, high] = span_around(x);
  return x == low ? low : high;
}

AdaptiveGrid::Points::iterator AdaptiveGrid::point(std::int64_t x) {
  const auto found = points_.lower_bound(x);
  if (found != points_.end() && found->first == x) return found;
  return points_.emplace_hint(found, x, Point{checked(source_(x)), false});
}

double AdaptiveGrid::at(std::int64_t x) {
  const auto found = points_.find(x);
  if (found != points_.end()) return found->second.time;
  const auto [low, high] = span_around(x);
  if (x == low) return point(low)->second.time;
  point(low);
  point(high);
  while (true) {
    const auto right = points_.upper_bound(x);
    const auto left = std::prev(right);
    if (left->first == x) return left->second.time;
    const std::int64_t span = right->first - left->first;
    const auto between = [&](std::int64_t at) {
      const double share = static_cast<double>(at - left->first) / static_cast<double>(span);
      return left->second.time + share * (right->second.time - left->second.time);
    };
    // Time grows with x, so that ends close together need no middle.
    const bool flat = right->second.time <= (1 + 2 * tolerance_) * left->second.time;
    if (left->second.settled || flat || span == 1) return between(x);
    const std::int64_t middle = left->first + span / 2;
    const double predicted = between(middle);
    const auto added = point(middle);
    const double actual = added->second.time;
    // Halving a smooth span divides its error by four, so the halves are within the tolerance.
    if (std::abs(predicted - actual) <= 2 * tolerance_ * actual) {
      left->second.settled = true;
      added->second.settled = true;
    }
  }
}

double ProductGrid::time(std::int64_t x, std::int64_t y) {
  const auto [found, added] = points_.try_emplace({x, y}, 0.0);
  if (added) found->second = checked(source_(x, y));
  return found->second;
}

// The grid values around `value`: 0, 1, 2, ... up to points_per_octave, then spaced evenly within
// each doubling.
std::pair<std::int64_t, std::int64_t> ProductGrid::around(double value) const {
  const auto whole = static_cast<std::int64_t>(value);
  if (whole < 2 * per_octave_) {
    return {whole, static_cast<double>(whole) == value ? whole : whole + 1};
  }
  const auto octave = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(whole)));
  const std::int64_t spacing = std::max<std::int64_t>(1, octave / per_octave_);
  const std::int64_t low = octave + (whole - octave) / spacing * spacing;
  return {low, static_cast<double>(low) == value ? low : low + spacing};
}

double ProductGrid::along_x(double x, std::int64_t y) {
  const auto [low, high] = around(x);
  const double first = time(low, y);
  if (low == high) return first;
  const auto at_y = static_cast<double>(y);
  const double start = work_(static_cast<double>(low), at_y);
  const double share = (work_(x, at_y) - start) / (work_(static_cast<double>(high), at_y) - start);
  return first + share * (time(high, y) - first);
}

double ProductGrid::at(double x, double y) {
  const auto [low, high] = around(y);
  const double first = along_x(x, low);
  if (low == high) return first;
  const double share = (y - static_cast<double>(low)) / static_cast<double>(high - low);
  return first + share * (along_x(x, high) - first);
}

GridStepTime::GridStepTime(KernelTimes& machine, const GridOptions& options)
    : machine_(machine),
      options_(options),
      linear_([this](std::int64_t tokens) { return machine_.linear_part(tokens, 0); },
              options.tolerance),
      sampling_(
          [this](std::int64_t rows) {
            return std::max<core::Femtoseconds>(
                0, machine_.linear_part(rows, rows) - machine_.linear_part(rows, 0));
          },
          options.tolerance),
      decode_(
          [this](std::int64_t batch, std::int64_t context) { return decode_point(batch, context); },
          &decode_work, options.points_per_octave),
      prefill_([this](std::int64_t tokens,
                      std::int64_t context) { return machine_.prefill_attention(tokens, context); },
               &prefill_work, options.points_per_octave) {
  if (!(options.tolerance > 0) || options.points_per_octave < 1) {
    throw core::InputError("grid: tolerance must be positive and points per octave at least 1");
  }
}

core::Femtoseconds GridStepTime::step_time(const StepBatch& batch) {
  ++steps_;
  Shape linear{kLinear, batch.new_tokens, batch.sampled_rows};
  double total = predict(linear);
  remember(linear);
  std::int64_t decodes = 0;
  std::int64_t contexts = 0;
  contexts_.clear();
  for (const ServedSequence& sequence : batch.sequences) {
    if (sequence.new_tokens == 1) {
      ++decodes;
      contexts_.push_back(sequence.context + 1);
      contexts += sequence.context + 1;
      continue;
    }
    const Shape prefill{kPrefill, sequence.new_tokens, sequence.context};
    total += predict(prefill);
    remember(prefill);
  }
  if (decodes > 0) {
    // Unequal contexts cost what their mean costs: attention is linear in the context of each.
    total += decode_.at(static_cast<double>(decodes),
                        static_cast<double>(contexts) / static_cast<double>(decodes));
    remember({kDecode, decodes, (contexts + decodes / 2) / decodes});
    if (std::has_single_bit(++decode_steps_)) mixed_.push_back(contexts_);
  }
  return std::llround(std::max(total, 1.0));
}

core::Femtoseconds GridStepTime::decode_point(std::int64_t batch, std::int64_t context) {
  const auto simulated = [&](std::int64_t count) {
    const auto [found, added] = decode_points_.try_emplace({count, context}, 0);
    if (added) found->second = machine_.decode_attention(count, context);
    return found->second;
  };
  const std::int64_t most = std::max<std::int64_t>(
      2, options_.largest_decode_tokens / std::max<std::int64_t>(1, context));
  if (batch <= most) return simulated(batch);
  const auto upper = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
  const std::int64_t lower = upper / 2;
  const core::Femtoseconds last = simulated(upper);
  const double slope =
      static_cast<double>(last - simulated(lower)) / static_cast<double>(upper - lower);
  return last + std::llround(slope * static_cast<double>(batch - upper));
}

double GridStepTime::predict(const Shape& shape) {
  switch (shape.kind) {
    case kLinear:
      return linear_.at(shape.first) + (shape.second > 0 ? sampling_.at(shape.second) : 0);
    case kDecode:
      return decode_.at(static_cast<double>(shape.first), static_cast<double>(shape.second));
    case kPrefill:
      return prefill_.at(static_cast<double>(shape.first), static_cast<double>(shape.second));
  }
  return 0;
}

double GridStepTime::ask(const Shape& shape) {
  switch (shape.kind) {
    case kLinear:
      return checked(machine_.linear_part(shape.first, shape.second));
    case kDecode:
      return checked(machine_.decode_attention(shape.first, shape.second));
    case kPrefill:
      return checked(machine_.prefill_attention(shape.first, shape.second));
  }
  return 0;
}

void GridStepTime::remember(const Shape& shape) {
  if (asked_++ % stride_ != 0) return;
  sample_.push_back(shape);
  if (sample_.size() < kSample) return;
  for (std::size_t i = 0; 2 * i < sample_.size(); ++i) sample_[i] = sample_[2 * i];
  sample_.resize(kSample / 2);
  stride_ *= 2;
}

GridStepTime::Error GridStepTime::measure_error(std::int64_t points, std::uint64_t seed) {
  Error error;
  if (sample_.empty()) return error;
  Random random(seed);
  Distribution errors;
  Distribution mixed;
  const auto add = [](Distribution& to, double predicted, double actual) {
    if (actual > 0) to.add(std::llround(std::abs(predicted / actual - 1) * kPartsPerBillion));
  };
  for (std::int64_t i = 0; i < points; ++i) {
    const Shape shape = sample_[random.below(sample_.size())];
    add(errors, predict(shape), ask(shape));
  }
  // The latest ones: batches seen early in a run are small.
  const std::size_t first =
      mixed_.size() - std::min(mixed_.size(), static_cast<std::size_t>(points));
  for (std::size_t i = first; i < mixed_.size(); ++i) {
    const auto actual = machine_.mixed_decode_attention(mixed_[i]);
    if (!actual.has_value()) break;
    double sum = 0;
    for (const std::int64_t context : mixed_[i]) sum += static_cast<double>(context);
    const auto batch = static_cast<double>(mixed_[i].size());
    add(mixed, decode_.at(batch, sum / batch), checked(*actual));
  }
  error.mixed_points = mixed.count();
  error.mixed_worst_ratio = static_cast<double>(mixed.largest()) / kPartsPerBillion;
  error.points = errors.count();
  error.median_ratio = static_cast<double>(errors.percentile(50)) / kPartsPerBillion;
  error.worst_ratio = static_cast<double>(errors.largest()) / kPartsPerBillion;
  return error;
}

std::size_t GridStepTime::machine_points() const {
  return linear_.points() + 2 * sampling_.points() + decode_points_.size() + prefill_.points();
}

}  // namespace ridgepoint::workloads
