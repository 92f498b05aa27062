// SPDX-License-Identifier: Apache-2.0
// What fast channels remember: states of the controller by name, and for each the transitions that
// were seen, one chunk of read bursts long. Shared by the channels of a machine. Everything in a
// transition is relative: ticks to its start, banks by XOR with the state's origin, rows by the
// chunk that brought them.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/dram/spec.hpp"
#include "sim/dram/stats.hpp"

namespace ridgepoint::dram {

using StateName = std::vector<std::uint64_t>;

// How the next chunk relates to the state: its pattern of banks, its first bank, and for each of
// its banks how its row compares with the bank's open row and its recent rows.
struct ChunkKey {
  std::uint32_t shape = 0;
  std::uint32_t first_bank = 0;
  std::uint64_t rows = 0;
  friend bool operator==(const ChunkKey&, const ChunkKey&) = default;
};

struct Transition {
  ChunkKey key;
  std::int32_t next = -1;  // state
  Tick ticks = 0;          // until the chunk has entered

  struct Served {  // bursts of one chunk in flight that had their column command
    std::uint16_t age;
    std::uint16_t bursts;
    Tick data_end;  // of the last of them
  };
  struct Row {  // what a bank's row became: that of a chunk, or closed
    std::uint16_t bank;
    std::int16_t age;  // -1: closed
  };
  struct BankCount {
    std::uint16_t bank;
    std::uint16_t activations;
    std::uint32_t bursts;
  };
  struct Issued {  // for the command trace
    std::int32_t ticks;
    Command command;
    std::uint8_t bank;
    std::uint8_t age;
    std::uint8_t offset;
  };
  std::vector<Served> served;
  std::vector<Row> rows;
  std::vector<std::uint16_t> left;  // chunks still in flight at the end
  std::vector<BankCount> banks;
  std::vector<Issued> issued;

  // Statistics, those that are sums of per-command numbers.
  std::array<std::int32_t, kCommandKinds> commands{};
  std::array<std::int32_t, kLostReasons> lost{};
  std::int32_t hits = 0, misses = 0, conflicts = 0;
  std::int64_t busy = 0;
  std::int64_t queue_wait = 0;  // relative; see queued
  std::int64_t queued = 0;      // entered - left
};

class TransitionCache {
 public:
  explicit TransitionCache(std::shared_ptr<const Spec> spec);

  // The state's number, new when unknown; -1 when memory for new ones is used up.
  std::int32_t state(const StateName& name);
  const StateName& name_of(std::int32_t state) const { return *states_[index(state)].name; }
  // nullptr when not seen yet.
  const Transition* find(std::int32_t state, const ChunkKey& key);
  void add(std::int32_t state, Transition transition);

  // The pattern of banks of `bursts` bursts from `burst` on: XOR differences to the first.
  struct Shape {
    std::vector<std::uint16_t> banks;  // distinct, first is 0
  };
  std::uint32_t shape(std::int64_t burst, std::int64_t bursts);
  const Shape& shape_at(std::uint32_t number) const { return shapes_[number]; }

  struct Counts {
    std::int64_t states = 0, transitions = 0, followed = 0, bytes = 0;
  };
  const Counts& counts() const { return counts_; }
  static constexpr std::size_t kMaxBanks = 16;  // a chunk over more banks has no shape
  static constexpr std::uint32_t kNoShape = 0;

 private:
  struct NameHash {
    std::size_t operator()(const StateName& name) const;
  };
  struct State {
    const StateName* name;
    std::vector<std::unique_ptr<Transition>> transitions;  // most recently used first
  };
  static std::size_t index(std::int32_t state) { return static_cast<std::size_t>(state); }
  std::uint32_t make_shape(std::int64_t burst, std::int64_t bursts);

  static constexpr std::int64_t kMaxBytes = std::int64_t{256} << 20;

  std::shared_ptr<const Spec> spec_;
  std::unordered_map<StateName, std::int32_t, NameHash> numbers_;
  std::vector<State> states_;
  std::vector<Shape> shapes_;
  std::unordered_map<std::uint64_t, std::uint32_t> shape_of_pattern_;
  std::vector<std::uint32_t> shape_of_place_;  // by position below the row and length; 0: unknown
  Counts counts_;
};

// One cache per Spec object, alive as long as a channel uses it.
std::shared_ptr<TransitionCache> transitions_of(const std::shared_ptr<const Spec>& spec);

}  // namespace ridgepoint::dram
