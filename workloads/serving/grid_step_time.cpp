// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/grid_step_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sim/core/error.hpp"
#include "workloads/traces/distribution.hpp"
#include "workloads/traces/random.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr double kPartsPerBillion = 1e9;
constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kCheapWeights = 16 * kMiB;  // a point of such layers costs milliseconds
constexpr std::int64_t kCheapExact = 512;
constexpr int kCheapDensity = 16;

LinearTimes::Density density_of(std::int64_t weight_bytes) {
  if (weight_bytes > kCheapWeights) return {};
  return {.exact = kCheapExact, .per_octave = kCheapDensity};
}

// Large layers are passed over twice only where one pass does not tell what two take.
LinearTimes::Source saving_of(KernelTimes& machine) {
  const KernelGeometry geometry = machine.geometry();
  if (!geometry.even_passes || geometry.layer_weight_bytes <= kCheapWeights) return {};
  return [&machine](std::int64_t rows) { return machine.second_pass_saving(rows); };
}

}  // namespace

GridStepTime::GridStepTime(KernelTimes& machine, const GridOptions& options)
    : machine_(machine),
      linear_([this](std::int64_t rows) { return machine_.linear_part(rows); },
              machine.geometry().row_tile, density_of(machine.geometry().layer_weight_bytes),
              options.tolerance, saving_of(machine)),
      sampling_([this](std::int64_t rows) { return machine_.sampling_part(rows); },
                machine.geometry().row_tile, density_of(machine.geometry().head_weight_bytes),
                options.tolerance),
      attention_(machine, options.attention) {}

void GridStepTime::prepare(std::int64_t rows, std::int64_t sampled) {
  std::vector<KernelQuery> queries;
  if (prepared_rows_ == 0) queries = attention_.wanted();
  const auto cover = [](const LinearTimes& times, std::int64_t size, std::int64_t& prepared) {
    std::vector<std::int64_t> sizes;
    if (size <= prepared) return sizes;
    sizes = times.wanted(size);
    prepared =
        sizes.empty() ? std::numeric_limits<std::int64_t>::max() : std::max(size, sizes.back());
    return sizes;
  };
  for (const std::int64_t size : cover(linear_, rows, prepared_rows_)) {
    queries.push_back({KernelQuery::Part::kLinear, size, {}});
  }
  for (const std::int64_t size : cover(sampling_, sampled, prepared_sampled_)) {
    queries.push_back({KernelQuery::Part::kSampling, size, {}});
  }
  machine_.prepare(queries);
}

double GridStepTime::predict_rows(std::int64_t rows, std::int64_t sampled) {
  return linear_.at(rows) + (sampled > 0 ? sampling_.at(sampled) : 0);
}

core::Femtoseconds GridStepTime::step_time(const StepBatch& batch) {
  batch_.clear();
  for (const ServedSequence& sequence : batch.sequences) {
    batch_.push_back({sequence.new_tokens, sequence.context});
  }
  if (steps_++ % stride_ == 0) remember(batch);
  if (batch.new_tokens > prepared_rows_ || batch.sampled_rows > prepared_sampled_) {
    prepare(batch.new_tokens, batch.sampled_rows);
  }
  const double time = predict_rows(batch.new_tokens, batch.sampled_rows) + attention_.at(batch_);
  return std::llround(std::max(time, 1.0));
}

void GridStepTime::remember(const StepBatch& batch) {
  sample_.push_back({batch.new_tokens, batch.sampled_rows, batch_});
  if (sample_.size() < kSample) return;
  for (std::size_t i = 1; 2 * i < sample_.size(); ++i) sample_[i] = std::move(sample_[2 * i]);
  sample_.resize(kSample / 2);
  stride_ *= 2;
}

GridStepTime::Error GridStepTime::measure_error(std::int64_t steps, std::uint64_t seed) {
  Error error;
  if (sample_.empty() || steps <= 0) return error;
  Random random(seed);
  std::set<std::size_t> drawn;
  const auto most = std::min<std::size_t>(static_cast<std::size_t>(steps), sample_.size());
  while (drawn.size() < most) drawn.insert(random.below(sample_.size()));
  std::vector<KernelQuery> queries;
  for (const std::size_t i : drawn) {
    queries.push_back({KernelQuery::Part::kWholeStep, sample_[i].sampled, sample_[i].batch});
  }
  machine_.prepare(queries);
  Distribution errors;
  for (const std::size_t i : drawn) {
    const Step& step = sample_[i];
    const KernelTimes::Step fresh = machine_.whole_step(step.batch, step.sampled);
    const double predicted = attention_.at(step.batch);
    const double whole = predicted + predict_rows(step.rows, step.sampled);
    const double missed = std::abs(whole / static_cast<double>(fresh.time) - 1);
    errors.add(std::llround(missed * kPartsPerBillion));
    error.attention_worst_ratio =
        std::max(error.attention_worst_ratio,
                 std::abs(predicted / static_cast<double>(fresh.attention) - 1));
  }
  error.points = errors.count();
  error.median_ratio = static_cast<double>(errors.percentile(50)) / kPartsPerBillion;
  error.worst_ratio = static_cast<double>(errors.largest()) / kPartsPerBillion;
  return error;
}

std::size_t GridStepTime::machine_points() const {
  return linear_.points() + sampling_.points() + attention_.points();
}

}  // namespace ridgepoint::workloads
