// SPDX-License-Identifier: Apache-2.0
// One DRAM channel as a passive object: it knows when a command may come and what state it leaves.
// Time is an argument; no policy, no queue, no clock here. Written for plainness: each rule of the
// table remembers for itself when its commands last came, so a rule is checked as it reads.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {

inline constexpr Tick kLongAgo = -(Tick{1} << 60);
inline constexpr std::int64_t kClosed = -1;

class Device {
 public:
  explicit Device(const Spec& spec);

  // The tick before which `command` breaks a rule, and that rule (-1: none has been touched).
  // `bank` is flat; for commands that address more than one, any of them.
  struct Constraint {
    Tick tick = kLongAgo;
    int rule = -1;
  };
  Constraint constraint(Command command, int bank) const;

  // The first tick at or after 0 where the command may start: the constraint on the command's grid.
  Tick earliest(Command command, int bank) const;

  bool ready(Command command, int bank, Tick now) const {
    return spec_->align_up(command, now) == now && constraint(command, bank).tick <= now;
  }

  // Records the command. Throws SimulationError when a rule or the bank's state forbids it.
  void issue(Command command, int bank, std::int64_t row, Tick tick);

  std::int64_t open_row(int bank) const { return open_row_[static_cast<std::size_t>(bank)]; }
  bool all_closed(const BankSet& banks) const;
  const Spec& spec() const { return *spec_; }

 private:
  class History {  // of one rule: the last `window` ticks in every node of its scope
   public:
    History(int nodes, int window)
        : window_(window),
          next_(static_cast<std::size_t>(nodes)),
          ticks_(static_cast<std::size_t>(nodes * window), kLongAgo) {}
    Tick oldest(int node) const {
      return ticks_[index(node, next_[static_cast<std::size_t>(node)])];
    }
    void push(int node, Tick tick) {
      int& next = next_[static_cast<std::size_t>(node)];
      ticks_[index(node, next)] = tick;
      next = (next + 1) % window_;
    }

   private:
    std::size_t index(int node, int slot) const {
      return static_cast<std::size_t>(node * window_ + slot);
    }
    int window_;
    std::vector<int> next_;
    std::vector<Tick> ticks_;
  };

  Constraint constraint_at(Command command, int bank) const;
  void remember(Command command, int bank, Tick tick);
  Tick last_from(std::size_t rule, int bank) const;
  void check_state(Command command, int bank, std::int64_t row) const;

  const Spec* spec_;
  std::vector<History> history_;                                  // parallel to spec.rules
  std::array<std::vector<std::size_t>, kCommandKinds> rules_to_;  // by what they hold back
  std::vector<std::int64_t> open_row_;
};

}  // namespace ridgepoint::dram
