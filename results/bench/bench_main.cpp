// SPDX-License-Identifier: Apache-2.0
#include "results/bench/bench_main.hpp"

#include <benchmark/benchmark.h>

#include <iostream>
#include <string>
#include <string_view>

#include "results/columns.hpp"
#include "results/csv_writer.hpp"
#include "sim/config/build_info.hpp"
#include "sim/config/number.hpp"

namespace ridgepoint::bench {
namespace {

// Google Benchmark's own CSV keeps six digits and runs arguments into the name.
class Table : public benchmark::ConsoleReporter {
 public:
  Table() : benchmark::ConsoleReporter(OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.error_occurred || run.run_type != Run::RT_Iteration) continue;
      std::string name = run.run_name.function_name;
      if (!run.report_label.empty()) {
        name += ' ' + run.report_label;
      } else if (!run.run_name.args.empty()) {
        name += '/' + run.run_name.args;
      }
      const double ns = 1e9 / benchmark::GetTimeUnitMultiplier(run.time_unit);
      add(name, "real_ns", run.GetAdjustedRealTime() * ns);
      add(name, "cpu_ns", run.GetAdjustedCPUTime() * ns);
      for (const auto& [metric, counter] : run.counters) add(name, metric, counter.value);
    }
  }
  void write(const std::string& path) const {
    results::TableWriter writer(results::table("bench"), path, std::cout);
    for (const auto& row : rows_) writer.add(row);
    writer.finish();
  }

 private:
  void add(const std::string& name, const std::string& metric, double value) {
    const config::BuildInfo& build = config::build_info();
    rows_.push_back({results::schema_of(results::table("bench")), std::string(build.version),
                     std::string(build.git_commit), "", "", name, metric,
                     config::format_real(value), "ok", ""});
  }
  std::vector<std::vector<std::string>> rows_;
};

// Takes "--csv FILE" out of the arguments.
std::string take_csv(int& argc, char** argv) {
  std::string path;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--csv" && i + 1 < argc) {
      path = argv[++i];
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return path;
}

}  // namespace

int run_benchmarks(int argc, char** argv) {
  const std::string path = take_csv(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Table table;
  benchmark::RunSpecifiedBenchmarks(&table);
  if (!path.empty()) table.write(path);
  benchmark::Shutdown();
  return 0;
}

}  // namespace ridgepoint::bench
