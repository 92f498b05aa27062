#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fits the constants that a machine's file marks `calibrated`: coordinate search on the even half of
# the measured shapes. One constant after the other is moved up and down by a share of itself; what
# lowers the score stays; the share is halved every round. The score is the mean over families and
# sizes of median + p90 / 3 of |error|; small and cached sizes do not count. Nothing is written into
# the machine's file: the constants found are printed, with the errors of both halves.
#
#   results/calibrate.sh RIDGEPOINT MEASURED_DIR MACHINE [EVERY [MOST_GB [ROUNDS]]]
#
# EVERY (4), MOST_GB (0.3): see `validate --help`; with these and 2 ROUNDS (2) a fit takes about 20
# predictions of the subsample, two at a time.
set -eu
if [ $# -lt 3 ]; then
  echo "usage: $0 RIDGEPOINT MEASURED_DIR MACHINE [EVERY [MOST_GB [ROUNDS]]]" >&2
  exit 2
fi
program=$1 measured=$2 machine=$3 every=${4:-4} most=${5:-0.3} rounds=${6:-2}
here=$(cd "$(dirname "$0")" && pwd)
file=$here/../sim/config/machines/$machine.ini
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One "key value" a line.
awk '/^\[/ { section = substr($1, 2, length($1) - 2) }
     /# calibrated/ { print section "." $1, $3 }' "$file" > "$work/best"
if [ ! -s "$work/best" ]; then
  echo "$file marks no constant as calibrated" >&2
  exit 2
fi

predict() {  # constants -> NAME.csv, the summary
  flags=$(awk '{ printf "--%s %s ", $1, $2 }' "$work/$1")
  # shellcheck disable=SC2086
  "$program" validate --measured "$measured" --machine "$machine" --every "$every" \
    --most_gb "$most" --quiet --csv /dev/null --summary_csv "$work/$1.csv" $flags
}
score() {  # of a summary
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["half"] == "even" && $at["size_class"] ~ /^(long|m<=64|m>64)$/ {
      sum += $at["error_median_ratio"] + $at["error_p90_ratio"] / 3
      groups++
    }
    END { if (!groups) exit 1; printf "%.5f\n", sum / groups }' "$work/$1.csv"
}
moved() {  # KEY SHARE -> the best constants with one of them changed; nanoseconds stay whole
  awk -v key="$1" -v share="$2" '$1 == key {
    $2 *= 1 + share
    if (key ~ /_ns$/) $2 = int($2 + 0.5)
    if (key ~ /_ratio$/ && $2 > 1) $2 = 1
  } { print $1, $2 }' "$work/best"
}

predict best
best=$(score best)
echo "start $best: $(tr '\n' ' ' < "$work/best")"
share=0.05
round=1
while [ "$round" -le "$rounds" ]; do
  for key in $(cut -d' ' -f1 "$work/best"); do
    moved "$key" "-$share" > "$work/down"
    moved "$key" "$share" > "$work/up"
    predict down & predict up
    wait
    for try in down up; do
      new=$(score "$try")
      value=$(awk -v key="$key" '$1 == key { print $2 }' "$work/$try")
      echo "$key $value: $new"
      if awk -v a="$new" -v b="$best" 'BEGIN { exit !(a < b) }'; then
        best=$new
        cp "$work/$try" "$work/chosen"
        cp "$work/$try.csv" "$work/chosen.csv"
      fi
    done
    if [ -e "$work/chosen" ]; then
      mv "$work/chosen" "$work/best"
      mv "$work/chosen.csv" "$work/best.csv"
    fi
  done
  share=$(awk -v share="$share" 'BEGIN { print share / 2 }')
  round=$((round + 1))
done

echo "end $best:"
sed 's/^/  /' "$work/best"
echo "family,size_class,half,rows_count,error_median_ratio,error_p90_ratio,bias_ratio"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  $at["half"] != "all" && $at["size_class"] != "over-peak" {
    printf "%s,%s,%s,%s,%.3f,%.3f,%.3f\n", $at["family"], $at["size_class"], $at["half"],
      $at["rows_count"], $at["error_median_ratio"], $at["error_p90_ratio"], $at["bias_ratio"]
  }' "$work/best.csv"
