// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/attention_walks.hpp"

#include <algorithm>

#include "kernels/attention/attention.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::int64_t kShort = 1, kMiddle = 4, kLong = 8, kLongest = 16;  // tiles of a calibration
constexpr std::int64_t kFewRows = 16;
constexpr std::int64_t kManyRounds = 12;  // walks per core from which cores are balanced
constexpr std::int64_t kMostSplits = 128;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

void AttentionWalks::Curve::add(double tiles, double time) {
  if (!points_.empty() && tiles <= points_.back().first) return;
  points_.emplace_back(tiles, points_.empty() ? time : std::max(time, points_.back().second));
}

double AttentionWalks::Curve::at(double tiles) const {
  if (points_.size() == 1) return points_.front().second;
  std::size_t i = 1;
  while (i + 1 < points_.size() && tiles > points_[i].first) ++i;
  const auto& [x0, y0] = points_[i - 1];
  const auto& [x1, y1] = points_[i];
  return std::max(0.0, y0 + (y1 - y0) * (tiles - x0) / (x1 - x0));
}

AttentionWalks::AttentionWalks(const KernelGeometry& geometry)
    : geometry_(geometry), few_rows_(std::min(kFewRows, geometry.query_block)) {
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

AttentionWalks::Batch AttentionWalks::equal(std::int64_t rows, std::int64_t tiles,
                                            std::int64_t times) const {
  return Batch(static_cast<std::size_t>(times * equal_sequences_),
               {rows, tiles * geometry_.key_tile - rows});
}

// Batches whose walks are split: one sequence, as many as there may be, one of many rows.
std::vector<AttentionWalks::Batch> AttentionWalks::split_batches() const {
  const std::int64_t most = (4 * geometry_.cores - 1) / 5 / geometry_.kv_heads;
  if (most < 1) return {};
  const std::int64_t tile = geometry_.key_tile;
  return {Batch{{1, kLong * tile - 1}},
          Batch(static_cast<std::size_t>(most), {1, kLongest * tile - 1}),
          Batch{{geometry_.query_block, kLong * tile - geometry_.query_block}}};
}

std::vector<AttentionWalks::Batch> AttentionWalks::wanted() const {
  std::vector<Batch> batches{Batch(static_cast<std::size_t>(equal_sequences_), {1, 0}),
                             equal(1, kMiddle, 2)};
  for (const std::int64_t tiles : {kShort, kMiddle, kLongest}) batches.push_back(equal(1, tiles));
  for (const std::int64_t rows : {few_rows_, geometry_.query_block}) {
    for (const std::int64_t tiles : {kShort, kLong}) batches.push_back(equal(rows, tiles));
  }
  const AttendingSequence one{1, kLong * geometry_.key_tile - 1};
  for (Batch& batch : split_batches()) batches.push_back(std::move(batch));
  if (uneven_sequences_ > 0) {
    batches.push_back(Batch(static_cast<std::size_t>(uneven_sequences_), one));
  }
  return batches;
}

std::int64_t AttentionWalks::most_tokens() const {
  std::int64_t most = 0;
  for (const Batch& batch : wanted()) {
    std::int64_t tokens = 0;
    for (const AttendingSequence& sequence : batch) tokens += sequence.new_tokens;
    most = std::max(most, tokens);
  }
  return most;
}

// Mean over the layers' windows.
double AttentionWalks::seen_tiles(std::int64_t rows, std::int64_t tiles) const {
  const std::int64_t end = tiles * geometry_.key_tile;
  double seen = 0;
  for (const WindowShare& each : geometry_.windows) {
    const std::int64_t first =
        each.window > 0 ? std::max<std::int64_t>(0, end - rows - each.window + 1) : 0;
    seen += each.share * static_cast<double>(tiles - first / geometry_.key_tile);
  }
  return seen;
}

void AttentionWalks::calibrate_walks(const Ask& ask) {
  const std::int64_t walks = equal_sequences_ * geometry_.kv_heads;
  const auto rounds = static_cast<double>(ceil_div(walks, geometry_.cores));
  const double more = static_cast<double>(ceil_div(2 * walks, geometry_.cores)) - rounds;
  const double once = ask(equal(1, kMiddle));
  const double middle = std::max(0.0, (ask(equal(1, kMiddle, 2)) - once) / more);
  launch_ = std::max(0.0, once - rounds * middle);
  const auto walk = [&](const Batch& batch) {
    return std::max(0.0, (ask(batch) - launch_) / rounds);
  };
  const double shortest = walk(equal(1, kShort));
  decode_.add(seen_tiles(1, kShort), shortest);
  decode_.add(seen_tiles(1, kMiddle), middle);
  decode_.add(seen_tiles(1, kLongest), walk(equal(1, kLongest)));
  const double tile = (middle - shortest) / static_cast<double>(kMiddle - kShort);
  const double least = walk(Batch(static_cast<std::size_t>(equal_sequences_), {1, 0}));
  if (tile > 0) part_tile_ = std::clamp(1 - (shortest - least) / tile, 0.0, 1.0);
  for (const std::int64_t tiles : {kShort, kLong}) {
    few_.add(seen_tiles(few_rows_, tiles), walk(equal(few_rows_, tiles)));
    many_.add(seen_tiles(geometry_.query_block, tiles), walk(equal(geometry_.query_block, tiles)));
  }
}

void AttentionWalks::calibrate(const Ask& ask) {
  calibrate_walks(ask);
  const AttendingSequence one{1, kLong * geometry_.key_tile - 1};
  if (uneven_sequences_ > 0) {
    const double full = decode_.at(seen_tiles(1, kLong));
    const double second =
        ask(Batch(static_cast<std::size_t>(uneven_sequences_), one)) - launch_ - full;
    if (full > 0) alone_ = std::clamp(second / full, 0.1, 1.0);
  }
  calibrate_merges(ask);
}

// What split walks take beyond their parts is the merge: of decodes, and of many rows.
void AttentionWalks::calibrate_merges(const Ask& ask) {
  const std::vector<Batch> batches = split_batches();
  if (batches.empty()) return;
  std::vector<double> beyond, merges;
  for (const Batch& batch : batches) {
    const Estimate parts = estimate(batch);
    beyond.push_back(ask(batch) - launch_ - parts.time);
    merges.push_back(parts.merges);
  }
  const double few = (beyond[0] + beyond[1]) / 2, few_merges = (merges[0] + merges[1]) / 2;
  if (merges[2] > few_merges) {
    merge_ = std::max(0.0, (beyond[2] - few) / (merges[2] - few_merges));
  }
  merging_ = std::max(0.0, few - few_merges * merge_);
}

// A part of a tile takes at least part_tile_, and grows with its keys.
double AttentionWalks::length_of(std::int64_t keys) const {
  const std::int64_t rest = keys % geometry_.key_tile;
  const auto whole = static_cast<double>(keys / geometry_.key_tile);
  if (rest == 0) return whole;
  return whole + part_tile_ +
         (1 - part_tile_) * static_cast<double>(rest) / static_cast<double>(geometry_.key_tile);
}

double AttentionWalks::walk_time(const Group& group) const {
  if (group.decodes) return decode_.at(group.length);
  const double many = many_.at(group.length);
  if (few_rows_ == geometry_.query_block) return many;
  const double share = static_cast<double>(group.rows - few_rows_) /
                       static_cast<double>(geometry_.query_block - few_rows_);
  const double few = few_.at(group.length);
  return std::max(0.0, few + share * (many - few));
}

void AttentionWalks::make_groups(std::span<const AttendingSequence> batch, std::int64_t window) {
  groups_.clear();
  const std::int64_t tile = geometry_.key_tile;
  for (const AttendingSequence& sequence : batch) {
    for (std::int64_t done = 0; done < sequence.new_tokens; done += geometry_.query_block) {
      Group group;
      group.rows = std::min(geometry_.query_block, sequence.new_tokens - done);
      group.decodes = sequence.new_tokens == 1;
      const std::int64_t position = sequence.context + done;
      const std::int64_t end = position + group.rows;
      const std::int64_t first =
          window > 0 ? std::max<std::int64_t>(0, position - window + 1) / tile : 0;
      group.tiles = ceil_div(end, tile) - first;
      group.length = length_of(end - first * tile);
      groups_.push_back(group);
    }
  }
}

// Partial results that a core merges for one group, a few rows at a time, of `parts` each.
double AttentionWalks::merges_of(const Group& group, std::int64_t parts) const {
  const std::int64_t tiles = group.decodes ? 1 : geometry_.query_heads;
  const std::int64_t rows = group.decodes ? geometry_.query_heads : group.rows;
  return static_cast<double>(parts * geometry_.kv_heads * tiles *
                             ceil_div(rows, kernels::kMergeRows)) /
         static_cast<double>(geometry_.cores);
}

// Cuts walks as the kernel does where there are few of them; how many are merged by a core.
double AttentionWalks::split_groups() {
  std::int64_t longest = 0;
  for (const Group& group : groups_) longest = std::max(longest, group.tiles);
  const std::int64_t splits =
      kernels::choose_splits(static_cast<std::int64_t>(groups_.size()) * geometry_.kv_heads,
                             geometry_.cores * geometry_.core_blocks,
                             std::min({geometry_.attention_splits, longest, kMostSplits}));
  if (splits <= 1) return 0;
  parts_.clear();
  double merges = 0;
  for (const Group& group : groups_) {
    const std::int64_t parts = std::min(splits, group.tiles);
    if (parts > 1) merges += merges_of(group, parts);
    for (std::int64_t p = 0; p < parts; ++p) {
      Group part = group;
      part.tiles = group.tiles * (p + 1) / parts - group.tiles * p / parts;
      part.length = static_cast<double>(part.tiles);
      if (p + 1 == parts) part.length -= static_cast<double>(group.tiles) - group.length;
      parts_.push_back(part);
    }
  }
  groups_.swap(parts_);
  return merges;
}

// Time until the last core is done, when walks go by the kernel's own plan: the heaviest first,
// each to the least loaded core. Cores that work on when others are done share the memory among
// fewer.
double AttentionWalks::until_last() {
  std::stable_sort(groups_.begin(), groups_.end(),
                   [](const Group& a, const Group& b) { return a.weight > b.weight; });
  cores_.clear();
  for (std::int64_t core = 0; core < geometry_.cores; ++core) cores_.push_back({0, core, 0.0});
  const auto later = [](const Load& a, const Load& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.core > b.core;
  };
  std::make_heap(cores_.begin(), cores_.end(), later);
  double sum = 0;
  double alone = 0;
  for (const Group& group : groups_) {
    for (std::int64_t head = 0; head < geometry_.kv_heads; ++head) {
      std::pop_heap(cores_.begin(), cores_.end(), later);
      cores_.back().weight += group.weight;
      cores_.back().time += group.time;
      std::push_heap(cores_.begin(), cores_.end(), later);
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
    const double shared = active / static_cast<double>(geometry_.cores);
    time += (core.time - before) * std::max(sum > 0 ? alone / sum : 1, shared);
    before = core.time;
    --active;
  }
  return time;
}

double AttentionWalks::makespan() {
  double sum = 0;
  double longest = 0;
  for (const Group& group : groups_) {
    sum += group.time;
    longest = std::max(longest, group.time);
  }
  const auto walks = static_cast<std::int64_t>(groups_.size()) * geometry_.kv_heads;
  if (geometry_.kv_heads % geometry_.cores == 0 || walks > kManyRounds * geometry_.cores) {
    const double even =
        sum * static_cast<double>(geometry_.kv_heads) / static_cast<double>(geometry_.cores);
    return std::max(even, longest);
  }
  return until_last();
}

AttentionWalks::Estimate AttentionWalks::estimate(std::span<const AttendingSequence> batch) {
  Estimate estimate;
  double all = 0;
  double prefill = 0;
  for (const WindowShare& each : geometry_.windows) {
    make_groups(batch, each.window);
    estimate.blocks = static_cast<std::int64_t>(groups_.size());
    double tiles = 0;
    for (const Group& group : groups_) tiles += group.length;
    estimate.mean_tiles += each.share * tiles / static_cast<double>(groups_.size());
    estimate.merges = split_groups();
    for (Group& group : groups_) {
      group.weight =
          std::max(geometry_.query_heads * group.rows, geometry_.array_rows) * group.tiles;
      group.time = walk_time(group);
      all += each.share * group.time;
      if (!group.decodes) prefill += each.share * group.time;
    }
    double time = makespan();
    if (estimate.merges > 0) time += merging_ + estimate.merges * merge_;
    estimate.time += each.share * time;
  }
  if (all > 0) estimate.prefill_part = prefill / all;
  return estimate;
}

}  // namespace ridgepoint::workloads
