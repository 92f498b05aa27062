#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A sweep as a Slurm job array: each element runs one shard, and the last job of the chain merges.
#
#   results/recipes/slurm_array.sh SHARDS FOLDER [sbatch options] -- SWEEP ARGUMENTS
#   results/recipes/slurm_array.sh 16 /shared/out --partition=cpu -- workloads/suites/regimes.ini
#
# FOLDER must be visible to every node; the merged table becomes FOLDER/merged.csv. A shard that is
# killed, runs out of time or is requeued goes on where it stopped: give the same command again, or
# let Slurm requeue it. RIDGEPOINT names the program (default: the one on the PATH).
set -euo pipefail

program="${RIDGEPOINT:-ridgepoint}"

# The same file is the job's script: Slurm copies it, so it must not look for files beside itself.
if [ "${1:-}" = --shard-of ]; then
  shards=$2 folder=$3
  shift 3
  csv="$folder/shard_$SLURM_ARRAY_TASK_ID.csv"
  exec "$program" sweep "$@" --shard "$SLURM_ARRAY_TASK_ID/$shards" --csv "$csv" --resume
fi
if [ "${1:-}" = --merge-of ]; then
  shards=$2 folder=$3
  files=()
  for ((i = 1; i <= shards; i++)); do files+=("$folder/shard_$i.csv"); done
  exec "$program" merge "${files[@]}" --csv "$folder/merged.csv"
fi

[ $# -ge 3 ] || { sed -n '3,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
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
export RIDGEPOINT="$program"
array="$(sbatch --parsable "${options[@]}" --job-name=ridgepoint --requeue \
  --open-mode=append --array="1-$shards" --output="$folder/shard_%a.log" \
  "$0" --shard-of "$shards" "$folder" "$@")"
merge="$(sbatch --parsable "${options[@]}" --job-name=ridgepoint-merge \
  --dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes --output="$folder/merge.log" \
  "$0" --merge-of "$shards" "$folder")"
echo "array job ${array%%;*}, merge job ${merge%%;*}; the table becomes $folder/merged.csv"
