// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/timer_table.hpp"

#include <algorithm>
#include <bit>

#include "sim/core/error.hpp"

namespace ridgepoint::dram {
namespace {

constexpr Tick kNoRule = -1;
constexpr auto kPseudoChannel = static_cast<std::size_t>(Scope::kPseudoChannel);

}  // namespace

bool TimerTable::answers_for(const Spec& spec, Command command) {
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

TimerTable::TimerTable(const Spec& from) : spec(from) {
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
  for (std::size_t kind = 0; kind < kCommandKinds; ++kind) latencies[kind] = latencies_from(kind);
  share_registers();
  for (std::size_t kind = 0; kind < kCommandKinds; ++kind) add_raises(kind);
  add_windows();
}

// By how much a command holds back the others in its own nodes; kNoRule also where a wider scope
// says at least as much.
TimerTable::Latencies TimerTable::latencies_from(std::size_t from) {
  Latencies latency;
  for (auto& row : latency) row.fill(kNoRule);
  for (const Rule& rule : spec.rules) {
    if (!rule.from.contains(static_cast<Command>(from)) || rule.window > 1) continue;
    for (std::size_t to = 0; to < kCommandKinds; ++to) {
      if (!rule.to.contains(static_cast<Command>(to))) continue;
      if (!answers_for(spec, static_cast<Command>(to))) continue;
      if (rule.siblings) {
        sibling_rules[from].push_back({rule.scope, static_cast<Command>(to), rule.ticks});
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

// Whether more than the latencies within a node decides about the register.
bool TimerTable::is_special(std::size_t level, std::size_t to) const {
  if (is_folded(static_cast<Command>(to)) && level < kPseudoChannel) return true;
  return std::any_of(spec.rules.begin(), spec.rules.end(), [&](const Rule& rule) {
    return (rule.siblings || rule.window > 1) && rule.scope == static_cast<Scope>(level) &&
           rule.to.contains(static_cast<Command>(to));
  });
}

// Commands that all others hold back alike have one register, as those on a command bus.
void TimerTable::share_registers() {
  for (std::size_t level = 0; level < kScopes; ++level) {
    for (std::size_t to = 0; to < kCommandKinds; ++to) {
      for (std::size_t other = 0; other < to; ++other) {
        const bool alike = std::all_of(
            latencies.begin(), latencies.end(),
            [&](const Latencies& from) { return from[level][to] == from[level][other]; });
        if (!alike || is_special(level, to) || is_special(level, other)) continue;
        first[level][to] = first[level][other];
        break;
      }
    }
  }
}

void TimerTable::add_raises(std::size_t from) {
  Raises& all = raises[from];
  for (int bank = 0; bank < spec.geometry.total_banks(); ++bank) {
    const auto [narrow, wide] = raises_of(from, bank);
    all.narrow = static_cast<int>(narrow.size());
    all.each = all.narrow + static_cast<int>(wide.size());
    all.of_banks.insert(all.of_banks.end(), narrow.begin(), narrow.end());
    all.of_banks.insert(all.of_banks.end(), wide.begin(), wide.end());
  }
}

// By how much a command holds back another of the same bank.
Tick TimerTable::reach(Command from, Command to) const {
  Tick ticks = 0;
  for (const auto& row : latencies[static_cast<std::size_t>(from)]) {
    ticks = std::max(ticks, row[static_cast<std::size_t>(to)]);
  }
  return ticks;
}

// Whether the bank has to be closed between the two, and every way of closing it after RD holds
// `to` back for as long.
bool TimerTable::is_implied(std::size_t from, std::size_t level, std::size_t to) const {
  const auto next = static_cast<Command>(to);
  const bool of_bank = level == 0 && (next == Command::kAct || next == Command::kRefPb);
  const bool of_stack_id = level < kPseudoChannel && next == Command::kRefAb;
  if (static_cast<Command>(from) != Command::kRd || !(of_bank || of_stack_id)) return false;
  const Tick ticks = latencies[from][level][to];
  for (const Command close : {Command::kPre, Command::kPreAb, Command::kPreSb}) {
    if (!answers_for(spec, close)) continue;
    if (reach(Command::kRd, close) + reach(close, next) < ticks) return false;
  }
  return reach(Command::kRd, Command::kRd) + reach(Command::kRda, next) >= ticks &&
         reach(Command::kRd, Command::kWr) + reach(Command::kWra, next) >= ticks;
}

// In narrow scopes and in wide ones.
std::array<std::vector<TimerTable::Raise>, 2> TimerTable::raises_of(std::size_t from,
                                                                    int bank) const {
  std::array<std::vector<Raise>, 2> result;
  const auto add_one = [&](std::size_t level, std::uint32_t at, Tick ticks) {
    std::vector<Raise>& of_scopes = result[level >= kPseudoChannel ? 1 : 0];
    const auto known = std::find_if(of_scopes.begin(), of_scopes.end(),
                                    [&](const Raise& raise) { return raise.at == at; });
    const Raise raise{at, static_cast<std::int32_t>(ticks)};
    if (known == of_scopes.end()) {
      of_scopes.push_back(raise);
    } else {
      known->ticks = std::max(known->ticks, raise.ticks);
    }
  };
  const auto add = [&](std::size_t level, std::size_t to, int node, Tick ticks) {
    if (!is_folded(static_cast<Command>(to)) || level >= kPseudoChannel) {
      return add_one(level, first[level][to] + static_cast<std::uint32_t>(node), ticks);
    }
    for (int each = node << shift[level]; each < (node + 1) << shift[level]; ++each) {
      add_one(level, first[0][to] + static_cast<std::uint32_t>(each), ticks);
    }
  };
  const bool same_bank = addresses_same_bank(static_cast<Command>(from));
  const BankSet banks =
      same_bank ? spec.geometry.addressed(static_cast<Command>(from), bank) : BankSet{bank, 1, 1};
  for (int n = 0; n < banks.count; ++n) {
    const int each = banks.first + n * banks.stride;
    for (std::size_t to = 0; to < kCommandKinds; ++to) {
      for (std::size_t level = kScopes; level-- > 0;) {
        const Tick ticks = latencies[from][level][to];
        if (ticks == kNoRule || is_implied(from, level, to)) continue;
        add(level, to, each >> shift[level], ticks);
      }
    }
  }
  for (const SiblingRule& rule : sibling_rules[from]) {
    const auto level = static_cast<std::size_t>(rule.scope);
    const int node = bank >> shift[level];
    const int fanout = spec.geometry.banks_per_node(static_cast<Scope>(level + 1)) >> shift[level];
    for (int i = 0; i < fanout; ++i) {
      const int sibling = node / fanout * fanout + i;
      if (sibling != node) add(level, static_cast<std::size_t>(rule.to), sibling, rule.ticks);
    }
  }
  return result;
}

void TimerTable::add_windows() {
  for (const Rule& rule : spec.rules) {
    if (rule.window == 1) continue;
    const auto nodes = static_cast<std::size_t>(spec.geometry.nodes(rule.scope));
    const auto level = static_cast<std::size_t>(rule.scope);
    const auto commands = static_cast<std::size_t>(rule.window);
    Window window{rule.from, {}, shift[level], commands, rule.ticks, {}, {}};
    window.latest.assign(nodes * commands, -(Tick{1} << 60));
    window.next.assign(nodes, 0);
    for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
      const auto command = static_cast<Command>(kind);
      in_window[kind] = in_window[kind] || rule.from.contains(command);
      if (rule.to.contains(command) && answers_for(spec, command)) {
        window.to.push_back(first[level][kind]);
      }
      if (is_column(command) && (rule.from.contains(command) || rule.to.contains(command))) {
        throw core::SimulationError("windows over column commands are not supported: " + rule.text);
      }
    }
    windows.push_back(std::move(window));
  }
}

}  // namespace ridgepoint::dram
