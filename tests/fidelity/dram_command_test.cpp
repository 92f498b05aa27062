// SPDX-License-Identifier: Apache-2.0
// `dram` and `check` as a user calls them: figures beside their bounds, trace files, bad input.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/fidelity/command.hpp"

namespace ridgepoint::testing_command {
namespace {

using ::testing::HasSubstr;

class DramCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("ridgepoint_dram_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static CsvRow dram(std::vector<std::string> arguments) {
    // The machine's five stacks, and as many bytes as make the ends of the run small.
    arguments.insert(arguments.begin(), {"dram", "--quiet", "--hbm.controller", "event"});
    const Outcome outcome = command(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::vector<CsvRow> rows = rows_of(outcome.out);
    return rows.empty() ? CsvRow{} : rows.front();
  }
  static double number(const CsvRow& row, const std::string& column) {
    return std::stod(row.at(column));
  }
  std::filesystem::path folder_;
};

TEST_F(DramCommand, SequentialMeetsWhatRefreshLeaves) {
  const CsvRow row = dram({"--bytes", "134217728"});
  EXPECT_NEAR(number(row, "hbm_bandwidth_ratio") / number(row, "refresh_bound_ratio"), 1, 0.01);
}

// A short run may end before its refreshes come; in a long one they leave no more than the bound.
TEST_F(DramCommand, InTheLongRunRefreshIsABound) {
  const CsvRow row = dram({"--bytes", "402653184"});
  EXPECT_LE(number(row, "hbm_bandwidth_ratio"), number(row, "refresh_bound_ratio"));
  const Outcome said = command({"dram", "--bytes", "1048576"});
  EXPECT_THAT(said.err, HasSubstr("; refresh leaves 90.0 % in the long run)"));
}

// What people read is the table's number, rounded.
TEST_F(DramCommand, TheSummaryRoundsWhatTheTableSays) {
  const Outcome said = command({"dram", "--bytes", "1048576"});
  const CsvRow row = rows_of(said.out).front();
  const auto printed = [&](const std::string& before) {
    const std::size_t at = said.err.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return at == std::string::npos ? -1 : std::stod(said.err.substr(at + before.size()));
  };
  EXPECT_NEAR(printed("bytes in "), number(row, "time_ns"), 0.05);
  EXPECT_NEAR(printed(" ns, "), number(row, "gb_per_s"), 0.05);
  EXPECT_NEAR(printed("GB/s ("), 100 * number(row, "hbm_bandwidth_ratio"), 0.05);
  EXPECT_NEAR(printed("latency: mean "), number(row, "latency_mean_ns"), 0.05);
  EXPECT_NEAR(printed("data bus: busy "), 100 * number(row, "hbm_busy_ratio"), 0.05);
  EXPECT_NEAR(printed(" uJ, "), number(row, "hbm_energy_pj_per_bit"), 0.005);
  EXPECT_NEAR(printed("(rows "), number(row, "hbm_energy_act_pj") / number(row, "bits_count"),
              0.005);
}

TEST_F(DramCommand, LostTimeSumsToOne) {
  for (const char* pattern : {"random", "strided", "mix", "streams", "paged_kv"}) {
    const CsvRow row = dram({"--pattern", pattern, "--bytes", "2097152"});
    double sum = 0;
    for (const char* reason : {"busy", "idle", "queue", "refresh", "row_miss", "row_conflict",
                               "activation", "turnaround", "bank_group", "column", "pending"}) {
      sum += number(row, std::string("hbm_") + reason + "_ratio");
    }
    EXPECT_NEAR(sum, 1, 1e-9) << pattern;
    EXPECT_EQ(row.at("bytes"), "2097152") << pattern;
    EXPECT_EQ(number(row, "bits_count"),
              8 * (number(row, "hbm_read_bytes") + number(row, "hbm_write_bytes")));
    EXPECT_NEAR(number(row, "read_share_ratio"), pattern == std::string("mix") ? 2.0 / 3 : 1, 1e-4);
    EXPECT_LE(number(row, "latency_p50_ns"), number(row, "latency_p99_ns"));
  }
}

// One request at a time to a closed bank: tRCDRD + tCL + tBURST. Row policy timeout closes the bank
// before the next one comes.
TEST_F(DramCommand, UnloadedLatencyIsTheSumOfItsTimings) {
  const std::string trace = file("a.txt", "0 R\n0x100000 R 1000\n123456 R 2000.5 # comment\n");
  const CsvRow row = dram({"--trace", trace, "--request-bytes", "32", "--hbm.row_policy", "timeout",
                           "--hbm.pin_rate_gbps", "6.4", "--hbm.refresh", "none"});
  EXPECT_EQ(row.at("pattern"), "trace");
  EXPECT_EQ(row.at("bytes"), "96");
  const double tCK = 0.625;
  EXPECT_NEAR(number(row, "latency_p50_ns"), 31 * tCK + 20 * tCK + 2 * tCK, 1e-9);
}

// Nor does a long wait before requests that the input cannot hold at once: steps begin where the
// requests arrive, whatever the controller.
TEST_F(DramCommand, AWaitBeforeManyRequestsIsTheSameForEveryController) {
  std::string lines = "0 R 0\n";
  for (int line = 0; line < 60; ++line) {
    lines += std::to_string(1'000'000 + line * 4096) + " R 480.365\n";
  }
  const std::string trace = file("wait.txt", lines);
  std::vector<CsvRow> rows;
  for (const char* controller : {"oracle", "event", "fast"}) {
    const Outcome outcome = command(
        {"dram", "--quiet", "--trace", trace, "--request-bytes", "4096", "--hbm.stacks", "1",
         "--hbm.channels_per_stack", "1", "--hbm.stack_capacity_bytes", "1073741824",
         "--hbm.refresh", "none", "--hbm.read_queue", "256", "--hbm.controller", controller});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    rows.push_back(rows_of(outcome.out).front());
    EXPECT_EQ(rows.back(), rows.front()) << controller;
  }
}

// One piece in flight: no refresh or queue changes when the next one starts, so the fast
// controllers and the plain one see the same requests.
TEST_F(DramCommand, OneInFlightIsTheSameForEveryController) {
  std::vector<CsvRow> rows;
  for (const char* controller : {"oracle", "event", "fast"}) {
    const Outcome outcome =
        command({"dram", "--quiet", "--hbm.stacks", "1", "--pattern", "random", "--bytes", "65536",
                 "--request_bytes", "32", "--outstanding", "1", "--hbm.controller", controller});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    rows.push_back(rows_of(outcome.out).front());
  }
  EXPECT_EQ(rows[0], rows[1]);
  EXPECT_EQ(rows[0], rows[2]);
}

// Every request another row of one bank: a burst per tRC and channel, less what refresh takes.
TEST_F(DramCommand, ConflictsComeEveryRowCycle) {
  const CsvRow row = dram({"--pattern", "conflict", "--bytes", "1048576", "--request_bytes", "32",
                           "--hbm.pin_rate_gbps", "6.4", "--hbm.refresh", "none"});
  const double tRC = 45, burst_of_channel = 1.25 / 2;  // ns; two pseudo-channels share the peak
  EXPECT_NEAR(number(row, "hbm_bandwidth_ratio") / (burst_of_channel / tRC), 1, 0.01);
  EXPECT_EQ(number(row, "row_hits_count"), 0);
}

// A burst per ACT in the next bank: four per tFAW and pseudo-channel.
TEST_F(DramCommand, RowMissesAreLimitedByTheActivateWindow) {
  const CsvRow row = dram({"--pattern", "rowmiss", "--bytes", "16777216", "--request_bytes", "32",
                           "--hbm.pin_rate_gbps", "6.4", "--hbm.refresh", "none"});
  const double tFAW = 15, burst = 1.25;
  EXPECT_NEAR(number(row, "hbm_bandwidth_ratio") / (4 * burst / tFAW), 1, 0.01);
  EXPECT_EQ(number(row, "act_count"), 16777216 / 32);
  const Outcome large = command({"dram", "--pattern", "rowmiss", "--request_bytes", "4096"});
  EXPECT_EQ(large.exit_code, 2);
  EXPECT_THAT(large.err, HasSubstr("does not stay in one channel"));
}

TEST_F(DramCommand, TheLatencyTableHoldsEveryPiece) {
  const CsvRow row = dram({"--pattern", "random", "--bytes", "1048576", "--request_bytes", "32",
                           "--latency_csv", path("latency.csv")});
  std::ifstream file(path("latency.csv"));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  double pieces = 0, below_median = 0, last = -1;
  for (const CsvRow& bucket : rows_of(text)) {
    EXPECT_GT(number(bucket, "at_least_ns"), last);
    last = number(bucket, "at_most_ns");
    EXPECT_GE(last, number(bucket, "at_least_ns"));
    pieces += number(bucket, "pieces_count");
    if (last < number(row, "latency_p50_ns")) below_median += number(bucket, "pieces_count");
  }
  EXPECT_EQ(pieces, number(row, "pieces_count"));
  EXPECT_LE(below_median, pieces / 2);
}

TEST_F(DramCommand, EnergySumsToItsParts) {
  for (const char* standard : {"hbm2", "ddr5", "gddr7"}) {
    const CsvRow row =
        dram({"--pattern", "mix", "--bytes", "2097152", "--hbm.standard", standard, "--hbm.stacks",
              "2", "--hbm.channels_per_stack", "2", "--hbm.pin_rate_gbps",
              standard == std::string("gddr7")  ? "28"
              : standard == std::string("ddr5") ? "4.8"
                                                : "2"});
    double sum = 0;
    for (const char* part : {"act", "read", "write", "io", "refresh", "background"}) {
      EXPECT_GT(number(row, std::string("hbm_energy_") + part + "_pj"), 0) << standard << part;
      sum += number(row, std::string("hbm_energy_") + part + "_pj");
    }
    EXPECT_NEAR(sum / number(row, "hbm_energy_pj"), 1, 1e-12);
    EXPECT_NEAR(number(row, "hbm_energy_pj_per_bit") * number(row, "bits_count") / sum, 1, 1e-12);
  }
}

TEST_F(DramCommand, SameSeedSameBytes) {
  const std::vector<std::string> arguments{"dram",    "--quiet", "--pattern", "random",
                                           "--bytes", "262144",  "--seed",    "5"};
  EXPECT_EQ(command(arguments).out, command(arguments).out);
}

TEST_F(DramCommand, ItsCommandTraceIsClean) {
  const std::string trace = path("commands.txt");
  const CsvRow row = dram({"--pattern", "mix", "--bytes", "4194304", "--command_trace", trace,
                           "--heat_csv", path("heat.csv")});
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, std::vector<std::string>{"--machine", "teaching-80g"}}) {
    std::vector<std::string> arguments{"check", "--dram-trace", trace};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = command(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr("no rule is broken"));
  }
  std::ifstream heat(path("heat.csv"));
  const std::string text((std::istreambuf_iterator<char>(heat)), {});
  double activations = 0;
  for (const CsvRow& bank : rows_of(text)) activations += number(bank, "activations_count");
  EXPECT_EQ(activations, number(row, "act_count"));
  // The same file under a longer tRP, by the header's last word on it.
  std::ifstream in(trace);
  std::string header, line, rest;
  while (std::getline(in, line)) rest += (line.starts_with("tRP ") ? "tRP 99" : line) + '\n';
  const Outcome outcome = command({"check", "--dram-trace", file("bad.txt", rest)});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr(",tRP,"));
}

TEST_F(DramCommand, ATraceOfAnotherMemoryIsNotChecked) {
  const std::string trace = path("commands.txt");
  dram({"--machine", "h100", "--bytes", "65536", "--command_trace", trace});
  const auto check = [&](const std::string& of, std::vector<std::string> more) {
    more.insert(more.begin(), {"check", "--dram-trace", of});
    return command(more);
  };
  EXPECT_EQ(check(trace, {"--machine", "h100"}).exit_code, 0);
  const Outcome standard = check(trace, {"--machine", "a100-80g"});
  EXPECT_EQ(standard.exit_code, 2);
  EXPECT_THAT(standard.err, HasSubstr(":1:25: 'standard': value 'HBM3' is not the machine's; "
                                      "accepted: HBM2E"));
  const Outcome tick = check(trace, {"--machine", "h100", "--hbm.pin_rate_gbps", "4"});
  EXPECT_EQ(tick.exit_code, 2);
  EXPECT_THAT(tick.err, HasSubstr("'tick'"));
  EXPECT_THAT(tick.err, HasSubstr("accepted: 0.5 ns"));
  const std::string foreign = file("f.txt", "standard HBM2\n0 0 ACT 0 0 1 2 17 -\n");
  EXPECT_EQ(check(foreign, {"--machine", "h100"}).exit_code, 2);
}

TEST_F(DramCommand, ForeignTraceWithAStandardsName) {
  const std::string good =
      "standard HBM2\n0 0 ACT 0 0 1 2 17 -\n14 0 RD 0 0 1 2 17 5\n34 0 PRE 0 0 1 2 - -\n";
  EXPECT_EQ(command({"check", "--dram-trace", file("g.txt", good)}).exit_code, 0);
  const Outcome early =
      command({"check", "--dram-trace", file("e.txt", good + "47 0 ACT 0 0 1 2 18 -\n")});
  EXPECT_EQ(early.exit_code, 1);
  const std::vector<CsvRow> rows = rows_of(early.out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("rule"), "tRC");
  EXPECT_EQ(rows[1].at("rule"), "tRP");
  EXPECT_EQ(rows[1].at("missing_ticks_count"), "1");
  EXPECT_EQ(rows[1].at("earlier"), "34 PRE pc 0 sid 0 bg 1 bank 2");
}

TEST_F(DramCommand, MalformedTracesNameThePlace) {
  const std::string head = "standard HBM2\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {head, "holds no command"},
      {"standard HBM9\n", ":1:10: 'standard'"},
      {"tRQ 5\n", ":1:1: value 'tRQ' is unknown"},
      {"tRP x\n", ":1:5: 'tRP'"},
      {"0 0 ACT 0 0 1 2 17 -\n", ":1:1: value '0' comes before any header"},
      {head + "0 0 ACTT 0 0 1 2 17 -\n", ":2:5: 'command': value 'ACTT'"},
      {head + "0 0 ACT 0 0 1 4 17 -\n", ":2:15: 'bank': value '4' does not exist"},
      {head + "0 0 ACT 0 0 1 2\n", ":2:16: 'row': is missing"},
      {head + "0 0 RD 0 0 1 2 3 -\n", ":2:18: 'col'"},
      {head + "0 0 ACT 0 0 1 2 17 - 5\n", ":2:22: value '5' is one word too many"},
      {head + "0x 0 ACT 0 0 1 2 17 -\n", ":2:1: 'tick'"},
      {head + "0 0 ACT 0 0 1 2 17 -\ntRP 5\n", ":3:1: value 'tRP'"},
      {head + "end 5\n0 0 ACT 0 0 1 2 17 -\n", ":3:1: value '0' comes after 'end'"},
      {head + "banks 0\n0 0 ACT 0 0 1 2 17 -\n", "'banks': value '0' is out of range"},
  };
  for (const auto& [text, message] : cases) {
    const Outcome outcome = command({"check", "--dram-trace", file("m.txt", text)});
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_EQ(outcome.out, "") << text;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << text;
  }
}

TEST_F(DramCommand, BadRequestsNameThePlace) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "holds no request"},
      {"0\n", ":1:2: 'direction': is missing"},
      {"0 X\n", ":1:3: 'direction': value 'X'"},
      {"-1 R\n", ":1:1: 'address'"},
      {"0x R\n", ":1:1: 'address'"},
      {"99999999999999999999 R\n", ":1:1: 'address'"},
      {"9000000000000 R\n", "is outside the memory's"},
      {"0 R 5\n0 R 4\n", ":2:5: 'time_ns'"},
      {"0 R nan\n", ":1:5: 'time_ns'"},
      {"0 R 1 2\n", ":1:7: value '2' is one word too many"},
  };
  for (const auto& [text, message] : cases) {
    const Outcome outcome = command({"dram", "--trace", file("r.txt", text)});
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_EQ(outcome.out, "") << text;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << text;
  }
}

}  // namespace
}  // namespace ridgepoint::testing_command
