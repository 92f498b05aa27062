// SPDX-License-Identifier: Apache-2.0
// What a DRAM standard is: an organisation, named timings, and timing rules as rows of a table.
// A standard is one source file under standards/ that fills this struct and registers it; nothing
// else in the simulator knows its name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/dram/command.hpp"

namespace ridgepoint::dram {

// Where a rule holds, from the narrowest to the widest.
enum class Scope : std::uint8_t { kBank, kBankGroup, kStackId, kPseudoChannel, kChannel };
inline constexpr std::size_t kScopes = 5;
std::string_view name_of(Scope scope);

enum class Siblings : bool { kNo, kYes };

// "In one node of `scope`, a command of `to` comes at least `latency` after the `window`-th last
// command of `from`." A command that addresses the same bank of every bank group counts once for
// each of them, and waits for each. With Siblings::kYes the earlier command was in *another* node
// with the same parent (for example another stack id of the same pseudo-channel).
// `latency` is a sum of named timings and whole CKs: "tCWL + tBURST + tWTR_L", "tRTP - 1".
struct TimingRule {
  Scope scope;
  CommandSet from;
  CommandSet to;
  std::string_view latency;
  int window = 1;
  Siblings siblings = Siblings::kNo;
};

// A named timing: the larger of an analogue time (rounded up to ticks) and a number of clocks.
struct NamedTiming {
  std::string_view name;
  double ns;
  int ck;
  std::string_view source;
};

// A named energy or power; energy.hpp says which there are, and their units.
struct NamedEnergy {
  std::string_view name;
  double value;
  std::string_view source;
};

// tRFC grows with the density of one channel; the last row has no limit (gbit = 0).
struct RefreshTime {
  int max_channel_gbit;
  double tRFC_ns;
};

enum class Bus : std::uint8_t { kRow, kColumn };

// How a command uses its command bus. `align` is the grid, in ticks and a power of two,
// on which it may start.
struct CommandShape {
  CommandSet commands;
  Bus bus;
  int ticks;
  int align;
};

struct Standard {
  std::string_view name;
  std::string_view source;

  // Organisation of one stack (or one device or module of the planar kinds).
  int channels_per_stack;
  int pseudo_channels;
  int data_bits;  // per pseudo-channel
  int burst_length;
  int bank_groups;
  int banks_per_group;
  int stack_ids;                // default; also ranks
  int row_bytes;                // per pseudo-channel
  std::int64_t capacity_bytes;  // default, per stack

  // Clocking: one CK is `ticks_per_ck` ticks and carries `bits_per_ck` bits per data pin.
  int ticks_per_ck;
  int bits_per_ck;
  double pin_rate_gbps;  // default
  double min_pin_rate_gbps;
  double max_pin_rate_gbps;

  bool shared_command_bus;         // true: row and column commands share one bus
  bool per_bank_refresh;           // the standard has REFpb, with tRFCpb and tRREFD
  bool same_bank_refresh = false;  // it has REFsb and PREsb, with tRFCsb, tREFSBRD and tREFI2
  std::vector<CommandShape> shapes;
  std::vector<NamedTiming> timings;
  std::vector<NamedEnergy> energies;
  std::vector<RefreshTime> refresh_times;  // ascending density; gives tRFC
  std::vector<TimingRule> rules;
  std::string_view default_map;  // see address_map.hpp

  int burst_bytes() const { return data_bits * burst_length / 8; }
};

// All standards in order of name; find throws InputError naming what exists.
const std::vector<const Standard*>& all_standards();
const Standard& find_standard(std::string_view name, std::string_view key = "standard");

}  // namespace ridgepoint::dram
