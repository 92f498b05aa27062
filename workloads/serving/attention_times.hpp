// SPDX-License-Identifier: Apache-2.0
// Time of attention for any batch, from a few simulated ones: by the walks that its kernel makes,
// corrected by batches of the run itself, some for each class of batches.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "workloads/serving/attention_walks.hpp"
#include "workloads/serving/kernel_times.hpp"
#include "workloads/serving/prompt_times.hpp"

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

  double at(std::span<const AttendingSequence> batch);  // fs; none for an empty batch
  std::size_t points() const { return points_; }
  // What the first call will ask for.
  std::vector<KernelQuery> wanted() const;

 private:
  using Batch = AttentionWalks::Batch;
  // Measured times over expected ones.
  struct Ratios {
    double sum = 0;
    int samples = 0;
    std::uint64_t visits = 0;
    // With a prior that counts as so many samples.
    double mean(double prior, double weight) const {
      return (sum + weight * prior) / (samples + weight);
    }
  };

  double together(std::span<const AttendingSequence> batch);
  double ask(std::span<const AttendingSequence> batch);
  void measure(std::span<const AttendingSequence> batch, Ratios& known, Ratios& kin);
  std::uint64_t kin_of(const AttentionWalks::Estimate& estimate) const;
  std::uint64_t class_of(const AttentionWalks::Estimate& estimate) const;
  std::int64_t keys_of(const AttendingSequence& sequence) const;
  std::int64_t bytes_of(std::span<const AttendingSequence> batch) const;
  Batch sample_of(std::span<const AttendingSequence> batch) const;

  KernelTimes& machine_;
  AttentionOptions options_;
  KernelGeometry geometry_;
  AttentionWalks walks_;
  PromptTimes prompts_;
  bool cheap_ = false;  // samples cost milliseconds
  bool calibrated_ = false;
  // A sample is off by where its blocks happen to lie, classes differ less: each leans on its kin.
  std::map<std::uint64_t, Ratios> classes_;
  std::map<std::uint64_t, Ratios> kin_;
  std::size_t points_ = 0;
  std::int64_t refined_bytes_ = 0;
};

}  // namespace ridgepoint::workloads
