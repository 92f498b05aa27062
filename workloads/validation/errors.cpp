// SPDX-License-Identifier: Apache-2.0
#include "workloads/validation/errors.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

// Of `values`, which are sorted here.
double quantile(std::vector<double> values, double q) {
  if (values.empty()) throw core::CheckError("a quantile of no values");
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (at - static_cast<double>(low));
}

ErrorSummary summary_of(const std::vector<const ErrorSample*>& group, int half) {
  ErrorSummary summary;
  std::vector<double> errors;
  for (const ErrorSample* sample : group) {
    if (half < 0 || sample->half == half) errors.push_back(sample->error);
  }
  summary.rows = static_cast<std::int64_t>(errors.size());
  if (errors.empty()) return summary;
  summary.machine = group.front()->machine;
  summary.family = group.front()->family;
  summary.size_class = group.front()->size_class;
  summary.half = half < 0 ? "all" : half == 0 ? "even" : "odd";
  summary.median = absolute_quantile(errors, 0.5);
  summary.p90 = absolute_quantile(errors, 0.9);
  summary.bias = quantile(errors, 0.5);
  const auto [least, most] = std::minmax_element(errors.begin(), errors.end());
  summary.least = *least;
  summary.most = *most;
  return summary;
}

}  // namespace

double error_ratio(double predicted_us, double measured_us) {
  return predicted_us / measured_us - 1;
}

double absolute_quantile(std::span<const double> values, double q) {
  std::vector<double> sizes(values.begin(), values.end());
  for (double& value : sizes) value = std::abs(value);
  return quantile(std::move(sizes), q);
}

std::vector<ErrorSummary> summarize(std::span<const ErrorSample> samples) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const ErrorSample*>>
      groups;
  for (const ErrorSample& sample : samples) {
    groups[{sample.machine, sample.family, sample.size_class}].push_back(&sample);
  }
  std::vector<ErrorSummary> summaries;
  for (const auto& [key, group] : groups) {
    for (const int half : {-1, 0, 1}) {
      ErrorSummary summary = summary_of(group, half);
      if (summary.rows > 0) summaries.push_back(std::move(summary));
    }
  }
  return summaries;
}

}  // namespace ridgepoint::workloads
