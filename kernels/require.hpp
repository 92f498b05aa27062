// SPDX-License-Identifier: Apache-2.0
// Preconditions of the plain references: a wrong size is a programming error, reported by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/core/error.hpp"

namespace ridgepoint::kernels {

inline void require_size(std::size_t is, std::int64_t should, const char* what) {
  if (static_cast<std::int64_t>(is) == should) return;
  throw core::CheckError(std::string(what) + " has " + std::to_string(is) +
                         " elements; it must have " + std::to_string(should));
}

inline void require(bool ok, const char* what) {
  if (!ok) throw core::CheckError(what);
}

}  // namespace ridgepoint::kernels
