// SPDX-License-Identifier: Apache-2.0
// Which banks a node of the hierarchy holds, and which ones a command is about.
#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {

int Geometry::banks_per_node(Scope scope) const {
  switch (scope) {
    case Scope::kBank:
      return 1;
    case Scope::kBankGroup:
      return banks;
    case Scope::kStackId:
      return banks_per_stack_id();
    case Scope::kPseudoChannel:
      return banks_per_pseudo_channel();
    case Scope::kChannel:
      break;
  }
  return total_banks();
}

BankSet Geometry::addressed(Command command, int flat_bank) const {
  if (!addresses_stack_id(command) && !addresses_same_bank(command)) return {flat_bank, 1, 1};
  const int first_of_stack_id = flat_bank - flat_bank % banks_per_stack_id();
  if (addresses_stack_id(command)) return {first_of_stack_id, 1, banks_per_stack_id()};
  return {first_of_stack_id + flat_bank % banks, banks, bank_groups};
}

}  // namespace ridgepoint::dram
