#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fits the constants that a machine's file marks `calibrated`: coordinate search on the even half of
# the measured shapes; the odd half is first simulated when the search has ended. One constant after
# the other is moved up and down by a share of itself; what lowers the score stays, and is moved on
# the same way; the share is halved every round. The score of a family and size is how far median
# and 90th percentile of |error| lie above their bars, plus a tenth of both over their bars; the
# mean is by rows. Small and cached sizes are left out. Nothing is written into the machine's file:
# the constants found are printed, with the errors of both halves.
#
#   results/calibrate.sh RIDGEPOINT MEASURED_DIR MACHINE [EVERY [MOST_GB [ROUNDS [SHARE [JOBS]]]]]
#
# EVERY (2): one even shape of so many, and in the end one pair of shapes; MOST_GB (0.3): leaves out
# longer simulations; ROUNDS (2); SHARE (0.05) of the first round; JOBS (2) predictions at a time.
# A round is about fifteen predictions of half a minute.
set -eu
if [ $# -lt 3 ]; then
  echo "usage: $0 RIDGEPOINT MEASURED_DIR MACHINE [EVERY [MOST_GB [ROUNDS [SHARE [JOBS]]]]]" >&2
  exit 2
fi
program=$1 measured=$2 machine=$3 every=${4:-2} most=${5:-0.3} rounds=${6:-2} share=${7:-0.05}
jobs=${8:-2}
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

# The rows that count, by half, as `validate` numbers shapes: in the order a file first has them.
keep() {  # FAMILY SHAPE_COLUMNS CONDITION
  for half in even odd; do
    mkdir -p "$work/$half"
    awk -F, -v every="$every" -v half="$half" '
      NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
      { shape = '"$2"' }
      !(shape in number) { number[shape] = shapes++ }
      number[shape] % 2 == (half == "odd") && int(number[shape] / 2) % every == 0 && ('"$3"')' \
      "$measured/$1.csv" > "$work/$half/$1.csv"
  done
}
heads='$at["batch"] " " $at["q_heads"] " " $at["kv_heads"] " " $at["head_dim"]'
keep gemm '$at["m"] " " $at["n"] " " $at["k"]' '$at["n"] * $at["k"] > 26214400'
keep linear_layer '$at["model"] " " $at["tokens"]' 1
keep decode_attention "$heads"' " " $at["kv_tokens"]' \
  '$at["kv_tokens"] >= 1000 && $at["batch"] >= 8'
keep prefill_attention "$heads"' " " $at["prompt_tokens"]' '$at["prompt_tokens"] >= 1000'

predict() {  # constants HALF -> NAME.csv, the summary
  flags=$(awk '{ printf "--%s %s ", $1, $2 }' "$work/$1")
  # shellcheck disable=SC2086
  "$program" validate --measured "$work/$2" --machine "$machine" --most_gb "$most" --quiet \
    --csv /dev/null --summary_csv "$work/$1.csv" $flags
}
score() {  # of a summary
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    function over(ratio) { return (ratio > 1 ? ratio - 1 : 0) + 0.1 * ratio }
    $at["half"] == "all" && $at["size_class"] ~ /^(long|m<=64|m>64)$/ {
      family = $at["family"]
      median = family == "decode_attention" ? 0.03 : family == "prefill_attention" ? 0.06 : 0.04
      p90 = family == "prefill_attention" ? 0.15 : 0.10
      sum += $at["rows_count"] * \
        (over($at["error_median_ratio"] / median) + over($at["error_p90_ratio"] / p90))
      rows += $at["rows_count"]
    }
    END { if (!rows) exit 1; printf "%.5f\n", sum / rows }' "$work/$1.csv"
}
moved() {  # KEY SHARE -> the best constants with one of them changed; counts stay whole
  awk -v key="$1" -v share="$2" '$1 == key {
    $2 *= 1 + share
    if (key ~ /_(ns|bytes)$/) $2 = int($2 + 0.5)
    if (key ~ /_ratio$/ && $2 > 1) $2 = 1
  } { print $1, $2 }' "$work/best"
}
judge() {  # KEY NAME -> whether it is the best so far, which it then becomes
  new=$(score "$2")
  echo "$1 $(awk -v key="$1" '$1 == key { print $2 }' "$work/$2"): $new"
  awk -v a="$new" -v b="$best" 'BEGIN { exit !(a < b) }' || return 1
  best=$new
  cp "$work/$2" "$work/chosen"
}

predict best even
best=$(score best)
echo "start $best: $(tr '\n' ' ' < "$work/best")"
round=1
while [ "$round" -le "$rounds" ]; do
  for key in $(cut -d' ' -f1 "$work/best"); do
    moved "$key" "-$share" > "$work/down"
    moved "$key" "$share" > "$work/up"
    predict down even &
    [ "$jobs" -gt 1 ] || wait
    predict up even
    wait
    way=
    if judge "$key" down; then way=-$share; fi
    if judge "$key" up; then way=$share; fi
    while [ -n "$way" ]; do
      mv "$work/chosen" "$work/best"
      moved "$key" "$way" > "$work/further"
      predict further even
      judge "$key" further || way=
    done
  done
  share=$(awk -v share="$share" 'BEGIN { print share / 2 }')
  round=$((round + 1))
done

echo "end $best:"
sed 's/^/  /' "$work/best"
echo "half,family,size_class,rows_count,error_median_ratio,error_p90_ratio,bias_ratio"
for half in even odd; do
  predict best "$half"
  awk -F, -v half="$half" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["half"] == "all" && $at["size_class"] != "over-peak" {
      printf "%s,%s,%s,%s,%.3f,%.3f,%.3f\n", half, $at["family"], $at["size_class"],
        $at["rows_count"], $at["error_median_ratio"], $at["error_p90_ratio"], $at["bias_ratio"]
    }' "$work/best.csv"
done
