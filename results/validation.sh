#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Predicts published measurements of two machines and writes how far off the predictions are, by
# machine, family, size and half; and H100 once more with the constants that were fitted to A100.
# Measured times themselves go only to FOLDER; validation_summary.csv and validation.png, a picture
# without numbers of single cases, are what results/baseline has.
#
#   results/validation.sh RIDGEPOINT MEASURED_DIR FOLDER [EVERY [MOST_GB [EVERY_2 [MOST_GB_2]]]]
#
# EVERY (1): one row of so many; MOST_GB: leaves out longer simulations; the second two are for H100
# with the constants of A100, and by default the same. Two processes at a time: all cases of one
# machine take an hour of one processor.
set -eu
if [ $# -lt 3 ]; then
  echo "usage: $0 RIDGEPOINT MEASURED_DIR FOLDER [EVERY [MOST_GB [EVERY_2 [MOST_GB_2]]]]" >&2
  exit 2
fi
program=$1 measured=$2 folder=$3 every=${4:-1} most=${5:-1000}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"

# The calibrated constants of a100-80g as flags, in the measure of the data sheets: times as cycles
# of the clock, a channel's rate by its pins (an HBM2E channel has 128, one of HBM3 64).
machines=$here/../sim/config/machines
value() { awk -v key="$2" '$1 == key { print $3 }' "$machines/$1.ini"; }
share() { awk -v a="$(value h100 "$1")" -v b="$(value a100-80g "$1")" 'BEGIN { print a / b }'; }
borrowed=$(awk -v clock="$(share clock_mhz)" -v pin="$(share pin_rate_gbps)" '
  /^\[/ { section = substr($1, 2, length($1) - 2) }
  /# calibrated/ {
    if ($1 == "channel_gb_per_s") $3 *= pin * 64 / 128
    if ($1 ~ /_ns$/) $3 = int($3 / clock + 0.5)
    print "--" section "." $1, $3
  }' "$machines/a100-80g.ini")

predict() {  # name machine flags...
  name=$1 machine=$2
  shift 2
  "$program" validate --measured "$measured" --machine "$machine" --every "$every" \
    --most_gb "$most" --csv "$folder/$name.csv" --summary_csv "$folder/$name-summary.csv" "$@" ||
    echo "$name: some cases failed; see $folder/$name.csv" >&2
}
predict a100 a100-80g &
predict h100 h100
wait
predict mi300x mi300x --family kv_blocks &
every=${6:-$every} most=${7:-$most}
# shellcheck disable=SC2086
predict h100-from-a100 h100 $borrowed
wait

for name in a100 h100 mi300x h100-from-a100; do
  awk -F, -v OFS=, -v name="$name" '
    NR == 1 {
      for (i = 1; i <= NF; i++) at[$i] = i
      if (name == "a100")
        print "constants,machine,family,size_class,half,rows_count,error_median_ratio," \
          "error_p90_ratio,bias_ratio"
      next
    }
    {
      printf "%s,%s,%s,%s,%s,%s,%.3f,%.3f,%.3f\n", (name == "h100-from-a100" ? "a100" : "own"),
        $at["machine"], $at["family"], $at["size_class"], $at["half"], $at["rows_count"],
        $at["error_median_ratio"], $at["error_p90_ratio"], $at["bias_ratio"]
    }' "$folder/$name-summary.csv"
done > "$folder/validation_summary.csv"
{ cat "$folder/a100.csv"; tail -n +2 "$folder/h100.csv"; } > "$folder/validation.csv"
if command -v gnuplot > /dev/null; then
  gnuplot -e "csv='$folder/validation.csv'; out='$folder/validation.png'" \
    "$here/plots/validation.gp"
fi
