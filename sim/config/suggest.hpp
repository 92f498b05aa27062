// SPDX-License-Identifier: Apache-2.0
// "did you mean": the nearest known name to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ridgepoint::config {

// The candidate with the fewest insertions, deletions, replacements and neighbour swaps (restricted
// Damerau-Levenshtein distance), the first one on a tie; empty if none is closer than about a third
// of the name.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

// "is unknown" becomes "is unknown (did you mean 'X'?)" if some candidate is near.
std::string with_suggestion(const std::string& what, std::string_view name,
                            std::span<const std::string> candidates);

}  // namespace ridgepoint::config
