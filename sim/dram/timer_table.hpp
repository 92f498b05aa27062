// SPDX-License-Identifier: Apache-2.0
// What the rules of a Spec say, ready for registers (see Timers): where they are, and which ones a
// command raises by how much. It never changes, and channels share it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {

struct TimerTable {
  struct Raise {  // of a register by a command, for one of its banks
    std::uint32_t at;
    std::int32_t ticks;
  };
  struct Raises {
    std::vector<Raise> of_banks;  // one bank's after the other's
    int each = 0;
    int narrow = 0;  // the first of each: registers of banks, bank groups and stack ids
  };
  struct SiblingRule {
    Scope scope;
    Command to;
    Tick ticks;
  };
  // No more than so many commands in so many ticks: the oldest of the latest raises registers.
  struct Window {
    CommandSet from;
    std::vector<std::uint32_t> to;  // registers, of node 0
    int shift;
    std::size_t commands;
    Tick ticks;
    std::vector<Tick> latest;       // node x commands, a ring
    std::vector<std::size_t> next;  // in it, by node
  };
  using Latencies = std::array<std::array<Tick, kCommandKinds>, kScopes>;  // by scope and `to`

  // The Spec must outlive the table.
  explicit TimerTable(const Spec& from);

  // See Timers::answers_for().
  static bool answers_for(const Spec& spec, Command command);
  // What narrow scopes say of these stands in the registers of their banks.
  static bool is_folded(Command command) {
    return command == Command::kAct || command == Command::kPre;
  }

  const Spec& spec;
  std::array<std::array<std::uint32_t, kCommandKinds>, kScopes> first{};  // register, by node
  std::array<int, kScopes> shift{};
  std::size_t registers = 0;
  std::array<Latencies, kCommandKinds> latencies;  // by `from`
  std::array<Raises, kCommandKinds> raises;
  std::array<std::vector<SiblingRule>, kCommandKinds> sibling_rules;
  std::array<bool, kCommandKinds> in_window{};
  std::vector<Window> windows;

 private:
  Latencies latencies_from(std::size_t from);
  bool is_special(std::size_t level, std::size_t to) const;
  void share_registers();
  Tick reach(Command from, Command to) const;
  bool is_implied(std::size_t from, std::size_t level, std::size_t to) const;
  void add_raises(std::size_t from);
  std::array<std::vector<Raise>, 2> raises_of(std::size_t from, int bank) const;
  void add_windows();
};

}  // namespace ridgepoint::dram
