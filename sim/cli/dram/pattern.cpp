// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/cli/dram/source.hpp"
#include "sim/core/random.hpp"

namespace ridgepoint::cli {
namespace {

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
  static std::unique_ptr<Source> fresh(const PatternConfig& config);

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

class Sequential : public Pattern {
 public:
  using Pattern::Pattern;

 private:
  std::uint64_t address() override {
    return wrapped(index_ * config_.request_bytes, config_.span_bytes);
  }
};

class Random : public Pattern {
 public:
  using Pattern::Pattern;

 private:
  std::uint64_t address() override {
    const std::uint64_t places = config_.span_bytes / config_.request_bytes;
    return random_.next() % places * config_.request_bytes;
  }
};

class Strided : public Pattern {
 public:
  using Pattern::Pattern;

 private:
  std::uint64_t address() override {
    const std::uint64_t places = (config_.span_bytes - config_.request_bytes) / config_.stride + 1;
    return index_ % places * config_.stride;
  }
};

// Arrays of equal size, one request of each in turn.
class Streams : public Pattern {
 public:
  using Pattern::Pattern;

 private:
  std::uint64_t address() override {
    const std::uint64_t apart = config_.span_bytes / config_.streams;
    const std::uint64_t offset = index_ / config_.streams * config_.request_bytes;
    return index_ % config_.streams * apart + wrapped(offset, apart);
  }
};

class PagedKv : public Pattern {
 public:
  explicit PagedKv(const PatternConfig& config) : Pattern(config), pages_(config.streams) {}

 private:
  std::uint64_t address() override {
    const std::uint64_t per_page = config_.page_bytes / config_.request_bytes;
    const std::uint64_t step = index_ / config_.streams % per_page;
    std::uint64_t& page = pages_[index_ % config_.streams];
    if (step == 0) {
      page = random_.next() % (config_.span_bytes / config_.page_bytes) * config_.page_bytes;
    }
    return page + step * config_.request_bytes;
  }
  std::vector<std::uint64_t> pages_;
};

std::unique_ptr<Source> Pattern::fresh(const PatternConfig& config) {
  if (config.name == "random") return std::make_unique<Random>(config);
  if (config.name == "strided") return std::make_unique<Strided>(config);
  if (config.name == "streams") return std::make_unique<Streams>(config);
  if (config.name == "paged_kv") return std::make_unique<PagedKv>(config);
  return std::make_unique<Sequential>(config);  // also mix, which only has another read share
}

}  // namespace

std::unique_ptr<Source> make_pattern(const PatternConfig& config) { return Pattern::fresh(config); }

}  // namespace ridgepoint::cli
