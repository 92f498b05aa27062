// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/device.hpp"

#include <algorithm>
#include <string>

#include "sim/core/error.hpp"

namespace ridgepoint::dram {

Device::Device(const Spec& spec)
    : spec_(&spec), open_row_(static_cast<std::size_t>(spec.geometry.total_banks()), kClosed) {
  for (std::size_t index = 0; index < spec.rules.size(); ++index) {
    const Rule& rule = spec.rules[index];
    history_.emplace_back(spec.geometry.nodes(rule.scope), rule.window);
    for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
      if (rule.to.contains(static_cast<Command>(kind))) rules_to_[kind].push_back(index);
    }
  }
}

Tick Device::last_from(std::size_t index, int bank) const {
  const Rule& rule = spec_->rules[index];
  const Geometry& geometry = spec_->geometry;
  const int node = geometry.node_of(rule.scope, bank);
  if (!rule.siblings) return history_[index].oldest(node);
  const auto parent = static_cast<Scope>(static_cast<int>(rule.scope) + 1);
  const int fanout = geometry.nodes(rule.scope) / geometry.nodes(parent);
  const int first = node / fanout * fanout;
  Tick last = kLongAgo;
  for (int sibling = first; sibling < first + fanout; ++sibling) {
    if (sibling != node) last = std::max(last, history_[index].oldest(sibling));
  }
  return last;
}

Device::Constraint Device::constraint(Command command, int bank) const {
  if (!addresses_same_bank(command)) return constraint_at(command, bank);
  Constraint tightest;
  const BankSet banks = spec_->geometry.addressed(command, bank);
  for (int n = 0; n < banks.count; ++n) {
    const Constraint one = constraint_at(command, banks.first + n * banks.stride);
    if (one.tick > tightest.tick) tightest = one;
  }
  return tightest;
}

// What the rules of the scopes around one bank say.
Device::Constraint Device::constraint_at(Command command, int bank) const {
  Constraint tightest;
  for (const std::size_t index : rules_to_[static_cast<std::size_t>(command)]) {
    const Tick last = last_from(index, bank);
    const Tick ticks = spec_->rules[index].ticks;
    if (last == kLongAgo || last + ticks <= tightest.tick) continue;
    tightest = {last + ticks, static_cast<int>(index)};
  }
  return tightest;
}

Tick Device::earliest(Command command, int bank) const {
  return spec_->align_up(command, std::max<Tick>(0, constraint(command, bank).tick));
}

bool Device::all_closed(const BankSet& banks) const {
  for (int n = 0; n < banks.count; ++n) {
    if (open_row(banks.first + n * banks.stride) != kClosed) return false;
  }
  return true;
}

void Device::check_state(Command command, int bank, std::int64_t row) const {
  bool legal = true;
  switch (command) {
    case Command::kAct:
    case Command::kRefPb:
    case Command::kRefAb:
    case Command::kRefSb:
      legal = all_closed(spec_->geometry.addressed(command, bank));
      break;
    case Command::kPre:
      legal = open_row(bank) != kClosed;
      break;
    case Command::kPreAb:
    case Command::kPreSb:
      break;
    default:
      legal = open_row(bank) == row;
  }
  if (legal) return;
  throw core::SimulationError(std::string(name_of(command)) + " to bank " + std::to_string(bank) +
                              ", row " + std::to_string(row) + ": the bank's state forbids it");
}

void Device::issue(Command command, int bank, std::int64_t row, Tick tick) {
  const Constraint bound = constraint(command, bank);
  if (tick < bound.tick || tick != spec_->align_up(command, tick)) {
    throw core::SimulationError(
        std::string(name_of(command)) + " to bank " + std::to_string(bank) + " at tick " +
        std::to_string(tick) + " comes before tick " + std::to_string(bound.tick) + " of rule '" +
        (bound.rule < 0 ? "grid" : spec_->rules[static_cast<std::size_t>(bound.rule)].text) + "'");
  }
  check_state(command, bank, row);
  remember(command, bank, tick);
  const BankSet banks = spec_->geometry.addressed(command, bank);
  const bool closes = precharges(command) || auto_precharges(command);
  if (command == Command::kAct) open_row_[static_cast<std::size_t>(bank)] = row;
  for (int n = 0; closes && n < banks.count; ++n) {
    open_row_[static_cast<std::size_t>(banks.first + n * banks.stride)] = kClosed;
  }
}

void Device::remember(Command command, int bank, Tick tick) {
  const Geometry& geometry = spec_->geometry;
  const BankSet banks = geometry.addressed(command, bank);
  for (std::size_t index = 0; index < spec_->rules.size(); ++index) {
    const Rule& rule = spec_->rules[index];
    if (!rule.from.contains(command)) continue;
    const bool each = addresses_same_bank(command) && rule.scope <= Scope::kBankGroup;
    for (int n = 0; n < (each ? banks.count : 1); ++n) {
      history_[index].push(geometry.node_of(rule.scope, banks.first + n * banks.stride), tick);
    }
  }
}

}  // namespace ridgepoint::dram
