// SPDX-License-Identifier: Apache-2.0
// Errors of predictions, and what they come to together. Pure arithmetic.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ridgepoint::workloads {

// predicted / measured - 1; measured > 0.
double error_ratio(double predicted_us, double measured_us);

// The q-quantile (0 .. 1) of |values|, linear between order statistics (as NumPy's default).
// CheckError when there are none.
double absolute_quantile(std::span<const double> values, double q);

// One row's part in the summary. `half`: 0 or 1, every second shape of a group in file order.
struct ErrorSample {
  std::string machine, family, size_class;
  int half = 0;
  double error = 0;
};

struct ErrorSummary {
  std::string machine, family, size_class;
  std::string half;  // "all", "even", "odd"
  std::int64_t rows = 0;
  double median = 0, p90 = 0;  // of |error|
  double bias = 0;             // median of the signed error
  double least = 0, most = 0;  // signed
};

// Groups in order of machine, family, size class; each whole, then its two halves (a half without
// rows is left out).
std::vector<ErrorSummary> summarize(std::span<const ErrorSample> samples);

}  // namespace ridgepoint::workloads
