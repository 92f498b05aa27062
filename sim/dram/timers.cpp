// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/timers.hpp"

namespace ridgepoint::dram {

Timers::Timers(const Spec& spec) : Timers(std::make_shared<const Table>(spec)) {}

Timers::Timers(std::shared_ptr<const Table> table)
    : table_(std::move(table)), ready_(table_->registers), windows_(table_->windows) {}

Timers Timers::cleared() const { return Timers(table_); }

Tick Timers::earliest_of_same_bank(Command command, int bank) const {
  const BankSet banks = table_->spec.geometry.addressed(command, bank);
  Tick tick = wide(command, bank);
  for (int n = 0; n < banks.count; ++n) {
    tick = std::max(tick, narrow(command)(banks.first + n * banks.stride));
  }
  return tick;
}

Tick Timers::spacing(Scope scope, Command from, Command to) const {
  const Tick ticks =
      table_->latencies[static_cast<std::size_t>(from)][static_cast<std::size_t>(scope)]
                       [static_cast<std::size_t>(to)];
  return std::max<Tick>(ticks, 0);
}

Tick Timers::sibling_spacing(Scope scope, Command from, Command to) const {
  Tick ticks = 0;
  for (const Table::SiblingRule& rule : table_->sibling_rules[static_cast<std::size_t>(from)]) {
    if (rule.scope == scope && rule.to == to) ticks = std::max(ticks, rule.ticks);
  }
  return ticks;
}

}  // namespace ridgepoint::dram
