// SPDX-License-Identifier: Apache-2.0
#include "workloads/traces/generator.hpp"

#include <charconv>
#include <cmath>

#include "sim/core/error.hpp"
#include "workloads/traces/random.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr const char* kLengthAccepted = "fixed:TOKENS or lognormal:MEAN:CV";

bool parse_double(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
}

void require(bool ok, const char* key, double value, const char* accepted) {
  if (!ok) core::fail_input({}, key, std::to_string(value), "out of range", accepted);
}

void check_length(const char* key, const LengthSpec& length, std::int64_t longest) {
  require(length.mean >= 1 && length.mean <= static_cast<double>(longest), key, length.mean,
          "a mean from 1 to the longest length");
  require(length.cv >= 0 && length.cv <= 10, key, length.cv,
          "a coefficient of variation from 0 to 10");
}

class Generator final : public TraceSource {
 public:
  explicit Generator(const GeneratorSpec& spec) : spec_(spec), random_(spec.seed) {
    require(spec.requests > 0, "--requests", static_cast<double>(spec.requests), "at least 1");
    require(spec.rate_per_s > 0 && spec.rate_per_s <= 1e9, "--rate", spec.rate_per_s,
            "more than 0, at most 1e9 per second");
    require(spec.arrival_cv >= 0 && spec.arrival_cv <= 100, "--arrival-cv", spec.arrival_cv,
            "0 to 100");
    require(spec.resolution >= 1, "resolution", static_cast<double>(spec.resolution),
            "at least 1 ns");
    require(spec.longest >= 1 && spec.longest <= kLargestLength, "--longest",
            static_cast<double>(spec.longest), "1 to 1000000000");
    if (spec.lengths.empty()) {
      check_length("--prompt-length", spec.prompt, spec.longest);
      check_length("--output-length", spec.output, spec.longest);
    }
    require(spec.prefix_tokens >= 0 && spec.prefix_tokens <= kLargestLength, "--prefix-tokens",
            static_cast<double>(spec.prefix_tokens), "0 to 1000000000");
    require(spec.prefix_groups >= 1, "--prefix-groups", static_cast<double>(spec.prefix_groups),
            "at least 1");
    require(spec.prefix_share >= 0 && spec.prefix_share <= 1, "--prefix-share", spec.prefix_share,
            "0 to 1");
    require(spec.block_tokens >= 1, "--block-tokens", static_cast<double>(spec.block_tokens),
            "at least 1");
  }

  bool next(TraceRequest& request) override {
    if (made_ == spec_.requests) return false;
    if (made_ > 0) seconds_ += gap();
    ++made_;
    const double ns = seconds_ * 1e9;
    if (!(ns < 9.2e18)) throw core::InputError("generated trace is longer than 292 years");
    const auto exact = static_cast<Nanoseconds>(ns);
    request.line = made_;
    request.arrival = exact - exact % spec_.resolution;
    draw_lengths(request);
    add_prefix(request);
    return true;
  }

  const TraceProblems& problems() const override { return problems_; }

 private:
  double gap() {
    const double mean = 1.0 / spec_.rate_per_s;
    if (spec_.arrival_cv == 0) return mean;
    if (spec_.arrival_cv == 1) return mean * random_.exponential();
    const double shape = 1.0 / (spec_.arrival_cv * spec_.arrival_cv);
    return mean * random_.gamma(shape) / shape;
  }

  std::int64_t draw(const LengthSpec& length) {
    if (length.kind == LengthSpec::Kind::kFixed || length.cv == 0) {
      return static_cast<std::int64_t>(std::floor(length.mean + 0.5));
    }
    const double variance = portable_log(1 + length.cv * length.cv);
    const double mu = portable_log(length.mean) - variance / 2;
    for (int attempt = 0; attempt < 10'000; ++attempt) {
      const double exponent = mu + std::sqrt(variance) * random_.normal();
      if (exponent > 40) continue;  // far above any accepted length
      const double value = std::floor(portable_exp(exponent) + 0.5);
      if (value >= 1 && value <= static_cast<double>(spec_.longest)) {
        return static_cast<std::int64_t>(value);
      }
    }
    throw core::InputError("the length distribution almost never falls within 1 to " +
                           std::to_string(spec_.longest) + " tokens");
  }

  void draw_lengths(TraceRequest& request) {
    if (!spec_.lengths.empty()) {
      const auto& [prompt, output] = spec_.lengths[random_.below(spec_.lengths.size())];
      request.prompt_tokens = prompt;
      request.output_tokens = output;
      return;
    }
    request.prompt_tokens = draw(spec_.prompt);
    request.output_tokens = draw(spec_.output);
  }

  // Ids are numbers that no other block has: group prefixes first, then one run per request.
  void add_prefix(TraceRequest& request) {
    request.block_ids.clear();
    request.block_tokens = spec_.block_tokens;
    if (spec_.prefix_tokens == 0) return;
    const bool shares = random_.uniform() < spec_.prefix_share;
    const std::uint64_t group = random_.below(spec_.prefix_groups);
    const std::int64_t blocks_per_prefix = spec_.prefix_tokens / spec_.block_tokens;
    std::int64_t shared = 0;
    if (shares) {
      request.prompt_tokens += spec_.prefix_tokens;
      shared = blocks_per_prefix;
    }
    const std::int64_t blocks =
        (request.prompt_tokens + spec_.block_tokens - 1) / spec_.block_tokens;
    for (std::int64_t i = 0; i < blocks; ++i) {
      const auto index = static_cast<std::uint64_t>(i);
      const std::uint64_t group_id = group * static_cast<std::uint64_t>(blocks_per_prefix) + index;
      request.block_ids.push_back(i < shared ? group_id : own_ids_++);
    }
  }

  GeneratorSpec spec_;
  Random random_;
  TraceProblems problems_;
  double seconds_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t own_ids_ = spec_.prefix_groups *
                           static_cast<std::uint64_t>(
                               spec_.prefix_tokens / std::max<std::int64_t>(spec_.block_tokens, 1));
};

GeneratorSpec builtin(std::uint64_t seed, double rate, LengthSpec prompt, LengthSpec output) {
  GeneratorSpec spec;
  spec.seed = seed;
  spec.requests = 400;
  spec.rate_per_s = rate;
  spec.prompt = prompt;
  spec.output = output;
  spec.longest = 3'000;
  return spec;
}

}  // namespace

LengthSpec parse_length_spec(std::string_view key, std::string_view text) {
  LengthSpec length;
  const auto fail = [&] {
    core::fail_input({}, std::string(key), std::string(text), "not a length", kLengthAccepted);
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) fail();
  const std::string_view kind = text.substr(0, colon);
  std::string_view rest = text.substr(colon + 1);
  if (kind == "lognormal") {
    length.kind = LengthSpec::Kind::kLognormal;
    const std::size_t second = rest.find(':');
    if (second == std::string_view::npos || !parse_double(rest.substr(second + 1), length.cv)) {
      fail();
    }
    rest = rest.substr(0, second);
  } else if (kind != "fixed") {
    fail();
  }
  if (!parse_double(rest, length.mean)) fail();
  return length;
}

std::unique_ptr<TraceSource> make_generator(const GeneratorSpec& spec) {
  return std::make_unique<Generator>(spec);
}

const std::vector<BuiltinTrace>& builtin_traces() {
  using Kind = LengthSpec::Kind;
  static const std::vector<BuiltinTrace> traces = [] {
    std::vector<BuiltinTrace> all;
    all.push_back(
        {"synthetic-chat", "400 chat-like requests, Poisson 4/s, prompts of about 600",
         builtin(20231116, 4, {Kind::kLognormal, 600, 0.9}, {Kind::kLognormal, 120, 0.9})});
    all.push_back(
        {"synthetic-code", "400 completion-like requests, Poisson 4/s, short answers",
         builtin(20231117, 4, {Kind::kLognormal, 900, 0.7}, {Kind::kLognormal, 24, 0.9})});
    all.push_back(
        {"synthetic-shared", "400 requests behind 4 shared 512-token prefixes",
         builtin(20231118, 4, {Kind::kLognormal, 200, 0.9}, {Kind::kLognormal, 60, 0.9})});
    all.back().spec.prefix_tokens = 512;
    all.back().spec.prefix_groups = 4;
    return all;
  }();
  return traces;
}

}  // namespace ridgepoint::workloads
