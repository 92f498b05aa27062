// SPDX-License-Identifier: Apache-2.0
// A serving run in plain words, from its counted numbers.
#include <sstream>

#include "sim/cli/serve_report.hpp"

namespace ridgepoint::cli {
namespace {

using workloads::ServingSummary;

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

double wide(workloads::WideInteger value) { return static_cast<double>(value); }

// The phase or reason that takes most of a request's life.
std::string what_limits(const ServingSummary& summary) {
  if (summary.completed() == 0) return "nothing: no request could be served at all";
  if (summary.full_ns == 0) return "nothing: no request ever waited for another one";
  std::size_t most = 1;
  for (std::size_t i = 1; i < workloads::kWaitReasons; ++i) {
    if (summary.waited_ns[i] > summary.waited_ns[most]) most = i;
  }
  switch (static_cast<workloads::WaitReason>(most)) {
    case workloads::WaitReason::kKvBlocks:
    case workloads::WaitReason::kPreemption:
      return "cache memory";
    case workloads::WaitReason::kTokenBudget:
      return "the token budget of a step";
    case workloads::WaitReason::kMaxSequences:
      return "max_num_seqs";
    default:
      return "the scheduler, which lets nobody in";
  }
}

}  // namespace

std::string serve_text(const ServingSummary& summary) {
  std::ostringstream text;
  text.precision(4);
  text << summary.completed() << " of " << summary.requests << " requests served, "
       << summary.rejected() << " rejected";
  if (summary.completed() > 0) {
    text << "; TTFT " << summary.ttft.mean() / 1e6 << " ms, TPOT " << summary.tpot.mean() / 1e6
         << " ms (means), " << summary.output_tokens_per_s() << " tokens/s; "
         << summary.running_mean() << " requests running on average, " << summary.running_max
         << " at most";
  }
  text << "\nlimited by: " << what_limits(summary);
  return text.str();
}

std::string story_text(const ServingSummary& summary, const ServeSetting& setting) {
  std::ostringstream text;
  text.precision(3);
  text << "What this run shows:\n- Memory beside the weights promises "
       << setting.naive.max_requests << " requests at the model's full context; ";
  if (summary.full_ns > 0) {
    text << "with these lengths " << summary.running_mean_full()
         << " ran at once whenever others had to wait.";
  } else {
    text << "no request had to wait, at most " << summary.running_max << " ran at once.";
  }
  text << "\n- Of the cache memory given to requests " << 100 * summary.kv_used_ratio()
       << " % held cache; " << 100 - 100 * summary.kv_used_ratio() << " % was waste.";
  if (summary.longest > 0) {
    text << " Reserving for each the length of the longest one (" << summary.longest
         << " tokens) would waste " << 100 - 100 * summary.longest_reserved_ratio() << " %.";
  }
  if (summary.ttft.count() > 0) {
    text << "\n- Time to first token is " << 100 * summary.ttft_queued_ratio()
         << " % queueing; the rest computes the prompt.";
  }
  const double life = wide(summary.spent[0] + summary.spent[1] + summary.spent[2]);
  text << "\n- A request's life is " << percent(wide(summary.spent[0]), life) << " % queueing, "
       << percent(wide(summary.spent[1]), life) << " % prefill and "
       << percent(wide(summary.spent[2]), life) << " % decode.";
  if (summary.preemptions > 0) {
    const double computed = static_cast<double>(summary.computed_tokens);
    text << "\n- Memory ran out " << summary.preemptions
         << " times: " << percent(static_cast<double>(summary.recomputed_tokens), computed)
         << " % of all tokens computed were computed before.";
  }
  if (summary.prefix_hit_tokens > 0) {
    text << "\n- "
         << percent(static_cast<double>(summary.prefix_hit_tokens),
                    static_cast<double>(summary.prompt_tokens))
         << " % of the prompt tokens were found in the cache of other requests. Blocks of another "
            "model, format or salt have other hashes and are never found.";
  }
  if (summary.rejected() > 0) {
    text << "\n- " << summary.rejected() << " requests could never be served:";
    for (std::size_t i = 1; i < workloads::kOutcomes; ++i) {
      if (summary.outcomes[i] > 0) {
        text << ' ' << summary.outcomes[i] << " (" << workloads::kOutcomeNames[i] << ')';
      }
    }
    text << '.';
  }
  return text.str();
}

}  // namespace ridgepoint::cli
