// SPDX-License-Identifier: Apache-2.0
// A table of texts for people: aligned columns for a terminal, or Markdown.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ridgepoint::results {

using TextRow = std::vector<std::string>;

// Columns two spaces apart; a column whose cells are all numbers or blank is right-aligned. Each
// row must have as many cells as the header.
std::string aligned_table(const TextRow& header, std::span<const TextRow> rows);
std::string markdown_table(const TextRow& header, std::span<const TextRow> rows);

}  // namespace ridgepoint::results
