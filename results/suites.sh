#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Remakes the committed tables of workloads/suites in results/baseline, and the roofline of README.
#
#   results/suites.sh [SUITE ...]      for example: results/suites.sh regimes (default: all)
#
# RIDGEPOINT names the program (default: build/release/ridgepoint), OUT another folder, JOBS the
# processes (default: one per processor). Says how long each suite took. git_commit stays blank: a
# table is committed after the build that made it.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
program="${RIDGEPOINT:-$root/build/release/ridgepoint}"
out="${OUT:-$root/results/baseline}"
jobs="${JOBS:-$(nproc)}"
suites="$root/workloads/suites"
if [ $# -eq 0 ]; then
  for file in "$suites"/*.ini; do set -- "$@" "$(basename "$file" .ini)"; done
fi
mkdir -p "$out"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

remake() {
  "$program" sweep "$suites/$1.ini" --jobs "$jobs" --quiet --csv "$scratch/$1.csv"
  sed -E '2,$s/^([^,]*,[^,]*),[^,]*,/\1,,/' "$scratch/$1.csv" >"$out/$1.csv"
}
TIMEFORMAT='%R s elapsed, %U s of processor time'
for suite in "$@"; do
  echo "== $suite" >&2
  time remake "$suite"
done
# The picture leaves out smaller tiles: they hide points of shorter prompts.
if [ -e "$out/regimes.csv" ]; then
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "tile_rows_count") at = i }
    NR == 1 || $at == 0' "$out/regimes.csv" >"$scratch/largest_tiles.csv"
  gnuplot -e "csv='$scratch/largest_tiles.csv'; out='$out/roofline.svg'; name='llama-2-7b on teaching-80g'" \
    "$root/results/plots/roofline.gp"
fi
