// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/timers.hpp"

#include <algorithm>
#include <bit>

#include "sim/core/error.hpp"

namespace ridgepoint::dram {
namespace {

constexpr Tick kNoRule = -1;

}  // namespace

bool Timers::answers_for(const Spec& spec, Command command) {
  switch (command) {
    case Command::kPreAb:
    case Command::kRefAb:
      return spec.config.refresh == RefreshMode::kAllBank;
    case Command::kRefPb:
      return spec.config.refresh == RefreshMode::kPerBank;
    case Command::kPreSb:
    case Command::kRefSb:
      return spec.config.refresh == RefreshMode::kSameBank;
    default:
      return !auto_precharges(command);  // asked for as RD and WR
  }
}

Timers::Timers(const Spec& spec) : Timers(std::make_shared<const Table>(spec)) {}

Timers::Timers(std::shared_ptr<const Table> table)
    : table_(std::move(table)), ready_(table_->registers), windows_(table_->windows) {}

Timers Timers::cleared() const { return Timers(table_); }

Timers::Table::Table(const Spec& from) : spec(from) {
  for (std::size_t level = 0; level < kScopes; ++level) {
    const auto scope = static_cast<Scope>(level);
    shift[level] = std::countr_zero(static_cast<unsigned>(spec.geometry.banks_per_node(scope)));
    for (std::uint32_t& at : first[level]) {
      at = static_cast<std::uint32_t>(registers);
      registers += static_cast<std::size_t>(spec.geometry.nodes(scope));
    }
  }
  for (const Rule& rule : spec.rules) {
    if (rule.to.contains(Command::kRd) != rule.to.contains(Command::kRda) ||
        rule.to.contains(Command::kWr) != rule.to.contains(Command::kWra)) {
      throw core::SimulationError("a rule tells RD from RDA or WR from WRA: " + rule.text);
    }
  }
  std::array<Latencies, kCommandKinds> latencies;
  for (std::size_t kind = 0; kind < kCommandKinds; ++kind) latencies[kind] = latencies_from(kind);
  share_registers(latencies);
  for (std::size_t kind = 0; kind < kCommandKinds; ++kind) add_raises(kind, latencies[kind]);
  add_windows();
  for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
    const auto command = static_cast<Command>(kind);
    if (is_column(command)) continue;  // hot: who issues these sees to their siblings
    has_rest[kind] = addresses_same_bank(command) || !sibling_raises[kind].empty();
    for (const Window& window : windows) {
      has_rest[kind] = has_rest[kind] || window.rule->from.contains(command);
    }
  }
}

// By how much a command holds back the others in its own nodes; kNoRule also where a wider scope
// says at least as much.
Timers::Table::Latencies Timers::Table::latencies_from(std::size_t from) {
  Latencies latency;
  for (auto& row : latency) row.fill(kNoRule);
  for (const Rule& rule : spec.rules) {
    if (!rule.from.contains(static_cast<Command>(from)) || rule.window > 1) continue;
    for (std::size_t to = 0; to < kCommandKinds; ++to) {
      if (!rule.to.contains(static_cast<Command>(to))) continue;
      if (!answers_for(spec, static_cast<Command>(to))) continue;
      if (rule.siblings) {
        sibling_raises[from].push_back({rule.scope, static_cast<Command>(to), rule.ticks});
        continue;
      }
      Tick& known = latency[static_cast<std::size_t>(rule.scope)][to];
      known = std::max(known, rule.ticks);
    }
  }
  for (std::size_t to = 0; to < kCommandKinds; ++to) {
    Tick wider = kNoRule;
    for (std::size_t level = kScopes; level-- > 0;) {
      if (latency[level][to] <= wider) {
        latency[level][to] = kNoRule;
      } else {
        wider = latency[level][to];
      }
    }
  }
  return latency;
}

// Commands that all others hold back alike have one register, as those on a command bus.
void Timers::Table::share_registers(const std::array<Latencies, kCommandKinds>& latencies) {
  for (std::size_t level = 0; level < kScopes; ++level) {
    const auto has_sibling_rule = [&](std::size_t to) {
      return std::any_of(sibling_raises.begin(), sibling_raises.end(), [&](const auto& siblings) {
        return std::any_of(siblings.begin(), siblings.end(), [&](const SiblingRaise& raise) {
          return raise.scope == static_cast<Scope>(level) && raise.to == static_cast<Command>(to);
        });
      });
    };
    for (std::size_t to = 0; to < kCommandKinds; ++to) {
      for (std::size_t other = 0; other < to; ++other) {
        const bool alike = std::all_of(
            latencies.begin(), latencies.end(),
            [&](const Latencies& from) { return from[level][to] == from[level][other]; });
        if (!alike || has_sibling_rule(to) || has_sibling_rule(other)) continue;
        first[level][to] = first[level][other];
        break;
      }
    }
  }
}

void Timers::Table::add_raises(std::size_t from, const Latencies& latencies) {
  for (int bank = 0; bank < spec.geometry.total_banks(); ++bank) {
    std::vector<Raise>& of_banks = raises[from].of_banks;
    const std::size_t before = of_banks.size();
    for (std::size_t to = 0; to < kCommandKinds; ++to) {
      for (std::size_t level = kScopes; level-- > 0;) {
        if (latencies[level][to] == kNoRule) continue;
        const std::uint32_t at =
            first[level][to] + static_cast<std::uint32_t>(bank >> shift[level]);
        const bool known =
            std::any_of(of_banks.begin() + static_cast<std::ptrdiff_t>(before), of_banks.end(),
                        [&](const Raise& raise) { return raise.at == at; });
        if (!known) of_banks.push_back({at, static_cast<std::int32_t>(latencies[level][to])});
      }
    }
    raises[from].each = static_cast<int>(of_banks.size() - before);
  }
}

void Timers::Table::add_windows() {
  for (const Rule& rule : spec.rules) {
    if (rule.window == 1) continue;
    if (rule.scope < Scope::kPseudoChannel) {
      throw core::SimulationError("windows are of a pseudo-channel or channel: " + rule.text);
    }
    const auto nodes = static_cast<std::size_t>(spec.geometry.nodes(rule.scope));
    windows.push_back(
        {&rule, shift[static_cast<std::size_t>(rule.scope)],
         std::vector<Tick>(nodes * static_cast<std::size_t>(rule.window), -(Tick{1} << 60)),
         std::vector<int>(nodes)});
    for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
      const auto command = static_cast<Command>(kind);
      windows_to[kind] = windows_to[kind] || rule.to.contains(command);
      if (is_column(command) && (rule.to.contains(command) || rule.from.contains(command))) {
        throw core::SimulationError("windows over column commands are not supported: " + rule.text);
      }
    }
  }
}

void Timers::issue_siblings(Command command, int bank, Tick tick) {
  const Geometry& geometry = table_->spec.geometry;
  for (const SiblingRaise& raise : table_->sibling_raises[static_cast<std::size_t>(command)]) {
    const auto level = static_cast<std::size_t>(raise.scope);
    const int node = bank >> table_->shift[level];
    const int fanout =
        geometry.banks_per_node(static_cast<Scope>(level + 1)) >> table_->shift[level];
    const int first = node / fanout * fanout;
    for (int sibling = first; sibling < first + fanout; ++sibling) {
      if (sibling == node) continue;
      Tick& ready = ready_[table_->first[level][static_cast<std::size_t>(raise.to)] +
                           static_cast<std::size_t>(sibling)];
      ready = std::max(ready, tick + raise.ticks);
    }
  }
}

Tick Timers::earliest_of_same_bank(Command command, int bank) const {
  const BankSet banks = table_->spec.geometry.addressed(command, bank);
  Tick tick = wide(command, bank);
  for (int n = 0; n < banks.count; ++n) {
    tick = std::max(tick, narrow(command)(banks.first + n * banks.stride));
  }
  return tick;
}

void Timers::issue_rest(Command command, int bank, Tick tick) {
  if (addresses_same_bank(command)) {  // issue() has done `bank`
    const BankSet banks = table_->spec.geometry.addressed(command, bank);
    for (int n = 0; n < banks.count; ++n) {
      raise(command, banks.first + n * banks.stride, tick);
    }
  }
  for (Window& window : windows_) {
    if (!window.rule->from.contains(command)) continue;
    const auto node = static_cast<std::size_t>(bank >> window.shift);
    int& next = window.next[node];
    window.last[node * static_cast<std::size_t>(window.rule->window) +
                static_cast<std::size_t>(next)] = tick;
    next = (next + 1) % window.rule->window;
  }
  issue_siblings(command, bank, tick);
}

Tick Timers::window(Command command, int bank) const {
  Tick tick = 0;
  for (const Window& window : windows_) {
    if (!window.rule->to.contains(command)) continue;
    const auto node = static_cast<std::size_t>(bank >> window.shift);
    const auto oldest = node * static_cast<std::size_t>(window.rule->window) +
                        static_cast<std::size_t>(window.next[node]);
    tick = std::max(tick, window.last[oldest] + window.rule->ticks);
  }
  return tick;
}

Tick Timers::spacing(Scope scope, Command from, Command to) const {
  const std::uint32_t first =  // bank 0's
      table_->first[static_cast<std::size_t>(scope)][static_cast<std::size_t>(to)];
  const Raises& raises = table_->raises[static_cast<std::size_t>(from)];
  Tick ticks = 0;
  for (int i = 0; i < raises.each; ++i) {
    const Raise& raise = raises.of_banks[static_cast<std::size_t>(i)];
    if (raise.at == first) ticks = raise.ticks;
  }
  return ticks;
}

Tick Timers::sibling_spacing(Scope scope, Command from, Command to) const {
  Tick ticks = 0;
  for (const SiblingRaise& raise : table_->sibling_raises[static_cast<std::size_t>(from)]) {
    if (raise.scope == scope && raise.to == to) ticks = std::max(ticks, raise.ticks);
  }
  return ticks;
}

}  // namespace ridgepoint::dram
