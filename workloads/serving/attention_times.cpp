// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/attention_times.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::int64_t kCheapTokenBytes = 2048;  // of one layer
constexpr int kPromptsPerOctave = 4;
constexpr double kKinPrior = 1, kClassPrior = 2;  // in samples

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Class of a positive quantity: `per_octave` classes per doubling.
std::uint64_t octave(double value, double per_octave) {
  return static_cast<std::uint64_t>(
      std::max(0.0, std::floor(std::log2(std::max(1.0, value)) * per_octave)));
}

}  // namespace

AttentionTimes::AttentionTimes(KernelTimes& machine, const AttentionOptions& options)
    : machine_(machine),
      options_(options),
      geometry_(machine.geometry()),
      walks_(geometry_),
      prompts_(
          [this](const AttendingSequence& one) {
            return ask({&one, 1});
          },
          kPromptsPerOctave, geometry_.alone_keys),
      cheap_(geometry_.token_kv_bytes <= kCheapTokenBytes) {}

std::vector<KernelQuery> AttentionTimes::wanted() const {
  std::vector<KernelQuery> queries;
  for (Batch& batch : walks_.wanted()) {
    queries.push_back({KernelQuery::Part::kAttention, 0, std::move(batch)});
  }
  return queries;
}

double AttentionTimes::ask(std::span<const AttendingSequence> batch) {
  ++points_;
  const core::Femtoseconds time = machine_.attention(batch);
  if (time < 0) throw core::SimulationError("a kernel time is negative");
  return static_cast<double>(time);
}

// Split walks, decodes alone, prompts among them.
std::uint64_t AttentionTimes::kin_of(const AttentionWalks::Estimate& estimate) const {
  if (estimate.merges > 0) return 0;
  return estimate.prefill_part > 0 ? 2 : 1;
}

std::uint64_t AttentionTimes::class_of(const AttentionWalks::Estimate& estimate) const {
  const double rounds = static_cast<double>(estimate.blocks * geometry_.kv_heads) /
                        static_cast<double>(geometry_.cores);
  const double parts = cheap_ ? 8 : 2;  // of the time, prompts' share
  const auto share = static_cast<std::uint64_t>(std::min(parts - 1, parts * estimate.prefill_part));
  // Few are cut in another way each.
  const std::uint64_t width = estimate.merges > 0 && cheap_
                                  ? static_cast<std::uint64_t>(estimate.blocks)
                                  : octave(4 * rounds, cheap_ ? 1 : 0.5);
  const std::uint64_t length = octave(estimate.mean_tiles, cheap_ ? 1 : 0.5);
  return ((share * 256 + width) * 64 + length) * 4 + kin_of(estimate);
}

// Keys that its walks read, of one KV head.
std::int64_t AttentionTimes::keys_of(const AttendingSequence& sequence) const {
  const std::int64_t blocks = ceil_div(sequence.new_tokens, geometry_.query_block);
  return blocks * (sequence.context + (sequence.new_tokens + 1) / 2);
}

std::int64_t AttentionTimes::bytes_of(std::span<const AttendingSequence> batch) const {
  std::int64_t keys = 0;
  for (const AttendingSequence& sequence : batch) keys += keys_of(sequence);
  return keys * geometry_.token_kv_bytes;
}

// Every k-th sequence, and of long prompts the end: as much as may be simulated.
AttentionTimes::Batch AttentionTimes::sample_of(std::span<const AttendingSequence> batch) const {
  const std::int64_t most = std::max<std::int64_t>(
      1, options_.largest_sample_bytes / std::max<std::int64_t>(1, geometry_.token_kv_bytes));
  std::int64_t all = 0;
  for (const AttendingSequence& sequence : batch) all += keys_of(sequence);
  const std::int64_t every = std::max<std::int64_t>(1, ceil_div(all, most));
  Batch sample;
  std::int64_t number[2] = {0, 0};
  for (const AttendingSequence& sequence : batch) {
    if (number[sequence.new_tokens > 1 ? 1 : 0]++ % every != 0) continue;
    AttendingSequence one = sequence;
    while (keys_of(one) > most && one.new_tokens > 1) {
      const std::int64_t half = one.new_tokens / 2;
      one.context += one.new_tokens - half;
      one.new_tokens = half;
      if (one.new_tokens <= geometry_.query_block) break;
    }
    sample.push_back(one);
  }
  return sample;
}

double AttentionTimes::at(std::span<const AttendingSequence> batch) {
  if (geometry_.alone_keys == 0) return batch.empty() ? 0 : together(batch);
  double time = 0;
  std::size_t first = 0;  // of those before a prompt that goes alone
  for (std::size_t i = 0; i <= batch.size(); ++i) {
    const bool alone = i < batch.size() && batch[i].new_tokens > 1 &&
                       batch[i].new_tokens + batch[i].context <= geometry_.alone_keys;
    if (i < batch.size() && !alone) continue;
    if (i > first) time += together(batch.subspan(first, i - first));
    if (alone) time += prompts_.at(batch[i]);
    first = i + 1;
  }
  return time;
}

double AttentionTimes::together(std::span<const AttendingSequence> batch) {
  if (!calibrated_) {
    calibrated_ = true;
    machine_.prepare(wanted());
    walks_.calibrate([this](std::span<const AttendingSequence> each) { return ask(each); });
  }
  const AttentionWalks::Estimate estimate = walks_.estimate(batch);
  Ratios& known = classes_[class_of(estimate)];
  Ratios& kin = kin_[kin_of(estimate)];
  // The first of its class, and later ones, which are more typical of the run, as far as they may
  // cost.
  const bool due = known.samples == 0 ||
                   (known.samples < options_.samples && refined_bytes_ < options_.refining_bytes &&
                    known.visits >= (std::uint64_t{4} << known.samples));
  ++known.visits;
  if (due) measure(batch, known, kin);
  return walks_.launch() + estimate.time * known.mean(kin.mean(1, kKinPrior), kClassPrior);
}

void AttentionTimes::measure(std::span<const AttendingSequence> batch, Ratios& known, Ratios& kin) {
  const Batch sample = sample_of(batch);
  const double expected = walks_.estimate(sample).time;
  const double actual = ask(sample);
  if (known.samples > 0) refined_bytes_ += bytes_of(sample);
  const double ratio = expected > 0 ? std::max(0.0, actual - walks_.launch()) / expected : 1;
  for (Ratios* each : {&known, &kin}) {
    each->sum += ratio;
    ++each->samples;
  }
}

}  // namespace ridgepoint::workloads
