// SPDX-License-Identifier: Apache-2.0
// The rows of validate and their summary, as tables and as text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "results/row.hpp"
#include "sim/cli/subcommands.hpp"
#include "workloads/validation/errors.hpp"
#include "workloads/validation/measured.hpp"

namespace ridgepoint::cli {

struct Prediction {
  const workloads::MeasuredRow* row = nullptr;
  int half = 0;
  std::string size_class;
  double predicted_us = 0;
  double roofline_us = 0;  // at published peaks, every operand moved once
  double least_us = 0;     // the same, without bytes that may stay on the chip
  double flops = 0;
  std::int64_t hbm_bytes = 0;
  std::int64_t launches = 0;

  double error() const { return workloads::error_ratio(predicted_us, row->measured_us); }
  double over_peak() const { return least_us / row->measured_us; }
};

// Every column but `machine`, which is an option's.
void fill_prediction(results::Row& row, const Prediction& prediction);

// Collects predictions; finish() prints the table for people and writes --summary_csv.
class ValidationSummary {
 public:
  // Checks at once that --summary_csv can be written.
  explicit ValidationSummary(const Context& context);
  void add(const std::string& machine, const Prediction& prediction);
  void add(workloads::ErrorSample sample) { samples_.push_back(std::move(sample)); }
  bool empty() const { return samples_.empty(); }
  void finish();

 private:
  const Context& context_;
  results::TableWriter table_;
  std::vector<workloads::ErrorSample> samples_;
};

}  // namespace ridgepoint::cli
