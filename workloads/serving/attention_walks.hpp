// SPDX-License-Identifier: Apache-2.0
// Time of attention for any batch by the walks that its kernel makes: the kernel's own plan, walk
// times measured on batches of equal walks. What such a sum misses (channels that happen to be hot,
// walks that disturb each other) is left to AttentionTimes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "workloads/serving/kernel_times.hpp"

namespace ridgepoint::workloads {

class AttentionWalks {
 public:
  using Batch = std::vector<AttendingSequence>;
  using Ask = std::function<double(std::span<const AttendingSequence>)>;  // fs

  explicit AttentionWalks(const KernelGeometry& geometry);

  // What calibrate() will ask for.
  std::vector<Batch> wanted() const;
  std::int64_t most_tokens() const;  // in one of these
  void calibrate(const Ask& ask);
  double launch() const { return launch_; }

  struct Estimate {
    double time = 0;          // beside the launch
    double prefill_part = 0;  // of all walks' time
    double mean_tiles = 0;    // of a block of rows
    std::int64_t blocks = 0;  // of rows: what walks are made for, for each KV head
    double merges = 0;        // of partial results by each core; 0: walks are not split
  };
  Estimate estimate(std::span<const AttendingSequence> batch);

 private:
  // Time of a walk by its tiles: straight between the measured lengths, and beyond them.
  class Curve {
   public:
    void add(double tiles, double time);
    double at(double tiles) const;

   private:
    std::vector<std::pair<double, double>> points_;
  };
  // All KV heads' walks over one range of tiles by one block of rows.
  struct Group {
    std::int64_t rows = 0;
    std::int64_t tiles = 0;
    double length = 0;  // in tiles; the last one may be short
    bool decodes = false;
    std::int64_t weight = 0;  // by which the plan balances cores
    double time = 0;
  };
  struct Load {
    std::int64_t weight = 0;
    std::int64_t core = 0;
    double time = 0;
  };

  Batch equal(std::int64_t rows, std::int64_t tiles, std::int64_t times = 1) const;
  std::vector<Batch> split_batches() const;
  double seen_tiles(std::int64_t rows, std::int64_t tiles) const;
  void calibrate_walks(const Ask& ask);
  void calibrate_merges(const Ask& ask);
  double length_of(std::int64_t keys) const;
  double walk_time(const Group& group) const;
  void make_groups(std::span<const AttendingSequence> batch, std::int64_t window);
  double merges_of(const Group& group, std::int64_t parts) const;
  double split_groups();
  double makespan();
  double until_last();

  KernelGeometry geometry_;
  std::int64_t equal_sequences_ = 1;   // of a batch of equal walks
  std::int64_t uneven_sequences_ = 0;  // of one whose last round leaves most cores idle; 0: none
  std::int64_t few_rows_ = 1;          // of the smaller prefill walks measured
  double launch_ = 0;
  double merging_ = 0;  // what follows split walks, and what each merge adds
  double merge_ = 0;
  double alone_ = 1;      // of a walk's time is left when it has the memory for itself
  double part_tile_ = 1;  // what the smallest part of a tile takes, in tiles
  Curve decode_, few_, many_;
  std::vector<Group> groups_, parts_;
  std::vector<Load> cores_;
};

}  // namespace ridgepoint::workloads
