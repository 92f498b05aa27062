#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What each way of giving out cache memory makes of the two Azure traces of 2023: the share of the
# memory given to requests that holds cache, and, when all requests are there at once, how many run.
#
#   results/policies.sh RIDGEPOINT TRACES [OUT]      OUT: results/baseline/azure_policies.csv
#
# The pool is that of llama-2-7b on an 80 GB card (7,449 blocks of 16 tokens). Shares do not depend
# on step times, so that a small model with enough context stands in for it.
set -eu
if [ $# -lt 2 ]; then
  echo "usage: $0 RIDGEPOINT TRACES [OUT]" >&2
  exit 2
fi
program=$1 traces=$2
here=$(cd "$(dirname "$0")" && pwd)
out=${3:-$here/baseline/azure_policies.csv}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

serve() {  # table, time scale, policies (policy+reserve+block+blocks)
  "$program" sweep --of serve --quiet --csv "$scratch/$1" --model qwen2.5-0.5b --grid-checks 0 \
    --max-model-len 16384 --max-batch-tokens 8192 --time-scale "$2" --step-cache "$scratch/times" \
    --vary "trace=$traces/AzureLLMInferenceTrace_conv.csv,$traces/AzureLLMInferenceTrace_code.csv" \
    --vary "kv_policy+reserve_tokens+block_tokens+kv_blocks=$3"
}
serve arriving.csv 1 "max-length+4096+16+7449,max-length+8192+16+7449,pow2+4096+16+7449,\
oracle+4096+16+7449,paged+4096+16+7449,paged+4096+128+932"
serve waiting.csv 1e-6 "paged+4096+16+7449,max-length+4096+16+7449"

for table in arriving waiting; do
  awk -F, -v OFS=, -v table="$table" '
    NR == 1 {
      for (i = 1; i <= NF; i++) at[$i] = i
      if (table == "arriving")
        print "trace,requests,kv_policy,reserve_tokens_count,block_tokens_count," \
          "completed_count,rejected_count,kv_used_ratio,running_full_mean_count,status"
      next
    }
    {
      name = $at["trace"]
      sub(/.*_/, "azure-", name)
      sub(/\.csv$/, "", name)
      policy = $at["kv_policy"]
      print name, (table == "arriving" ? "as they arrive" : "all at once"), policy,
        (policy == "max-length" ? $at["reserve_tokens_count"] : ""), $at["block_tokens_count"],
        $at["completed_count"], $at["rejected_count"],
        (table == "arriving" ? sprintf("%.4f", $at["kv_used_ratio"]) : ""),
        (table == "waiting" ? sprintf("%.1f", $at["running_full_mean_count"]) : ""), $at["status"]
    }' "$scratch/$table.csv"
done >"$scratch/table.csv"
mv "$scratch/table.csv" "$out"
