#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the cross-check tables of tests/DEVIATIONS.md: our figures for the patterns that three
# public simulators were measured on, once with the default policies and once with the queues and the
# map of one of them (Ramulator 2.1), beside theirs; then what queues and hashing alone decide.
#
#   tests/deviations.sh [--only "PATTERN ..."] [RIDGEPOINT]   rows of the first table, or both tables
#   tests/deviations.sh --write [RIDGEPOINT]                  puts both into the document
#
# RIDGEPOINT: the program (build/dev/ridgepoint).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
write=false
only=""
case "${1:-}" in
  --write) write=true; shift ;;
  --only) only="$2"; shift 2 ;;
esac
ridgepoint="${1:-$root/build/dev/ridgepoint}"

hbm2=(--hbm.standard hbm2 --hbm.stacks 1 --hbm.channels_per_stack 8 --hbm.pin_rate_gbps 2)
hbm3=(--hbm.standard hbm3 --hbm.stacks 1 --hbm.channels_per_stack 16 --hbm.pin_rate_gbps 6.4)
# 32 + 32 entries per channel, which has two pseudo-channels; channels interleaved by bursts without
# a hash; four bursts of a row together, then pseudo-channels and bank groups, banks hashed by row.
map=(--hbm.interleave_bytes 32 --hbm.interleave_hash false
  --hbm.address_map "row col bank sid bg pc col:2")
alike=(--hbm.read_queue 16 --hbm.write_queue 16 --hbm.write_high 13 --hbm.write_low 3 "${map[@]}")

# pattern -> options; requests are of 64 bytes by default, of one burst where rows are the matter.
options() {
  case "$1" in
    seq) echo "--pattern sequential" ;;
    rand) echo "--pattern random --request_bytes 32" ;;
    mix21) echo "--pattern mix" ;;
    triad) echo "--pattern streams --streams 3 --read_share 0.6666667 --span_bytes 3221225472" ;;
    conflict) echo "--pattern conflict --request_bytes 32 --bytes 1048576" ;;
    rowmiss) echo "--pattern rowmiss --request_bytes 32" ;;
    stride) echo "--pattern strided --stride 4096 --request_bytes 32 --bytes 4194304" ;;
    KV16) echo "--pattern paged_kv --streams 16 --page_bytes 32768 --request_bytes 256" ;;
    KV64) echo "--pattern paged_kv --streams 64 --page_bytes 4096 --request_bytes 64" ;;
    idle) echo "--pattern random --request_bytes 32 --outstanding 1 --bytes 65536" ;;
  esac
}

# measure OPTIONS... -> "% of peak / mean latency in ns"
measure() {
  local size=(--bytes 16777216)
  [[ " $* " == *" --bytes "* ]] && size=()
  "$ridgepoint" dram --quiet --machine teaching-80g --hbm.stack_ids 1 "${size[@]}" "$@" |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
      NR == 2 { printf "%.1f / %.0f", 100 * $at["hbm_bandwidth_ratio"], $at["latency_mean_ns"] }'
}

# As they were measured: Ramulator 2.1, DRAMsim3, DRAMSys 5.5 (HBM2, 256 GB/s); Ramulator HBM3.
theirs() {
  case "$1" in
    seq) echo "87.0 / 53|92.0 / 145|92.8 / 348|82.0 / 39" ;;
    rand) echo "29.9 / 137|24.4 / 771|30.9 / 630|28.6 / 103" ;;
    mix21) echo "63.0 / 93|82.7 / 218|79.1 / 487|54.1 / 70" ;;
    triad) echo "39.6 / 143|66.7 / 210|70.8 / 457|25.1 / 143" ;;
    conflict) echo "1.9 / 1714|3.9 / 2069|4.5 / 338|1.3 / 1607" ;;
    rowmiss) echo "30.2 / 137|24.4 / 696|32.1 / 1212|30.1 / 100" ;;
    stride) echo "5.1 / 99|12.2 / 696|7.8 / 380|2.4 / 69" ;;
    KV16) echo "43.5 / 99|70.1 / 189|24.8 / 306|45.5 / 68" ;;
    KV64) echo "21.0 / 184|83.0 / 169|19.2 / 234|22.0 / 125" ;;
    idle) echo "– / 38|– / 38|– / 43|– / 39" ;;
  esac
}

row() {
  local own r2 d3 ds r3
  read -r -a own <<<"$(options "$1")"
  IFS='|' read -r r2 d3 ds r3 <<<"$(theirs "$1")"
  echo "| $1 | $(measure "${hbm2[@]}" "${own[@]}") |" \
    "$(measure "${hbm2[@]}" "${alike[@]}" "${own[@]}") | $r2 | $d3 | $ds |" \
    "$(measure "${hbm3[@]}" "${own[@]}") | $(measure "${hbm3[@]}" "${alike[@]}" "${own[@]}") | $r3 |"
}

table() {
  echo "| pattern | HBM2: ours | ours, R2's queues and map | R2 | D3 | DS | HBM3: ours | ours, R2's queues and map | R2 |"
  echo "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
  for pattern in seq rand mix21 triad conflict rowmiss stride KV16 KV64 idle; do row "$pattern"; done
}

# R2's map with other queues per pseudo-channel, and without the hash of banks.
sensitivity() {
  echo "| R2's map, entries per pseudo-channel | HBM2: rand | KV16 | KV64 | HBM3: rand | KV16 | KV64 |"
  echo "|---|--:|--:|--:|--:|--:|--:|"
  local queue hash memory pattern own line
  for setting in "8 true" "16 true" "32 true" "16 false"; do
    read -r queue hash <<<"$setting"
    line="| $queue$([ "$hash" = true ] || echo ", banks not hashed") |"
    for memory in hbm2 hbm3; do
      local -n of="$memory"
      for pattern in rand KV16 KV64; do
        read -r -a own <<<"$(options "$pattern")"
        line="$line $(measure "${of[@]}" "${map[@]}" --hbm.read_queue "$queue" --hbm.write_queue "$queue" \
          --hbm.write_high $((queue * 3 / 4)) --hbm.write_low $((queue / 4)) --hbm.bank_hash "$hash" \
          --bytes 4194304 "${own[@]}") |"
      done
    done
    echo "$line"
  done
  local mix=(--hbm.read_queue 16 --hbm.write_queue 16 --hbm.write_high 16 --hbm.write_low 8
    "${map[@]}" --pattern mix)
  echo
  echo "mix21 with R2's map and drains from 16 down to 8 writes, not from 13 to 3:" \
    "HBM2 $(measure "${hbm2[@]}" "${mix[@]}"), HBM3 $(measure "${hbm3[@]}" "${mix[@]}")."
}

if [ -n "$only" ]; then for pattern in $only; do row "$pattern"; done; exit; fi
if ! $write; then table; echo; sensitivity; exit; fi
scratch="$(mktemp)"
trap 'rm -f "$scratch"' EXIT
{ table; echo; sensitivity; } >"$scratch"
awk -v file="$scratch" '
  $0 == "<!-- cross-check:end -->" { hidden = 0 }
  !hidden { print }
  $0 == "<!-- cross-check:begin -->" {
    while ((getline line < file) > 0) print line
    hidden = 1
  }' "$root/tests/DEVIATIONS.md" >"$root/tests/DEVIATIONS.md.new"
mv "$root/tests/DEVIATIONS.md.new" "$root/tests/DEVIATIONS.md"
