// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/subcommands.hpp"

#include "sim/cli/commands.hpp"

namespace ridgepoint::cli {

std::span<const Subcommand> subcommands() {
  static constexpr Subcommand kRows[] = {
      {.name = "list",
       .summary = "what exists: machines, models, memory standards, traces, options, columns",
       .positionals = "machines|models|dram|timings|traces|options|columns",
       .most_positionals = 1,
       .details = "Prints one table as CSV.",
       .function = &list_command},
      {.name = "run",
       .summary = "one step of a model on a machine: time, traffic, FLOP/byte, bound, stalls",
       .details = "Every kernel of the step runs on the simulated machine. Prefill: --tokens new "
                  "tokens per request (512 by default), after --context cached ones. Decode: one "
                  "new token per request.",
       .function = &run_command},
      {.name = "generate",
       .summary = "real text on the simulated machine, with or without the KV cache",
       .details = "Runs a checkpoint's real values through the same kernels that `run` times.",
       .function = &generate_command},
      {.name = "plan",
       .summary = "how many requests fit beside the weights, and what stops one more",
       .details =
           "Arithmetic on shapes and sizes; nothing is simulated. max_requests_count divides "
           "what the weights leave; the real_ columns also count the share of memory an "
           "engine may use, activations, overheads and whole blocks. With --trace: the "
           "concurrency that its lengths reach.",
       .function = &plan_command},
      {.name = "serve",
       .summary = "a trace through the serving engine, timed by the machine",
       .details =
           "Continuous batching with paged cache, chunked prefill and preemption. Step times "
           "come from simulated kernels, interpolated between shapes; the row says how far "
           "that is from fresh simulations. --exact simulates every step. --prompts serves real "
           "text instead of a trace: every step computes values.",
       .function = &serve_command},
      {.name = "capacity",
       .summary = "the highest rate, fewest machines or smallest memory that meets service levels",
       .details = "Serves the trace again and again, as `serve` does, and bisects. Levels are "
                  "--slo-ttft-ms, --slo-tpot-ms and --slo-e2e-ms, each kept by --percentile of the "
                  "requests, or all at once by --good-share. A request that its pool or budget can "
                  "never hold counts as missed. Every value tried is a row; the last lines say "
                  "what was found and what limits it. --seek rate scales the trace; machines deals "
                  "its requests round; memory changes machine.memory_gib, the HBM's speed stays.",
       .function = &capacity_command},
      {.name = "trace",
       .summary = "what a request trace holds, or a synthetic one",
       .positionals = "info FILE | make",
       .most_positionals = 2,
       .details = "info: counts, percentiles, rates, prefix sharing and problems. make: draws a "
                  "trace from --seed and writes it in --trace-format.",
       .function = &trace_command},
      {.name = "sweep",
       .summary = "every point of a cross product, in parallel, resumable",
       .positionals = "[SUITE.ini]",
       .most_positionals = 1,
       .takes_others = true,
       .details = "Options of the subcommand that makes the points (--of) may be given too; they "
                  "hold for all points. Rows are appended to --csv as they finish; at the end the "
                  "file is put in order. A point that fails is a row with status and message.",
       .function = &sweep_command},
      {.name = "merge",
       .summary = "the shards of a sweep become one table",
       .positionals = "A.csv B.csv ...",
       .most_positionals = 1000000,
       .details = "Rows are ordered by point; equal rows count once; a good row replaces a failed "
                  "one of the same configuration.",
       .function = &merge_command},
      {.name = "compare",
       .summary = "tables side by side, with ratios and a limit for regressions",
       .positionals = "A.csv B.csv ...",
       .most_positionals = 1000,
       .details = "Rows with equal keys are put together; ratios are to the first file. --csv gets "
                  "exact ratios, standard output the table for people.",
       .function = &compare_command},
      {.name = "validate",
       .summary = "predictions beside published measurements, with every error",
       .details = "Simulates each measured case on the machine of its row: the kernels are those "
                  "that 'run' times. --machine (a name or a file): only its rows, predicted on "
                  "it; other machine options hold for all machines. --every and --most-gb make a "
                  "quick check. Rows that beat the machine's published peaks are reported and not "
                  "summed up.",
       .function = &validate_command},
      {.name = "report",
       .summary = "one HTML page of pictures and tables, which needs no network",
       .positionals = "A.csv B.csv ...",
       .most_positionals = 100,
       .details = "Tables of run (or a sweep of it) and --kernels-csv: roofline, time by family, "
                  "stalls. Tables of serve, --requests-csv and --steps-csv: latencies, concurrency "
                  "and cache memory over time. Tables of sweeps: what can be traded for what. Any "
                  "table: sortable and filterable. Rows that failed are in the table only.",
       .function = &report_command},
      {.name = "dram",
       .summary = "the memory alone, under a pattern or a trace of addresses",
       .details = "Every channel gets its part of the requests in order, as fast as it accepts. "
                  "--trace: lines 'address R|W [time_ns]', the address in bytes, decimal or 0x "
                  "hexadecimal; '#' starts a comment. A request starts not before its time.",
       .function = &dram_command},
      {.name = "check",
       .summary = "a DRAM command trace against the rules of its standard",
       .details =
           "One command per line: 'tick channel command pc sid bg bank row col', '-' for a field "
           "that a command does not have; commands ACT PRE PREab PREsb RD WR RDA WRA REFab REFpb "
           "REFsb. Before them a header: 'standard NAME', or one number per line by its name (tRP "
           "52, bank_groups 4, times in ticks), or both; a later line replaces an earlier one. "
           "'refresh' is 0 (rate not checked), 1 (REFab), 2 (REFpb) or 3 (REFsb), 'postponed' the "
           "refreshes that may be owed. A last line 'end TICK' says how far the trace goes. '#' "
           "starts a comment. With --machine the numbers are that machine's and not the header's. "
           "'dram --command-trace' writes such files. The table has the first violation of every "
           "rule in every channel; exit code 1 if there is one.",
       .function = &check_command},
      {.name = "docs",
       .summary = "manual page, shell completions, column dictionary",
       .positionals = "man|bash|zsh|columns",
       .most_positionals = 1,
       .function = &docs_command},
  };
  return kRows;
}

const Subcommand* find_subcommand(std::string_view name) {
  for (const Subcommand& one : subcommands()) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

std::vector<std::string> subcommand_names() {
  std::vector<std::string> names;
  for (const Subcommand& one : subcommands()) names.emplace_back(one.name);
  return names;
}

void Context::say(std::string_view text) const {
  if (!options.enabled("general.quiet")) err << text << '\n' << std::flush;
}

results::TableWriter Context::table(std::string_view kind) const {
  return {results::table(kind), options.text("general.csv"), out};
}

}  // namespace ridgepoint::cli
