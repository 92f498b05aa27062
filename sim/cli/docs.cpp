// SPDX-License-Identifier: Apache-2.0
// `docs`: documents made from the tables the program itself uses: the manual page, shell
// completions, and the column dictionary.
#include "sim/cli/docs.hpp"

#include <algorithm>

#include "results/columns.hpp"
#include "results/csv_writer.hpp"
#include "results/text_table.hpp"
#include "sim/cli/commands.hpp"
#include "sim/config/suggest.hpp"

namespace ridgepoint::cli {
namespace {

struct Document {
  std::string_view name;
  std::string (*make)();
};

// A new document is a function and a row.
constexpr Document kDocuments[] = {
    {"man", &manual_page},
    {"bash", &bash_completion},
    {"zsh", &zsh_completion},
    {"columns", &column_dictionary},
};

// A committed file of results/baseline. A new one is a row.
struct CommittedTable {
  std::string_view file;
  std::string_view what;
  std::string_view command;
};

constexpr CommittedTable kCommitted[] = {
    {"regimes.csv", "FLOP/byte against tokens, batch and tile; the README's table",
     "results/suites.sh regimes"},
    {"roofline.svg", "its picture in the README", "results/suites.sh regimes"},
    {"bandwidth_vs_compute.csv", "the ridge moves with bandwidth and with cores",
     "results/suites.sh bandwidth_vs_compute"},
    {"hbm_generations.csv", "one accelerator beside HBM2, 2E, 3, 3E and 4",
     "results/suites.sh hbm_generations"},
    {"kv_policies.csv", "cache memory policies on three generated traces; the README's table",
     "results/suites.sh kv_policies"},
    {"azure_policies.csv",
     "the same policies on two public traces: share of memory in use, requests that run",
     "results/policies.sh RIDGEPOINT TRACES"},
    {"cache_formats.csv", "32 against 8 KV heads, and three cache formats, against context",
     "results/suites.sh cache_formats"},
    {"context_vs_concurrency.csv", "requests that fit beside the weights, for every model",
     "results/suites.sh context_vs_concurrency"},
    {"machines.csv", "every machine preset on one model", "results/suites.sh machines"},
    {"models.csv", "every model on one machine, at full width and depth",
     "results/suites.sh models"},
    {"bench_ratios.csv", "host speed: what the benchmarks measure as ratios within one run",
     "results/bench.sh"},
    {"validation_summary.csv",
     "errors of predicted kernel times and cache blocks against published measurements; H100 also "
     "with the constants of A100 (there a third of the cases, up to 0.6 GB each)",
     "results/validation.sh build/release/ridgepoint MEASURED FOLDER 1 1000 3 0.6"},
    {"validation.png", "its cases, predicted over measured times",
     "results/validation.sh build/release/ridgepoint MEASURED FOLDER 1 1000 3 0.6"},
    {"small.csv", "a model small enough to be remade in a second", "results/suites.sh small"},
};

std::string committed_tables() {
  std::vector<results::TextRow> rows;
  for (const CommittedTable& one : kCommitted) {
    const std::string file(one.file);
    rows.push_back({'[' + file + "](baseline/" + file + ')', std::string(one.what),
                    '`' + std::string(one.command) + '`'});
  }
  return "\n## Committed tables\n\n"
         "`results/suites.sh` remakes all suites, `workloads/suites/*.ini`; a test remakes the "
         "quick\n"
         "ones byte for byte, and one point of each of the others.\n\n" +
         results::markdown_table({"table", "what", "remade by"}, rows);
}

}  // namespace

std::string column_dictionary() {
  std::string text =
      "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
      "<!-- Written by `ridgepoint docs columns`; edit the column table instead. -->\n"
      "# Columns of the result tables\n\n"
      "Tables are CSV as in RFC 4180: LF line ends, one header line, numbers in the shortest form\n"
      "that reads back the same. A blank cell was not measured; it is never zero. The unit is the "
      "end\n"
      "of the name. Key columns together name a row; `compare` puts rows with equal keys side by\n"
      "side. A sweep adds `point`, the row's number, and one column for each varied option that "
      "has\n"
      "none in its table (`ridgepoint list options` names them).\n";
  const auto section = [&](const std::string& title, std::span<const results::Column> columns) {
    std::vector<results::TextRow> rows;
    for (const results::Column& column : columns) {
      rows.push_back({'`' + std::string(column.name) + '`',
                      std::string(results::unit_of(column.name)), column.key ? "key" : "",
                      std::string(column.meaning)});
    }
    text += "\n## " + title + "\n\n";
    text += results::markdown_table({"column", "unit", "", "meaning"}, rows);
  };
  section("Leading every row", results::provenance_columns());
  for (const results::Table& table : results::tables()) {
    section('`' + results::schema_of(table) + "`: " + std::string(table.title), table.columns);
  }
  section("Closing every row", results::closing_columns());
  text +=
      "\n## Pictures\n\n"
      "Gnuplot draws them from these tables; `out` ends in `.svg` or `.png`:\n\n"
      "```\n"
      "gnuplot -e \"csv='run.csv'; out='roofline.svg'\" results/plots/roofline.gp\n"
      "gnuplot -e \"csv='run.csv'; out='stalls.svg'; what='hbm'\" results/plots/stalls.gp\n"
      "gnuplot -e \"csv='plan.csv'; out='capacity.svg'\" results/plots/capacity.gp\n"
      "gnuplot -e \"csv='validation.csv'; out='validation.svg'\" results/plots/validation.gp\n"
      "```\n";
  text += committed_tables();
  return text;
}

int docs_command(const Context& context) {
  std::vector<std::string> names;
  std::string all;
  const std::string asked = context.arguments.empty() ? "" : context.arguments.front();
  for (const Document& document : kDocuments) {
    names.emplace_back(document.name);
    all += (all.empty() ? "" : ", ") + names.back();
    if (document.name != asked) continue;
    context.out << document.make();
    return 0;
  }
  core::fail_input({}, "docs", asked,
                   asked.empty() ? "of what?" : config::with_suggestion("is unknown", asked, names),
                   all);
}

}  // namespace ridgepoint::cli
