// SPDX-License-Identifier: Apache-2.0
// Time of attention for any batch, from a few simulated ones. A batch is a set of walks over key
// tiles, one per sequence, KV head and block of query rows; cores share them as the kernel's plan
// does. A walk takes a fixed part and a part per tile, both measured on batches of equal walks.
// What such a sum misses (shared bandwidth, walks that disturb each other) is measured on batches
// of the run itself: one for each class of batches, when the first of the class appears.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "workloads/serving/kernel_times.hpp"

namespace ridgepoint::workloads {

struct AttentionOptions {
  // Batches that read more cache than this per layer are represented by a part of them.
  std::int64_t largest_sample_bytes = 48 << 20;
  int samples = 8;                          // most batches measured per class
  std::int64_t refining_bytes = 384 << 20;  // read in all by those after the first of a class
};

class AttentionTimes {
 public:
  AttentionTimes(KernelTimes& machine, const AttentionOptions& options);

  double at(std::span<const AttendingSequence> batch);  // fs; an empty batch takes none
  std::size_t points() const { return points_; }
  // What the first call will ask for.
  std::vector<KernelQuery> wanted() const;

 private:
  using Batch = std::vector<AttendingSequence>;
  // A walk of `rows` query rows: fixed + per_tile * tiles. One for each row count measured.
  struct Walk {
    double fixed = 0;
    double per_tile = 0;
  };
  // All KV heads' walks of one block of rows.
  struct Group {
    double time = 0;
    std::int64_t weight = 0;  // by which the plan balances cores
    std::int64_t tiles = 0;
    bool decodes = false;
  };
  struct Load {
    std::int64_t weight = 0;
    double time = 0;
  };
  // What is known about a class of batches.
  struct Class {
    double ratio_sum = 0;
    int samples = 0;
    std::uint64_t visits = 0;
  };
  struct Shape {
    double estimate = 0;    // beside the launch
    std::uint64_t key = 0;  // of its class
  };

  void calibrate();
  Walk calibrated(std::int64_t rows);
  Batch equal(std::int64_t rows, std::int64_t keys) const;
  Batch uneven() const;
  double ask(std::span<const AttendingSequence> batch);
  Walk walk(std::int64_t rows) const;
  double tiles_of(std::int64_t keys) const;
  Shape shape_of(std::span<const AttendingSequence> batch);
  double until_last(std::int64_t per_group);
  double imbalance(std::int64_t per_group, double even);
  double makespan(std::int64_t walks);
  std::int64_t keys_of(const AttendingSequence& sequence) const;
  std::int64_t bytes_of(std::span<const AttendingSequence> batch) const;
  Batch sample_of(std::span<const AttendingSequence> batch) const;

  KernelTimes& machine_;
  AttentionOptions options_;
  KernelGeometry geometry_;
  std::int64_t equal_sequences_ = 1;   // of a batch of equal walks
  std::int64_t uneven_sequences_ = 0;  // of one whose last round leaves most cores idle; 0: none
  bool calibrated_ = false;
  double launch_ = 0;
  double merge_ = 0;      // of partial results, when walks are split
  double alone_ = 1;      // of a walk's time is left when it has the memory for itself
  double part_tile_ = 1;  // what the smallest part of a tile takes, in tiles
  std::map<std::int64_t, Walk> walks_;
  std::vector<Group> groups_;  // of the batch looked at
  std::vector<Load> cores_;
  std::map<std::uint64_t, double> imbalance_;  // by multiset of weights
  std::map<std::uint64_t, Class> classes_;
  std::size_t points_ = 0;
  std::int64_t refined_bytes_ = 0;
};

}  // namespace ridgepoint::workloads
