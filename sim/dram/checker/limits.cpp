// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/checker/limits.hpp"

#include <string>

#include "sim/core/error.hpp"

namespace ridgepoint::dram::checker {

std::span<const LimitName> limit_names() {
  static constexpr LimitName kNames[] = {
      {"pseudo_channels", &Limits::pseudo_channels},
      {"stack_ids", &Limits::stack_ids},
      {"bank_groups", &Limits::bank_groups},
      {"banks", &Limits::banks},
      {"rows", &Limits::rows},
      {"columns", &Limits::columns},
      {"tCL", &Limits::tCL},
      {"tCWL", &Limits::tCWL},
      {"tBURST", &Limits::tBURST},
      {"tCCD_S", &Limits::tCCD_S},
      {"tCCD_L", &Limits::tCCD_L},
      {"tCCD_R", &Limits::tCCD_R},
      {"tCCD_L_WR", &Limits::tCCD_L_WR},
      {"tRTW", &Limits::tRTW},
      {"tWTR_S", &Limits::tWTR_S},
      {"tWTR_L", &Limits::tWTR_L},
      {"tRCDRD", &Limits::tRCDRD},
      {"tRCDWR", &Limits::tRCDWR},
      {"tRAS", &Limits::tRAS},
      {"tRC", &Limits::tRC},
      {"tRRD_S", &Limits::tRRD_S},
      {"tRRD_L", &Limits::tRRD_L},
      {"tFAW", &Limits::tFAW},
      {"tRP", &Limits::tRP},
      {"tRPab", &Limits::tRPab},
      {"tRTP", &Limits::tRTP},
      {"tWR", &Limits::tWR},
      {"tPPD", &Limits::tPPD},
      {"tREFI", &Limits::tREFI},
      {"tRFC", &Limits::tRFC},
      {"tRFCpb", &Limits::tRFCpb},
      {"tRREFD", &Limits::tRREFD},
      {"tREFI2", &Limits::tREFI2},
      {"tRFCsb", &Limits::tRFCsb},
      {"tREFSBRD", &Limits::tREFSBRD},
      {"act_bus", &Limits::act_bus},
      {"row_bus", &Limits::row_bus},
      {"column_bus", &Limits::column_bus},
      {"act_grid", &Limits::act_grid},
      {"row_grid", &Limits::row_grid},
      {"column_grid", &Limits::column_grid},
      {"shared_bus", &Limits::shared_bus},
      {"refresh", &Limits::refresh},
      {"postponed", &Limits::postponed},
  };
  return kNames;
}

namespace {

void in_range(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  core::fail_input({}, std::string(name), std::to_string(value), "is out of range",
                   std::to_string(low) + " .. " + std::to_string(high));
}

constexpr std::int64_t kMostTicks = std::int64_t{1} << 40;

}  // namespace

void validate(const Limits& limits) {
  for (const LimitName& one : limit_names()) in_range(one.name, limits.*one.value, 0, kMostTicks);
  in_range("pseudo_channels", limits.pseudo_channels, 1, 64);
  in_range("stack_ids", limits.stack_ids, 1, 64);
  in_range("bank_groups", limits.bank_groups, 1, 64);
  in_range("banks", limits.banks, 1, 64);
  in_range("rows", limits.rows, 1, kMostTicks);
  in_range("columns", limits.columns, 1, 1 << 20);
  in_range("act_grid", limits.act_grid, 1, 64);
  in_range("row_grid", limits.row_grid, 1, 64);
  in_range("column_grid", limits.column_grid, 1, 64);
  in_range("shared_bus", limits.shared_bus, 0, 1);
  in_range("refresh", limits.refresh, 0, 3);
  in_range("postponed", limits.postponed, 0, 64);
  if (limits.refresh != 0) in_range("tREFI", limits.tREFI, 1, kMostTicks);
  if (limits.refresh == 3) in_range("tREFI2", limits.tREFI2, 1, kMostTicks);
}

}  // namespace ridgepoint::dram::checker
