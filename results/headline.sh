#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job from nothing: installs what is missing, builds, and shows on built-in inputs
#   1. text generated on the simulated machine with and without the KV cache,
#   2. the two regimes, counted at the HBM pins, with a roofline picture,
#   3. how many requests fit beside the weights, and what a trace does to that.
#
#   results/headline.sh [OUT]        tables (CSV) and pictures (SVG, PNG) go to OUT (default: out/)
#
# Real files take the place of the built-in inputs where these are set:
#   WEIGHTS (llama2.c .bin, .safetensors, .gguf)  TOKENIZER (llama2.c)  PROMPT  TRACE (any format)
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
mkdir -p "${1:-$root/out}"
out="$(cd "${1:-$root/out}" && pwd)"
cd "$root"

.ci/packages
cmake --preset release >"$out/build.log"
cmake --build --preset release -j "$(nproc)" --target ridgepoint >>"$out/build.log" ||
  { tail -n 30 "$out/build.log" >&2; exit 1; }
ridgepoint="$root/build/release/ridgepoint"

title() { printf '\n== %s\n' "$1"; }

title "Text on the simulated machine, with and without the KV cache"
text=(generate --steps 10)
if [ -n "${WEIGHTS:-}" ]; then
  text+=(--weights "$WEIGHTS" --prompt "${PROMPT:-Once upon a time}" --steps 64)
  [ -z "${TOKENIZER:-}" ] || text+=(--tokenizer "$TOKENIZER")
else
  text+=(--prompt-tokens 1,4,5,6,7,8)
fi
"$ridgepoint" "${text[@]}" --csv "$out/text_cache.csv"
"$ridgepoint" "${text[@]}" --no-cache --csv "$out/text_no_cache.csv"
"$ridgepoint" merge "$out/text_cache.csv" "$out/text_no_cache.csv" --csv "$out/text.csv"
rm "$out/text_cache.csv" "$out/text_no_cache.csv"

title "The two regimes of llama-2-7b at 16 bit: one decode step, one prefill of 512 tokens"
"$ridgepoint" run --phase decode --context 512 --csv "$out/decode.csv" \
  --kernels-csv "$out/decode_kernels.csv"
"$ridgepoint" run --phase prefill --tokens 512 --csv "$out/prefill.csv" \
  --kernels-csv "$out/prefill_kernels.csv"
rm "$out/decode.csv" "$out/prefill.csv"
"$ridgepoint" sweep --csv "$out/regimes.csv" --jobs "$(nproc)" --quiet --vary \
  "phase+batch+tokens+context=decode+1+1+512,decode+16+1+512,prefill+1+64+0,prefill+1+512+0"
for format in svg png; do
  gnuplot -e "csv='$out/regimes.csv'; out='$out/roofline.$format'; name='llama-2-7b on teaching-80g'" \
    results/plots/roofline.gp
done
gnuplot -e "csv='$out/regimes.csv'; out='$out/stalls.svg'; what='matrix'" results/plots/stalls.gp

title "What fits beside the weights: 80 GiB, requests of 8,192 tokens, 32 against 8 KV heads"
"$ridgepoint" plan --model llama-2-7b --context 8192 --csv "$out/plan_mha.csv"
"$ridgepoint" plan --model llama-2-7b-gqa8 --context 8192 --csv "$out/plan_gqa.csv"
"$ridgepoint" merge "$out/plan_mha.csv" "$out/plan_gqa.csv" --csv "$out/plan.csv"
rm "$out/plan_mha.csv" "$out/plan_gqa.csv"

title "What cache memory does to a trace: paged blocks against reserving the longest request"
if [ -n "${TRACE:-}" ]; then
  trace=(--trace "$TRACE" --take-requests 400)
else
  trace=(--rate 200)
fi
for policy in paged max-length; do
  echo "-- $policy"
  "$ridgepoint" serve --model smollm2-135m --machine.memory_gib 1 --overhead-gib 0.1 \
    --max-batch-tokens 512 --kv-policy "$policy" "${trace[@]}" --story --csv "$out/serve_$policy.csv"
done
"$ridgepoint" merge "$out/serve_paged.csv" "$out/serve_max-length.csv" --csv "$out/serve.csv"
rm "$out/serve_paged.csv" "$out/serve_max-length.csv"

title "Written to $out"
ls "$out"
