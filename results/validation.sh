#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Predicts published measurements of two machines and writes how far off the predictions are, by
# machine, family, size and half; and H100 once more with the constants that were fitted to A100.
# Measured times themselves go only to FOLDER.
#
#   results/validation.sh RIDGEPOINT MEASURED_DIR FOLDER [EVERY [MOST_GB]]
#
# EVERY (1): one row of so many; MOST_GB: leaves out longer simulations. Two processes at a time.
set -eu
if [ $# -lt 3 ]; then
  echo "usage: $0 RIDGEPOINT MEASURED_DIR FOLDER [EVERY [MOST_GB]]" >&2
  exit 2
fi
program=$1 measured=$2 folder=$3 every=${4:-1} most=${5:-1000}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"

# The calibrated keys of a100-80g, as flags; a channel's share of its pins carries over.
borrowed="--host.launch_ns 7000 --host.attention_setup_ns 4000 --core.sustained_ratio 0.92
  --core.block_ns 5000 --fabric.channel_gb_per_s 34.5"

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
# shellcheck disable=SC2086
predict h100-from-a100 h100 $borrowed

for name in a100 h100 h100-from-a100; do
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
  gnuplot -e "csv='$folder/validation.csv'; out='$folder/validation.svg'" \
    "$here/plots/validation.gp"
fi
