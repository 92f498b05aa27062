// SPDX-License-Identifier: Apache-2.0
// DRAM commands and the sets of them that timing rules are written in. No timing here.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace ridgepoint::dram {

enum class Command : std::uint8_t {
  kAct,    // open a row
  kPre,    // close one bank
  kPreAb,  // close every bank of a stack id
  kRd,     // read one burst
  kWr,     // write one burst
  kRda,    // read, then close the bank
  kWra,    // write, then close the bank
  kRefAb,  // refresh every bank of a stack id
  kRefPb,  // refresh one bank
  kPreSb,  // close the same bank of every bank group of a stack id
  kRefSb,  // refresh the same bank of every bank group of a stack id
};
inline constexpr std::size_t kCommandKinds = 11;
inline constexpr std::array<std::string_view, kCommandKinds> kCommandNames{
    "ACT", "PRE", "PREab", "RD", "WR", "RDA", "WRA", "REFab", "REFpb", "PREsb", "REFsb"};

constexpr std::string_view name_of(Command command) {
  return kCommandNames[static_cast<std::size_t>(command)];
}
constexpr bool is_column(Command command) {
  return command >= Command::kRd && command <= Command::kWra;
}
constexpr bool is_write(Command command) {
  return command == Command::kWr || command == Command::kWra;
}
constexpr bool auto_precharges(Command command) {
  return command == Command::kRda || command == Command::kWra;
}

// What a command addresses, if not one bank: every bank of a stack id, or one of each bank group.
constexpr bool addresses_stack_id(Command command) {
  return command == Command::kPreAb || command == Command::kRefAb;
}
constexpr bool addresses_same_bank(Command command) {
  return command == Command::kPreSb || command == Command::kRefSb;
}
constexpr bool precharges(Command command) {
  return command == Command::kPre || command == Command::kPreAb || command == Command::kPreSb;
}
constexpr bool refreshes(Command command) {
  return command == Command::kRefAb || command == Command::kRefPb || command == Command::kRefSb;
}

class CommandSet {
 public:
  constexpr CommandSet(std::initializer_list<Command> commands) {
    for (const Command command : commands) bits_ |= 1U << static_cast<unsigned>(command);
  }
  constexpr bool contains(Command command) const {
    return (bits_ >> static_cast<unsigned>(command) & 1U) != 0;
  }

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace ridgepoint::dram
