// SPDX-License-Identifier: Apache-2.0
// Simulated kernel times kept in a file between runs. A time is found again only under the same
// context (program, machine, model, formats, placement): everything it depends on is part of the
// name it is stored under. Lines that are cut off or damaged are left out and counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/core/time.hpp"

namespace ridgepoint::workloads {

class StepCache {
 public:
  // Reads the file if there is one. Throws InputError if it is something else than such a file, or
  // cannot be read or written; it is never overwritten, only appended to.
  StepCache(std::string path, const std::string& context);

  std::optional<core::Cycle> find(const std::string& kernel) const;
  // Remembers and appends one line, in one write. Throws InputError if that fails.
  void add(const std::string& kernel, core::Cycle cycles);

  std::size_t size() const { return times_.size(); }  // of any context
  std::uint64_t damaged() const { return damaged_; }  // lines left out
  std::uint64_t found() const { return found_; }      // answers so far

 private:
  std::string name_of(const std::string& kernel) const;
  bool read_line(const std::string& line);

  std::string path_;
  std::string context_;
  std::map<std::string, core::Cycle> times_;  // by name
  bool ends_in_line_ = true;                  // what is added starts on a line of its own
  bool exists_ = false;
  std::uint64_t damaged_ = 0;
  mutable std::uint64_t found_ = 0;
};

}  // namespace ridgepoint::workloads
