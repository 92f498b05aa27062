// SPDX-License-Identifier: Apache-2.0
// Writes a value change dump (IEEE 1364-2005, clause 18) for waveform viewers. Changes may be given
// in any order: cores and channels are simulated ahead of each other, so the dump is sorted at its
// end and held in memory until then. It knows signals, and nothing of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/probe/chrome_trace.hpp"

namespace ridgepoint::probe {

class VcdWriter {
 public:
  // write() throws InputError if more than `most_changes` would have had to be held.
  explicit VcdWriter(std::size_t most_changes) : most_changes_(most_changes) {}

  // A signal of 1 .. 32 bits in a scope ("core_0"); its value is 0 until its first change.
  // Signals of one scope are declared one after the other.
  std::size_t declare(std::string scope, std::string name, int bits);
  // A later change of one signal at the same time replaces an earlier one.
  void change(std::size_t signal, core::Femtoseconds at, std::uint32_t value);
  // Header, values at `from`, changes in order of time, end mark at `to`. Time unit: 1 fs.
  void write(const TextSink& sink, core::Femtoseconds from, core::Femtoseconds to);

 private:
  struct Signal {
    std::string scope;
    std::string name;
    int bits;
  };
  struct Change {
    core::Femtoseconds at;
    std::uint32_t signal;
    std::uint32_t value;
  };
  std::string header() const;
  void append_value(std::string& out, std::size_t signal, std::uint32_t value) const;

  std::size_t most_changes_;
  bool too_many_ = false;
  std::vector<Signal> signals_;
  std::vector<Change> changes_;
};

}  // namespace ridgepoint::probe
