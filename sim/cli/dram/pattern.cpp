// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/dram/pattern.hpp"

namespace ridgepoint::cli {
namespace {

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

}  // namespace

std::unique_ptr<Source> make_pattern(const PatternConfig& config, const dram::Spec& spec) {
  if (config.name == "random") return std::make_unique<Random>(config);
  if (config.name == "strided") return std::make_unique<Strided>(config);
  if (config.name == "streams") return std::make_unique<Streams>(config);
  if (config.name == "paged_kv") return std::make_unique<PagedKv>(config);
  if (config.name == "conflict") return make_conflict(config, spec);
  if (config.name == "rowmiss") return make_rowmiss(config, spec);
  return std::make_unique<Sequential>(config);  // also mix, which only has another read share
}

}  // namespace ridgepoint::cli
