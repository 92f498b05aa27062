#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A sweep over this machine's cores, or over several by ssh, with GNU parallel.
#
#   results/recipes/gnu_parallel.sh SHARDS FOLDER [parallel options] -- SWEEP ARGUMENTS
#   results/recipes/gnu_parallel.sh 64 out --sshlogin node1,node2 -- workloads/suites/regimes.ini
#
# A shard that fails or is killed is tried again, up to three times, from where it stopped; the same
# command later finishes what is missing. With --sshlogin, FOLDER must be visible to every host.
# The merged table becomes FOLDER/merged.csv. RIDGEPOINT names the program.
set -euo pipefail

program="${RIDGEPOINT:-ridgepoint}"
[ $# -ge 3 ] || { sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
shards=$1 folder=$2
shift 2
case "$shards" in '' | *[!0-9]* | 0) echo "SHARDS must be a whole number from 1" >&2; exit 2 ;; esac
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  options+=("$1")
  shift
done
[ "${1:-}" = -- ] || { echo "the sweep's own arguments follow a --" >&2; exit 2; }
shift
mkdir -p "$folder"

# One word per argument, whatever it holds: parallel hands the line to a shell.
sweep="$(printf '%q ' "$program" sweep "$@")"
csv="$(printf '%q' "$folder")/shard_{}.csv"
parallel --will-cite --retries 3 "${options[@]}" \
  "$sweep --shard {}/$shards --csv $csv --resume" \
  ::: $(seq 1 "$shards")
files=()
for ((i = 1; i <= shards; i++)); do files+=("$folder/shard_$i.csv"); done
"$program" merge "${files[@]}" --csv "$folder/merged.csv"
