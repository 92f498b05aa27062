// SPDX-License-Identifier: Apache-2.0
// serve's goodput and story against the rows underneath.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "results/csv_reader.hpp"
#include "tests/robustness/command_tables.hpp"

namespace ridgepoint::tests {
namespace {

class ServingStory : public CommandTables {
 protected:
  // A busy minute of a tiny model: some requests are good, some wait.
  Outcome serve(std::vector<std::string> more) {
    std::vector<std::string> arguments{"serve",
                                       "--model",
                                       "stories260K",
                                       "--machine.memory_gib",
                                       "0.02",
                                       "--overhead-gib",
                                       "0",
                                       "--max-model-len",
                                       "512",
                                       "--trace",
                                       "synthetic-chat",
                                       "--rate",
                                       "20000",
                                       "--take-requests",
                                       "200",
                                       "--requests-csv",
                                       "rows.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(ServingStory, GoodRequestsAreThoseThatKeepEveryLimit) {
  const Outcome outcome = serve({"--slo-ttft-ms", "0.3", "--slo-tpot-ms", "0.2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  results::CsvReader rows((folder() / "rows.csv").string());
  double good = 0, served = 0;
  while (rows.next()) {
    const auto first = rows.real("ttft_ms");
    const auto each = rows.real("tpot_ms");
    if (!first) continue;
    ++served;
    if (*first <= 0.3 && each.value_or(0) <= 0.2) ++good;
  }
  EXPECT_GT(good, 0);
  EXPECT_LT(good, served);
  EXPECT_EQ(number(outcome.out, "good_count"), good);
  EXPECT_NEAR(number(outcome.out, "goodput_requests_per_s"),
              good / number(outcome.out, "makespan_s"),
              1e-9 * number(outcome.out, "goodput_requests_per_s"));
}

TEST_F(ServingStory, ItsNumbersAreThoseOfTheTable) {
  const Outcome outcome = serve({"--story"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto told = [&](const std::string& pattern) {
    std::smatch found;
    if (!std::regex_search(outcome.err, found, std::regex(pattern))) {
      ADD_FAILURE() << "no sentence '" << pattern << "' in\n" << outcome.err;
      return 0.0;
    }
    return std::stod(found[1]);
  };
  EXPECT_NEAR(told("given to requests ([0-9.]+) % held cache"),
              100 * number(outcome.out, "kv_used_ratio"), 0.1);
  EXPECT_NEAR(told("Time to first token is ([0-9.]+) % queueing"),
              100 * number(outcome.out, "queue_mean_ms") / number(outcome.out, "ttft_mean_ms"), 1);
  EXPECT_EQ(told("([0-9]+) requests could never be served"), number(outcome.out, "rejected_count"));
  const double reserved = told("would waste ([0-9.]+) %");
  EXPECT_GT(reserved, told("held cache; ([0-9.]+) % was waste"));
}

}  // namespace
}  // namespace ridgepoint::tests
