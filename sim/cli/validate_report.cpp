// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/validate_report.hpp"

#include <iomanip>
#include <sstream>

#include "results/text_table.hpp"

namespace ridgepoint::cli {
namespace {

std::string percent(double ratio) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << 100 * ratio;
  return text.str();
}

const results::Table& summary_table() { return results::table("validate-summary"); }

results::Row summary_row(const config::Options& options, const workloads::ErrorSummary& one) {
  results::Row row(summary_table(), options);
  row.set("machine", one.machine)
      .set("family", one.family)
      .set("size_class", one.size_class)
      .set("half", one.half)
      .set("rows_count", one.rows)
      .set("error_median_ratio", one.median)
      .set("error_p90_ratio", one.p90)
      .set("bias_ratio", one.bias)
      .set("error_min_ratio", one.least)
      .set("error_max_ratio", one.most);
  return row;
}

}  // namespace

void fill_prediction(results::Row& row, const Prediction& prediction) {
  row.set("family", workloads::name_of(prediction.row->family))
      .set("case", prediction.row->case_name())
      .set("size_class", prediction.size_class)
      .set("half", prediction.half == 0 ? "even" : "odd")
      .set("predicted_us", prediction.predicted_us)
      .set("measured_us", prediction.row->measured_us)
      .set("error_ratio", prediction.error())
      .set("over_peak_ratio", prediction.over_peak())
      .set("launches_count", prediction.launches)
      .set("flops", prediction.flops)
      .set("hbm_bytes", prediction.hbm_bytes)
      .set("roofline_us", prediction.roofline_us);
}

ValidationSummary::ValidationSummary(const Context& context)
    : context_(context),
      table_(summary_table(), context.options.text("validate.summary_csv"), context.out) {}

void ValidationSummary::add(const std::string& machine, const Prediction& prediction) {
  const bool impossible = prediction.over_peak() > 1;
  samples_.push_back({machine, std::string(workloads::name_of(prediction.row->family)),
                      impossible ? "over-peak" : prediction.size_class, prediction.half,
                      prediction.error()});
}

void ValidationSummary::finish() {
  std::vector<results::TextRow> rows;
  for (const workloads::ErrorSummary& one : workloads::summarize(samples_)) {
    rows.push_back({one.machine, one.family, one.size_class, one.half, std::to_string(one.rows),
                    percent(one.median), percent(one.p90), percent(one.bias), percent(one.least),
                    percent(one.most)});
    table_.add(summary_row(context_.options, one));
  }
  context_.say(results::aligned_table({"machine", "family", "size", "half", "rows", "median %",
                                       "p90 %", "bias %", "least %", "most %"},
                                      rows));
  if (context_.options.has("validate.summary_csv")) table_.finish();
}

}  // namespace ridgepoint::cli
