// SPDX-License-Identifier: Apache-2.0
// Mean, extremes and percentiles of non-negative integers (tokens, nanoseconds) in bounded memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ridgepoint::workloads {

// Percentiles are by nearest rank: the smallest recorded value such that at least p percent of the
// values are not larger. They are exact while there are at most kExactValues different entries;
// after that values fall into buckets and a percentile is within 1/2048 of the exact one
// (exact() tells). Count, mean, least and largest are always exact. At most about 17 MiB.
class Distribution {
 public:
  static constexpr std::size_t kExactValues = 1u << 19;

  void add(std::int64_t value, std::int64_t count = 1);  // value >= 0, count > 0
  std::int64_t count() const { return count_; }
  std::int64_t least() const { return least_; }
  std::int64_t largest() const { return largest_; }
  double mean() const;                            // 0 if empty
  std::int64_t percentile(double percent) const;  // 0 < percent <= 100; 0 if empty
  bool exact() const { return buckets_.empty(); }

 private:
  using Entry = std::pair<std::int64_t, std::int64_t>;  // value, how often
  void compact() const;
  void fold_into_buckets();

  __extension__ using Wide = __int128;
  Wide sum_ = 0;
  std::int64_t count_ = 0;
  std::int64_t least_ = 0;
  std::int64_t largest_ = 0;
  mutable std::vector<Entry> entries_;
  mutable std::size_t compacted_ = 0;  // this many entries in front are sorted and merged
  std::vector<std::int64_t> buckets_;
};

}  // namespace ridgepoint::workloads
