// SPDX-License-Identifier: Apache-2.0
// What all patterns share: how many requests, how large, and which of them are writes.
#pragma once

#include <algorithm>

#include "sim/cli/dram/source.hpp"
#include "sim/core/random.hpp"

namespace ridgepoint::cli {

class Pattern : public Source {
 public:
  explicit Pattern(const PatternConfig& config)
      : config_(config),
        random_(config.seed),
        count_((config.bytes + config.request_bytes - 1) / config.request_bytes) {}

  bool next(Access& access) override {
    if (index_ == count_) return false;
    access.address = address();
    const std::uint64_t left = config_.bytes - index_ * config_.request_bytes;
    access.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, config_.request_bytes));
    access.is_write = is_write();
    access.time = 0;
    ++index_;
    return true;
  }

 protected:
  virtual std::uint64_t address() = 0;
  // An address below `limit` in steps of requests, so that a request of full size fits.
  std::uint64_t wrapped(std::uint64_t offset, std::uint64_t limit) const {
    const std::uint64_t whole = limit / config_.request_bytes * config_.request_bytes;
    return offset % whole;
  }

  PatternConfig config_;
  core::SplitMix64 random_;
  std::uint64_t index_ = 0;

 private:
  // Writes are as evenly spread as their share allows; the last of a group comes first.
  bool is_write() const {
    const double share = 1 - config_.read_share;
    const auto before = static_cast<std::uint64_t>(static_cast<double>(index_) * share + 1e-9);
    const auto after = static_cast<std::uint64_t>(static_cast<double>(index_ + 1) * share + 1e-9);
    return after > before;
  }
  std::uint64_t count_;
};

// Patterns that know where banks are; see bank_pattern.cpp.
std::unique_ptr<Source> make_conflict(const PatternConfig& config, const dram::Spec& spec);
std::unique_ptr<Source> make_rowmiss(const PatternConfig& config, const dram::Spec& spec);

}  // namespace ridgepoint::cli
