#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every benchmark: OUT/bench.csv holds all figures, OUT/bench_ratios.csv those that are ratios
# within one run, which alone are comparable between computers. Compares these with the committed
# ones and fails where one has changed by more than LIMIT (default 50%: shared computers are noisy).
#
#   results/bench.sh [OUT]                              (default: out/)
#   cp out/bench_ratios.csv results/baseline/           to accept them
#
# BENCHES names a folder of built benchmarks (default: build/release, which is built first).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
mkdir -p "${1:-$root/out}"
out="$(cd "${1:-$root/out}" && pwd)"
cd "$root"
if [ -z "${BENCHES:-}" ]; then
  .ci/packages
  cmake --preset release >"$out/bench_build.log"
  cmake --build --preset release -j "$(nproc)" --target benches ridgepoint >>"$out/bench_build.log"
  BENCHES="$root/build/release"
fi
part="$(mktemp)"
trap 'rm -f "$part"' EXIT
: >"$out/bench.csv"
for bench in "$BENCHES"/results/bench/*_bench; do
  "$bench" --csv "$part"
  if [ -s "$out/bench.csv" ]; then tail -n +2 "$part"; else cat "$part"; fi >>"$out/bench.csv"
done
# git_commit stays blank: the table is committed after the build that made it.
sed -E -n '1p; /^([^,]*,){6}[^,]*_ratio,/s/^([^,]*,[^,]*),[^,]*,/\1,,/p' "$out/bench.csv" \
  >"$out/bench_ratios.csv"
"$BENCHES/ridgepoint" compare "$root/results/baseline/bench_ratios.csv" "$out/bench_ratios.csv" \
  --fail-above "${LIMIT:-50%}"
