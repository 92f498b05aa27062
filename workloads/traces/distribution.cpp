// SPDX-License-Identifier: Apache-2.0
#include "workloads/traces/distribution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ridgepoint::workloads {
namespace {

// 1024 buckets per power of two: below 2048 a bucket is one value.
constexpr int kSubBits = 10;
constexpr std::int64_t kSub = 1 << kSubBits;

std::size_t bucket_of(std::int64_t value) {
  const int width = std::bit_width(static_cast<std::uint64_t>(value));
  const int shift = std::max(0, width - (kSubBits + 1));
  return static_cast<std::size_t>(shift * kSub + (value >> shift));
}

std::int64_t middle_of(std::size_t bucket) {
  const auto index = static_cast<std::int64_t>(bucket);
  if (index < 2 * kSub) return index;
  const std::int64_t shift = index / kSub - 1;
  const std::int64_t low = (index - shift * kSub) << shift;
  return low + ((std::int64_t{1} << shift) - 1) / 2;
}

}  // namespace

void Distribution::add(std::int64_t value, std::int64_t count) {
  if (count_ == 0) least_ = largest_ = value;
  least_ = std::min(least_, value);
  largest_ = std::max(largest_, value);
  count_ += count;
  sum_ += static_cast<Wide>(value) * count;
  if (!buckets_.empty()) {
    buckets_[bucket_of(value)] += count;
    return;
  }
  if (entries_.size() > compacted_ && entries_.back().first == value) {
    entries_.back().second += count;
    return;
  }
  entries_.emplace_back(value, count);
  if (entries_.size() < 2 * kExactValues) return;
  compact();
  if (entries_.size() > kExactValues) fold_into_buckets();
}

double Distribution::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

void Distribution::compact() const {
  std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(compacted_), entries_.end());
  std::inplace_merge(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(compacted_),
                     entries_.end());
  std::size_t kept = 0;
  for (const Entry& entry : entries_) {
    if (kept > 0 && entries_[kept - 1].first == entry.first) {
      entries_[kept - 1].second += entry.second;
    } else {
      entries_[kept++] = entry;
    }
  }
  entries_.resize(kept);
  compacted_ = kept;
}

void Distribution::fold_into_buckets() {
  buckets_.assign(bucket_of(INT64_MAX) + 1, 0);
  for (const auto& [value, times] : entries_) buckets_[bucket_of(value)] += times;
  entries_ = {};
  compacted_ = 0;
}

std::int64_t Distribution::percentile(double percent) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(percent / 100 * static_cast<double>(count_) - 1e-9);
  const std::int64_t rank = std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 1, count_);
  std::int64_t seen = 0;
  if (buckets_.empty()) {
    compact();
    for (const auto& [value, times] : entries_) {
      seen += times;
      if (seen >= rank) return value;
    }
  }
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank) return std::clamp(middle_of(i), least_, largest_);
  }
  return largest_;
}

}  // namespace ridgepoint::workloads
