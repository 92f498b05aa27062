// SPDX-License-Identifier: Apache-2.0
// The memory alone under a pattern or a trace.
#include "results/column_tables.hpp"

namespace ridgepoint::results {

Table dram_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"machine", kText, "the machine whose memory it is", true},
      {"standard", kText, "timing and organisation of the memory", true},
      {"pattern", kText, "what drove it; 'trace' for a file", true},
      {"trace", kText, "the file", true},
      {"bytes", kInteger, "bytes asked for", true},
      {"request_bytes", kInteger, "bytes of one request", true},
      {"read_share_ratio", kReal, "reads / requests", true},
      {"time_ns", kReal, "until the last byte"},
      {"gb_per_s", kReal, "bytes at the pins / time_ns"},
      {"peak_gb_per_s", kReal, "what the pins could carry"},
      {"hbm_bandwidth_ratio", kReal, "gb_per_s / peak_gb_per_s"},
      {"refresh_bound_ratio", kReal,
       "1 - (tRTP + tRP + tRFC + tRCDRD) / tREFI with all-bank refresh of one stack id, else 1: "
       "the share of the peak that refresh leaves to a long stream; one of a few tREFI "
       "may end before its refreshes and be above it"},
      {"hbm_read_bytes", kInteger, "bytes read at the pins"},
      {"hbm_write_bytes", kInteger, "bytes written at the pins"},
      {"bits_count", kInteger, "bits moved at the pins"},
      {"row_hits_count", kInteger, "bursts that are not the first after an ACT"},
      {"row_misses_count", kInteger, "bursts that are the first after an ACT of a closed bank"},
      {"row_conflicts_count", kInteger,
       "bursts that are the first after an ACT for which another row had to be closed"},
      {"forwarded_bursts_count", kInteger, "reads answered from the write queue"},
      {"act_count", kInteger, "ACT commands"},
      {"pre_count", kInteger, "PRE commands"},
      {"preab_count", kInteger, "PREab commands"},
      {"rd_count", kInteger, "RD commands"},
      {"wr_count", kInteger, "WR commands"},
      {"rda_count", kInteger, "RDA commands"},
      {"wra_count", kInteger, "WRA commands"},
      {"refab_count", kInteger, "REFab commands"},
      {"refpb_count", kInteger, "REFpb commands"},
      {"presb_count", kInteger, "PREsb commands"},
      {"refsb_count", kInteger, "REFsb commands"},
      {"pieces_count", kInteger, "parts of requests, each in one channel"},
      {"latency_mean_ns", kReal, "of a piece, from acceptance by the queues to its last byte"},
      {"latency_p50_ns", kReal, "the same, median; within 1.6 %"},
      {"latency_p99_ns", kReal, "the same, 99th percentile; within 1.6 %"},
      {"queued_bursts_mean_count", kReal, "bursts in the queues of a channel, on average"},
      {"hbm_busy_ratio", kReal, "data buses busy; with the next ten it sums to 1"},
      {"hbm_idle_ratio", kReal, "data buses without a request"},
      {"hbm_queue_ratio", kReal, "the request served next was not yet in the queue"},
      {"hbm_refresh_ratio", kReal, "lost to refresh"},
      {"hbm_row_miss_ratio", kReal, "lost to opening a row of a closed bank"},
      {"hbm_row_conflict_ratio", kReal, "lost to closing another row first"},
      {"hbm_activation_ratio", kReal, "lost to tRRD, tFAW or the row command bus"},
      {"hbm_turnaround_ratio", kReal, "lost to read-write turnaround"},
      {"hbm_bank_group_ratio", kReal, "lost to tCCD_L"},
      {"hbm_column_ratio", kReal, "lost to the column command bus and tCCD_R"},
      {"hbm_pending_ratio", kReal, "not yet attributed at the end"},
      {"hbm_energy_pj", kReal, "energy of the memory: the sum of the next six"},
      {"hbm_energy_act_pj", kReal, "rows opened and closed"},
      {"hbm_energy_read_pj", kReal, "columns read and moved across the die"},
      {"hbm_energy_write_pj", kReal, "columns written and moved across the die"},
      {"hbm_energy_io_pj", kReal, "data pins"},
      {"hbm_energy_refresh_pj", kReal, "refresh"},
      {"hbm_energy_background_pj", kReal, "standby, over the whole time"},
      {"hbm_energy_pj_per_bit", kReal, "hbm_energy_pj / bits moved at the pins"},
  };
  return {"dram", 1, "The memory alone", kColumns};
}

}  // namespace ridgepoint::results
