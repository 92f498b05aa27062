// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/standards/list.hpp"

#include <algorithm>
#include <cctype>

#include "sim/core/error.hpp"

namespace ridgepoint::dram {

const std::vector<const Standard*>& all_standards() {
  static const std::vector<const Standard*> kAll{
      &standards::ddr5(),  &standards::gddr6(), &standards::gddr7(),
      &standards::hbm2(),  &standards::hbm2e(), &standards::hbm3(),
      &standards::hbm3e(), &standards::hbm4(),  &standards::lpddr5x()};
  return kAll;
}

const Standard& find_standard(std::string_view name, std::string_view key) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::toupper(a) == std::toupper(b);
  };
  std::string names;
  for (const Standard* standard : all_standards()) {
    const std::string_view known = standard->name;
    if (std::equal(known.begin(), known.end(), name.begin(), name.end(), same)) return *standard;
    names += (names.empty() ? "" : ", ") + std::string(standard->name);
  }
  core::fail_input({}, std::string(key), std::string(name), "is not known", names);
}

std::string_view name_of(Scope scope) {
  switch (scope) {
    case Scope::kBank:
      return "bank";
    case Scope::kBankGroup:
      return "bank group";
    case Scope::kStackId:
      return "stack id";
    case Scope::kPseudoChannel:
      return "pseudo-channel";
    case Scope::kChannel:
      return "channel";
  }
  return "";
}

}  // namespace ridgepoint::dram
