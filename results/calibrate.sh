#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tries values of one machine option against measured kernels: predicts every case for each value
# given and prints the median |error| of both halves side by side. Choose by the even half only; the
# odd half then says how well the choice holds. It scans, it does not fit.
#
#   results/calibrate.sh ridgepoint MEASURED_DIR MACHINE OPTION VALUE... -- [validate options]
#
# For example, on one in seven cases of decode attention:
#   results/calibrate.sh ridgepoint measured a100-80g fabric.channel_gb_per_s 20 21 22 \
#     -- --family decode_attention --every 7
set -eu
if [ $# -lt 5 ]; then
  echo "usage: $0 RIDGEPOINT MEASURED_DIR MACHINE OPTION VALUE... [-- OPTIONS]" >&2
  exit 2
fi
program=$1 measured=$2 machine=$3 option=$4
shift 4
values=
while [ $# -gt 0 ]; do
  case $1 in
    --) shift; break ;;
    *) values="$values $1"; shift ;;
  esac
done
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
echo "$option,family,size_class,half,rows_count,error_median_ratio,error_p90_ratio,bias_ratio"
for value in $values; do
  "$program" validate --measured "$measured" --machine "$machine" "--$option" "$value" --quiet \
    --csv /dev/null --summary_csv "$summary" "$@"
  awk -F, -v value="$value" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["size_class"] != "over-peak" {
      print value "," $at["family"] "," $at["size_class"] "," $at["half"] "," $at["rows_count"] \
        "," $at["error_median_ratio"] "," $at["error_p90_ratio"] "," $at["bias_ratio"]
    }' "$summary"
done
