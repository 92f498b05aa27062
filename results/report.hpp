// SPDX-License-Identifier: Apache-2.0
// Result tables as one HTML page that needs nothing else: no network, no fonts, no other file. The
// page's own script draws what the kinds of its tables allow. Nothing is simulated here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ridgepoint::results {

// Longer tables of steps are thinned to every n-th row; the page says so.
inline constexpr std::size_t kMostSteps = 4000;
// A page with more rows of one table would be too slow to use.
inline constexpr std::size_t kMostReportRows = 200'000;

// The page's text. Same tables, same bytes. Throws InputError: no file, a file that is no table,
// one without rows, one with more than kMostReportRows.
std::string report_page(const std::vector<std::string>& paths);

// The parts of the page, from results/report.
extern const std::string_view kReportPage;
extern const std::string_view kReportStyle;
extern const std::string_view kReportScripts[];
extern const std::size_t kReportScriptCount;

}  // namespace ridgepoint::results
