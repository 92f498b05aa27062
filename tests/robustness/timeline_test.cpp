// SPDX-License-Identifier: Apache-2.0
// --timeline and --vcd: the files are well formed, and what they draw sums to what the table says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "results/csv_reader.hpp"
#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

class Timeline : public ProgramTest {
 protected:
  static constexpr const char* kPartEnd = "40";  // us; the run takes more than twice as long

  Outcome draw(const Arguments& more) const {
    Arguments all{"run",       "--model", "stories260K", "--batch", "2",
                  "--context", "16",      "--no-reuse",  "--csv",   "r.csv"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  Json trace(const Arguments& more) const {
    Arguments all{"--timeline", "t.json"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = draw(all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(slurp(folder() / "t.json"));
  }
  // A column of the only row of r.csv.
  double cell(const std::string& column) const {
    results::CsvReader reader(folder() / "r.csv");
    EXPECT_TRUE(reader.next());
    return reader.real(column).value();
  }
  static const Arguments& everything() {
    static const Arguments all{"--timeline-window-us", "0:100000", "--timeline-cores", "all",
                               "--timeline-channels",  "all"};
    return all;
  }
};

// Track names by (process, track), and the number of processes whose name starts with `prefix`.
std::map<std::pair<int, int>, std::string> track_names(const Json& trace) {
  std::map<std::pair<int, int>, std::string> names;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] == "thread_name") {
      names[{event["pid"], event["tid"]}] = event["args"]["name"];
    }
  }
  return names;
}

int processes(const Json& trace, const std::string& prefix) {
  int count = 0;
  for (const Json& event : trace["traceEvents"]) {
    const bool names = event["ph"] == "M" && event["name"] == "process_name";
    count += names && std::string(event["args"]["name"]).starts_with(prefix) ? 1 : 0;
  }
  return count;
}

double sum_us(const Json& trace, const std::string& track, const std::string& category) {
  const auto names = track_names(trace);
  double sum = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || event["cat"] != category) continue;
    if (names.at({event["pid"], event["tid"]}).starts_with(track)) sum += double(event["dur"]);
  }
  return sum;
}

TEST_F(Timeline, BusyTimesSumToTheTable) {
  const Json drawn = trace(everything());
  const int cores = processes(drawn, "core ");
  ASSERT_GT(cores, 1);
  const double time_us = cell("time_ns") / 1e3;
  const double matrix = sum_us(drawn, "matrix", "busy");
  EXPECT_GT(matrix, 0);
  EXPECT_NEAR(matrix, cell("matrix_busy_ratio") * time_us * cores, 1e-6 * time_us * cores);
  const double waits = sum_us(drawn, "matrix", "stall");
  const double told = cell("matrix_wait_load_ratio") + cell("matrix_wait_matrix_ratio") +
                      cell("matrix_wait_vector_ratio") + cell("matrix_wait_store_ratio") +
                      cell("matrix_wait_sync_ratio") + cell("matrix_drain_ratio");
  EXPECT_NEAR(waits, told * time_us * cores, 1e-6 * time_us * cores);
  double kernels = 0;
  for (const char* category : {"kernel", "launch"}) kernels += sum_us(drawn, "kernels", category);
  EXPECT_NEAR(kernels, time_us, 1e-6 * time_us);

  // Data buses: ticks of the last partial tick and bytes, which are exact.
  double bytes = 0;
  int buses = 0;
  for (const auto& [track, name] : track_names(drawn)) buses += name.starts_with("data bus");
  for (const Json& event : drawn["traceEvents"]) {
    if (event["ph"] == "X" && event["cat"] == "data") bytes += double(event["args"]["bytes"]);
  }
  EXPECT_EQ(bytes, cell("hbm_read_bytes") + cell("hbm_write_bytes"));
  const double bus_us = cell("hbm_busy_ratio") * time_us * buses;
  EXPECT_NEAR(sum_us(drawn, "data bus", "data"), bus_us, 1e-3 * bus_us);
}

TEST_F(Timeline, EventsOfATrackAreInOrderAndDoNotOverlap) {
  const Json drawn = trace(everything());
  struct State {
    double last = 0, end = 0;
    int depth = 0;
  };
  std::map<std::tuple<int, int>, State> tracks;
  std::size_t slices = 0;
  for (const Json& event : drawn["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "M") continue;
    State& track = tracks[{event["pid"], event["tid"]}];
    const double at = event["ts"];
    ASSERT_GE(at, track.last) << event;
    track.last = at;
    track.depth += phase == "B" ? 1 : phase == "E" ? -1 : 0;
    ASSERT_TRUE(track.depth == 0 || track.depth == 1) << event;
    if (phase != "X") continue;
    ++slices;
    ASSERT_GT(double(event["dur"]), 0) << event;
    ASSERT_GE(at, track.end - 1e-9) << event;
    track.end = at + double(event["dur"]);
  }
  EXPECT_GT(slices, 1000U);
  for (const auto& [track, state] : tracks) EXPECT_EQ(state.depth, 0);
}

// Every arrow that ends began before, on a DMA track, and ends at a bank.
TEST_F(Timeline, ArrowsGoFromDmaCommandsToBanks) {
  const Json drawn = trace(everything());
  const auto names = track_names(drawn);
  std::map<std::int64_t, Json> starts;
  std::size_t ends = 0;
  for (const Json& event : drawn["traceEvents"]) {
    if (event["ph"] == "s") {
      EXPECT_THAT((names.at({event["pid"], event["tid"]})), HasSubstr("commands"));
      EXPECT_TRUE(starts.emplace(event["id"], event).second) << event;
    }
  }
  for (const Json& event : drawn["traceEvents"]) {
    if (event["ph"] != "f") continue;
    ++ends;
    ASSERT_EQ(starts.count(event["id"]), 1U) << event;
    EXPECT_GT(double(event["ts"]), double(starts[event["id"]]["ts"]));
    EXPECT_THAT((names.at({event["pid"], event["tid"]})), HasSubstr("bank"));
  }
  EXPECT_GT(ends, 100U);
  // Reads that the write queue answers have no burst of their own.
  EXPECT_GT(static_cast<double>(ends), 0.9 * static_cast<double>(starts.size()));
}

TEST_F(Timeline, AWindowAndASelectionBoundTheFile) {
  const Json drawn = trace({"--timeline-window-us", std::string("20:") + kPartEnd,
                            "--timeline-cores", "1,3-4", "--timeline-channels", "none"});
  ASSERT_GT(cell("time_ns"), 80e3);
  EXPECT_EQ(processes(drawn, "core "), 3);
  EXPECT_EQ(processes(drawn, "HBM"), 0);
  for (const Json& event : drawn["traceEvents"]) {
    if (event["ph"] == "M") continue;
    EXPECT_GE(double(event["ts"]), 20);
    const double length = event["ph"] == "X" ? double(event["dur"]) : 0;
    EXPECT_LE(double(event["ts"]) + length, 40 + 1e-9);
  }
}

// Ends of a run drawn in two windows: together they are as long as the whole.
TEST_F(Timeline, TwoWindowsMakeTheWhole) {
  Arguments first = everything();
  Arguments second = everything();
  first[1] = std::string("0:") + kPartEnd;
  second[1] = std::string(kPartEnd) + ":100000";
  const Json whole = trace(everything());
  const Json a = trace(first);
  const Json b = trace(second);
  for (const auto& [track, category] :
       std::vector<std::pair<std::string, std::string>>{{"matrix", "busy"},
                                                        {"load", "busy"},
                                                        {"store", "stall"},
                                                        {"data bus", "data"},
                                                        {"pc", "burst"},

                                                        {"kernels", "kernel"}}) {
    const double all = sum_us(whole, track, category);
    EXPECT_GT(all, 0) << track;
    EXPECT_NEAR(sum_us(a, track, category) + sum_us(b, track, category), all, 1e-6 * all) << track;
  }
}

TEST_F(Timeline, DrawingChangesNoResultAndIsRepeatable) {
  ASSERT_EQ(draw({}).exit_code, 0);
  const std::string table = slurp(folder() / "r.csv");
  trace({"--vcd", "t.vcd"});
  EXPECT_EQ(slurp(folder() / "r.csv"), table);
  const std::string json = slurp(folder() / "t.json");
  const std::string vcd = slurp(folder() / "t.vcd");
  trace({"--vcd", "t.vcd"});
  EXPECT_TRUE(slurp(folder() / "t.json") == json);
  EXPECT_TRUE(slurp(folder() / "t.vcd") == vcd);
  EXPECT_EQ(names_in_folder(), (Arguments{"r.csv", "t.json", "t.vcd"}));
}

TEST_F(Timeline, WaveformsSumToTheTableToo) {
  Arguments all{"--vcd", "t.vcd"};
  all.insert(all.end(), everything().begin(), everything().end());
  ASSERT_EQ(draw(all).exit_code, 0);
  std::istringstream in(slurp(folder() / "t.vcd"));
  std::map<std::string, double> rise;  // matrix_busy signals: when they rose; -1: low
  double now = 0, busy = 0, last = -1;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word, kind, bits, id, name;
    words >> word;
    if (word == "$var") {
      words >> kind >> bits >> id >> name;
      if (name == "matrix_busy") rise[id] = -1;
    } else if (word[0] == '#') {
      now = std::stod(word.substr(1));
      EXPECT_GT(now, last);
      last = now;
    } else if ((word[0] == '0' || word[0] == '1') && rise.count(word.substr(1))) {
      double& since = rise[word.substr(1)];
      if (word[0] == '0' && since >= 0) busy += now - since;
      since = word[0] == '1' ? now : -1;
    }
  }
  const double expected = cell("matrix_busy_ratio") * cell("time_ns") * 1e6;
  ASSERT_GT(rise.size(), 1U);
  EXPECT_NEAR(busy, expected * static_cast<double>(rise.size()), 1e-6 * busy);
  EXPECT_NEAR(now, cell("time_ns") * 1e6, 1e3);
}

TEST_F(Timeline, BadRequestsAreOneLineAndLeaveNothing) {
  const auto refused = [&](const Arguments& more, const std::string& says) {
    const Outcome outcome = draw(more);
    EXPECT_EQ(outcome.exit_code, 2) << says;
    EXPECT_THAT(outcome.err, HasSubstr(says));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    EXPECT_EQ(names_in_folder(), Arguments{});
  };
  for (const char* window : {"5", "5:5", "9:1", "-1:3", "a:b", "0:1e300"}) {
    refused({"--timeline", "t.json", "--timeline-window-us", window}, "--timeline-window-us");
  }
  refused({"--timeline", "t.json", "--timeline-cores", "0,99999"}, "out of range");
  refused({"--vcd", "t.vcd", "--timeline-channels", "x"}, "--timeline-channels");
  refused({"--timeline-cores", "0"}, "has nothing to draw");
  refused({"--timeline-window-us", "0:5"}, "has nothing to draw");
  refused({"--timeline", "r.csv"}, "is also the file of");
  refused({"--timeline", "no/t.json"}, "cannot be written");
  refused({"--timeline", "/dev/full"}, "No space left");
}

// Text runs on the machine, so its timeline is that of `run`.
TEST_F(Timeline, GeneratedAndServedTextIsDrawn) {
  file("prompts.txt", "hello\nyou there\n");
  const std::vector<Arguments> commands{
      {"generate", "--prompt-tokens", "1,2,3", "--steps", "3"},
      {"serve", "--prompts", "prompts.txt", "--steps", "3", "--check-alone"}};
  for (Arguments command : commands) {
    const std::string plain = run(command).out;
    command.insert(command.end(), {"--timeline", "t.json", "--vcd", "t.vcd"});
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, plain) << "drawing changes the result";
    const Json drawn = Json::parse(slurp(folder() / "t.json"));
    EXPECT_GT(drawn["traceEvents"].size(), 100U);
    EXPECT_THAT(slurp(folder() / "t.vcd"), HasSubstr("$enddefinitions"));
  }
}

// Steps do not overlap, and a request's two slices are its row's times.
TEST_F(Timeline, AServedTraceIsDrawnByStepsAndRequests) {
  const Arguments command{
      "serve",          "--model", "stories260K", "--take-requests", "40",         "--rate", "100",
      "--requests-csv", "q.csv",   "--steps-csv", "s.csv",           "--timeline", "t.json"};
  const Outcome outcome = run(command);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  double busy_us = 0, last_end = 0;
  std::map<std::string, double> drawn;  // request -> us from arrival to last token
  const Json trace = Json::parse(slurp(folder() / "t.json"));
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const double from = event["ts"], length = event["dur"];
    const std::string name = event["name"];
    if (event["cat"] == "step") {
      EXPECT_GE(from, last_end - 1e-6);
      last_end = from + length;
      busy_us += length;
    } else {
      drawn[name.substr(0, name.find(':'))] += length;
    }
  }
  results::CsvReader steps(folder() / "s.csv");
  double expected_us = 0;
  while (steps.next()) expected_us += 1e3 * steps.real("duration_ms").value();
  EXPECT_NEAR(busy_us, expected_us, 1e-6 * expected_us);
  results::CsvReader requests(folder() / "q.csv");
  std::size_t completed = 0;
  while (requests.next()) {
    if (requests.text("outcome") != "completed") continue;
    const double us = drawn.at("request " + requests.text("request_id"));
    EXPECT_NEAR(us, 1e3 * requests.real("e2e_ms").value(), 1e-6 * us);
    ++completed;
  }
  EXPECT_EQ(completed, drawn.size());
  EXPECT_GT(completed, 3U);
  Arguments machine = command;
  machine.insert(machine.end(), {"--timeline-cores", "0"});
  EXPECT_THAT(run(machine).err, HasSubstr("needs the machine"));
}

}  // namespace
}  // namespace ridgepoint::tests
