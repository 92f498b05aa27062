// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/attention_times.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>

#include "kernels/attention/attention.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::int64_t kLongWalk = 8;            // tiles of the longer calibration
constexpr std::int64_t kManyRounds = 12;         // walks per core from which cores are balanced
constexpr std::int64_t kCheapTokenBytes = 2048;  // of one layer: samples cost milliseconds
constexpr std::size_t kRemembered = 1u << 16;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Class of a positive quantity: `per_octave` classes per doubling.
std::uint64_t octave(double value, double per_octave) {
  return static_cast<std::uint64_t>(
      std::max(0.0, std::floor(std::log2(std::max(1.0, value)) * per_octave)));
}

}  // namespace

AttentionTimes::AttentionTimes(KernelTimes& machine, const AttentionOptions& options)
    : machine_(machine), options_(options), geometry_(machine.geometry()) {
  // Two to four walks per core, so that they are neither split nor alone; the fewer cores are idle
  // in the last round, the better.
  const std::int64_t fewest = ceil_div(2 * geometry_.cores, geometry_.kv_heads);
  const auto idle = [&](std::int64_t sequences) {
    return (geometry_.cores - sequences * geometry_.kv_heads % geometry_.cores) % geometry_.cores;
  };
  equal_sequences_ = fewest;
  for (std::int64_t n = fewest; n <= 2 * fewest; ++n) {
    if (idle(n) < idle(equal_sequences_)) equal_sequences_ = n;
  }
  // One round, and a second one of few walks.
  const std::int64_t n = geometry_.cores / geometry_.kv_heads + 1;
  if (2 * (n * geometry_.kv_heads - geometry_.cores) <= geometry_.cores) uneven_sequences_ = n;
}

AttentionTimes::Batch AttentionTimes::equal(std::int64_t rows, std::int64_t keys) const {
  return Batch(static_cast<std::size_t>(equal_sequences_), {rows, keys - rows});
}

AttentionTimes::Batch AttentionTimes::uneven() const {
  return Batch(static_cast<std::size_t>(uneven_sequences_),
               {1, kLongWalk * geometry_.key_tile - 1});
}

std::vector<KernelQuery> AttentionTimes::wanted() const {
  const std::int64_t tile = geometry_.key_tile;
  std::vector<KernelQuery> queries;
  const auto add = [&](Batch batch) { queries.push_back({0, 0, std::move(batch)}); };
  Batch twice = equal(1, 1);
  twice.insert(twice.end(), twice.begin(), twice.end());
  add(equal(1, 1));
  add(twice);
  for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{16}, geometry_.query_block}) {
    add(equal(rows, tile));
    add(equal(rows, kLongWalk * tile));
  }
  add({{1, kLongWalk * tile - 1}});
  if (uneven_sequences_ > 0) add(uneven());
  return queries;
}

double AttentionTimes::ask(std::span<const AttendingSequence> batch) {
  ++points_;
  const core::Femtoseconds time = machine_.attention(batch);
  if (time < 0) throw core::SimulationError("a kernel time is negative");
  return static_cast<double>(time);
}

AttentionTimes::Walk AttentionTimes::calibrated(std::int64_t rows) {
  const std::int64_t tile = geometry_.key_tile;
  const auto rounds =
      static_cast<double>(ceil_div(equal_sequences_ * geometry_.kv_heads, geometry_.cores));
  const double one = (ask(equal(rows, tile)) - launch_) / rounds;
  const double many = (ask(equal(rows, kLongWalk * tile)) - launch_) / rounds;
  Walk walk;
  walk.per_tile = std::max(0.0, (many - one) / static_cast<double>(kLongWalk - 1));
  walk.fixed = std::max(0.0, one - walk.per_tile);
  return walk;
}

void AttentionTimes::calibrate() {
  calibrated_ = true;
  machine_.prepare(wanted());
  Batch twice = equal(1, 1);
  const double once_time = ask(twice);
  twice.insert(twice.end(), twice.begin(), twice.end());
  const double twice_time = ask(twice);
  const std::int64_t walks = equal_sequences_ * geometry_.kv_heads;
  const std::int64_t rounds = ceil_div(walks, geometry_.cores);
  const std::int64_t more = ceil_div(2 * walks, geometry_.cores) - rounds;
  const double shortest = std::max(0.0, (twice_time - once_time) / static_cast<double>(more));
  launch_ = std::max(0.0, once_time - static_cast<double>(rounds) * shortest);
  for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{16}, geometry_.query_block}) {
    if (rows <= geometry_.query_block) walks_[rows] = calibrated(rows);
  }
  const Walk& decode = walks_.at(1);
  if (decode.per_tile > 0) {
    part_tile_ = std::clamp((shortest - decode.fixed) / decode.per_tile, 0.0, 1.0);
  }
  if (uneven_sequences_ > 0) {
    const double full = decode.fixed + static_cast<double>(kLongWalk) * decode.per_tile;
    const double second = ask(uneven()) - launch_ - full;
    if (full > 0) alone_ = std::clamp(second / full, 0.1, 1.0);
  }
  // What one long sequence takes beyond its parts is the merge.
  const Batch single{{1, kLongWalk * geometry_.key_tile - 1}};
  merge_ = 0;
  const double parts = launch_ + shape_of(single).estimate;
  merge_ = std::max(0.0, ask(single) - parts);
}

AttentionTimes::Walk AttentionTimes::walk(std::int64_t rows) const {
  const auto above = walks_.lower_bound(rows);
  if (above == walks_.end()) return walks_.rbegin()->second;
  if (above->first == rows) return above->second;
  const auto below = std::prev(above);
  const double share =
      static_cast<double>(rows - below->first) / static_cast<double>(above->first - below->first);
  Walk between;
  between.fixed = below->second.fixed + share * (above->second.fixed - below->second.fixed);
  between.per_tile =
      below->second.per_tile + share * (above->second.per_tile - below->second.per_tile);
  return between;
}

// A part of a tile takes at least part_tile_, and grows with its keys.
double AttentionTimes::tiles_of(std::int64_t keys) const {
  const std::int64_t whole = keys / geometry_.key_tile;
  const std::int64_t rest = keys % geometry_.key_tile;
  if (rest == 0) return static_cast<double>(whole);
  return static_cast<double>(whole) + part_tile_ +
         (1 - part_tile_) * static_cast<double>(rest) / static_cast<double>(geometry_.key_tile);
}

// Time until the last core is done, when walks go by the kernel's own plan: the heaviest first,
// each to the least loaded core. Cores that work on when others are done share the memory among
// fewer.
double AttentionTimes::until_last(std::int64_t per_group) {
  std::sort(groups_.begin(), groups_.end(),
            [](const Group& a, const Group& b) { return a.weight > b.weight; });
  cores_.assign(static_cast<std::size_t>(geometry_.cores), {0, 0.0});
  const auto more = [](const Load& a, const Load& b) { return a.weight > b.weight; };
  double sum = 0;
  double alone = 0;
  for (const Group& group : groups_) {
    for (std::int64_t i = 0; i < per_group; ++i) {
      std::pop_heap(cores_.begin(), cores_.end(), more);
      cores_.back().weight += group.weight;
      cores_.back().time += group.time;
      std::push_heap(cores_.begin(), cores_.end(), more);
    }
    sum += group.time;
    alone += group.time * (group.decodes ? alone_ : 1);
  }
  std::sort(cores_.begin(), cores_.end(),
            [](const Load& a, const Load& b) { return a.time < b.time; });
  double time = 0;
  double before = 0;
  auto active = static_cast<double>(geometry_.cores);
  for (const Load& core : cores_) {
    time +=
        (core.time - before) * std::max(alone / sum, active / static_cast<double>(geometry_.cores));
    before = core.time;
    --active;
  }
  return time;
}

// The same over the time of evenly loaded cores, remembered by the multiset of weights: time goes
// with the weight where all walks decode.
double AttentionTimes::imbalance(std::int64_t per_group, double even) {
  std::uint64_t signature = mixed(groups_.size());
  for (const Group& group : groups_) signature += mixed(static_cast<std::uint64_t>(group.weight));
  if (imbalance_.size() > kRemembered) imbalance_.clear();
  const auto [found, added] = imbalance_.try_emplace(signature, 1.0);
  if (added) found->second = until_last(per_group) / even;
  return found->second;
}

double AttentionTimes::makespan(std::int64_t walks) {
  double sum = 0;
  double longest = 0;
  bool decodes = true;
  for (const Group& group : groups_) {
    sum += group.time;
    longest = std::max(longest, group.time);
    decodes = decodes && group.decodes;
  }
  const std::int64_t per_group = walks / static_cast<std::int64_t>(groups_.size());
  const double even = sum * static_cast<double>(per_group) / static_cast<double>(geometry_.cores);
  if (per_group % geometry_.cores == 0 || walks > kManyRounds * geometry_.cores) {
    return std::max(even, longest);
  }
  return decodes ? even * imbalance(per_group, even) : until_last(per_group);
}

AttentionTimes::Shape AttentionTimes::shape_of(std::span<const AttendingSequence> batch) {
  groups_.clear();
  double tiles = 0;
  double prefill = 0;  // walk times of several rows
  double all = 0;
  std::int64_t longest = 0;
  for (const AttendingSequence& sequence : batch) {
    const std::int64_t block = geometry_.query_block;
    for (std::int64_t done = 0; done < sequence.new_tokens; done += block) {
      const std::int64_t rows = std::min(block, sequence.new_tokens - done);
      const std::int64_t keys = sequence.context + done + rows;
      const Walk one = rows == 1 ? walks_.begin()->second : walk(rows);
      const double length = tiles_of(keys);
      const std::int64_t whole = ceil_div(keys, geometry_.key_tile);
      groups_.push_back({one.fixed + one.per_tile * length,
                         std::max(geometry_.query_heads * rows, geometry_.array_rows) * whole,
                         whole, sequence.new_tokens == 1});
      tiles += length;
      all += groups_.back().time;
      if (sequence.new_tokens > 1) prefill += groups_.back().time;
      longest = std::max(longest, whole);
    }
  }
  const auto groups = static_cast<std::int64_t>(groups_.size());
  std::int64_t walks = groups * geometry_.kv_heads;
  Shape shape;
  const std::int64_t splits = kernels::choose_splits(
      walks, geometry_.cores, std::min({geometry_.attention_splits, longest, std::int64_t{128}}));
  if (splits > 1) {
    const double fixed = walks_.begin()->second.fixed;
    for (Group& group : groups_) {
      const auto parts = static_cast<double>(std::min(splits, group.tiles));
      group.time = fixed + (group.time - fixed) / parts;
    }
    walks *= splits;
    shape.estimate += merge_;
  }
  shape.estimate += makespan(walks);

  const bool cheap = geometry_.token_kv_bytes <= kCheapTokenBytes;
  const double rounds = static_cast<double>(walks) / static_cast<double>(geometry_.cores);
  // How much of the time is prompts': none, or which part.
  const double parts = cheap ? 4 : 2;
  const std::uint64_t kind =
      prefill <= 0 ? 0 : 1 + static_cast<std::uint64_t>(std::min(parts - 1, parts * prefill / all));
  const std::uint64_t width = cheap && groups <= 16 ? static_cast<std::uint64_t>(groups)
                                                    : 32 + octave(4 * rounds, cheap ? 1 : 0.5);
  const std::uint64_t length = octave(tiles / static_cast<double>(groups), cheap ? 1.0 : 0.5);
  shape.key = ((kind * 256 + width) * 64 + length) * 2 + (splits > 1 ? 1 : 0);
  return shape;
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
  if (batch.empty()) return 0;
  if (!calibrated_) calibrate();
  const Shape shape = shape_of(batch);
  Class& known = classes_[shape.key];
  // The first of its class, and later ones, which are more typical of the run, as far as they may
  // cost.
  const bool due = known.samples == 0 ||
                   (known.samples < options_.samples && refined_bytes_ < options_.refining_bytes &&
                    known.visits >= (std::uint64_t{4} << known.samples));
  ++known.visits;
  if (due) {
    const Batch sample = sample_of(batch);
    const double estimate = shape_of(sample).estimate;
    const double actual = ask(sample);
    if (known.samples > 0) refined_bytes_ += bytes_of(sample);
    if (estimate > 0) known.ratio_sum += std::max(0.0, actual - launch_) / estimate;
    ++known.samples;
  }
  return launch_ + shape.estimate * known.ratio_sum / known.samples;
}

}  // namespace ridgepoint::workloads
