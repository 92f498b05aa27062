#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes README.md's tables from the committed ones, after results/suites.sh and results/validation.sh
# have remade them.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
tables="$root/results/baseline"

# table FILE "column[:heading[:format]] ..." -> Markdown. No cell of these tables holds a comma.
table() {
  awk -F, -v wanted="$2" '
    NR == 1 {
      for (i = 1; i <= NF; i++) at[$i] = i
      n = split(wanted, columns, " ")
      head = "|"; rule = "|"
      for (c = 1; c <= n; c++) {
        split(columns[c], part, ":")
        name[c] = part[1]; form[c] = part[3]
        if (!(name[c] in at)) { print "no column " name[c] > "/dev/stderr"; exit 1 }
        heading = part[2]; gsub(/_/, " ", heading)
        head = head " " heading " |"; rule = rule (form[c] == "" ? "---|" : "--:|")
      }
      print head; print rule
      next
    }
    {
      line = "|"
      for (c = 1; c <= n; c++) {
        value = $at[name[c]]
        if (form[c] == "us") value = sprintf("%.1f", value / 1000)
        else if (form[c] == "GB") value = sprintf("%.2f", value / 1e9)
        else if (form[c] == "%") value = sprintf("%.1f %%", 100 * value)
        else if (form[c] == "rows") value = value == 0 ? "all" : value
        else if (form[c] != "") value = sprintf("%." form[c] "f", value)
        line = line " " value " |"
      }
      print line
    }' "$1"
}

# replace MARKER FILE: the lines between README.md's <!-- MARKER:begin --> and :end.
replace() {
  awk -v marker="$1" -v file="$2" '
    $0 == "<!-- " marker ":end -->" { hidden = 0 }
    !hidden { print }
    $0 == "<!-- " marker ":begin -->" {
      while ((getline line < file) > 0) print line
      hidden = 1
    }' "$root/README.md" >"$root/README.md.new"
  mv "$root/README.md.new" "$root/README.md"
}

scratch="$(mktemp)"
trap 'rm -f "$scratch"' EXIT
table "$tables/regimes.csv" "phase:step batch_count:batch:0 new_tokens_count:new_tokens:0 tile_rows_count:tile_rows:rows \
weight_flop_per_byte:FLOP/byte,_weights_only:2 flop_per_byte:FLOP/byte,_all_traffic:2 \
hbm_read_bytes:GB_read:GB hbm_write_bytes:GB_written:GB time_ns:time,_us:us roofline_ns:roofline,_us:us \
hbm_bandwidth_ratio:of_peak_bandwidth:% matrix_utilization_ratio:of_peak_FLOP/s:% bound:bound" >"$scratch"
replace headline "$scratch"
table "$tables/kv_policies.csv" "trace:trace kv_policy:cache_memory running_mean_count:running,_mean:1 \
running_max_count:running,_most:0 kv_used_ratio:allocated_slots_in_use:% ttft_mean_ms:TTFT_mean,_ms:1 \
tpot_mean_ms:TPOT_mean,_ms:2 output_tokens_per_s:tokens/s:0" >"$scratch"
replace serve "$scratch"

# Median / 90th percentile of |predicted / measured - 1|, rows: one line per family and size.
awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  $at["half"] == "all" && $at["family"] != "kv_blocks" && $at["size_class"] != "over-peak" {
    key = $at["family"] "," $at["size_class"]
    if (!(key in seen)) { seen[key] = 1; order[++n] = key }
    who = $at["constants"] == "a100" ? "borrowed" : $at["machine"]
    cell[key, who] = sprintf("%.1f / %.1f (%d)", 100 * $at["error_median_ratio"], \
      100 * $at["error_p90_ratio"], $at["rows_count"])
  }
  END {
    print "| kernel | size | a100-80g | h100 | h100 with the constants of a100-80g |"
    print "|---|---|--:|--:|--:|"
    for (i = 1; i <= n; i++) {
      split(order[i], part, ",")
      gsub(/_/, " ", part[1])
      print "| " part[1] " | " part[2] " | " cell[order[i], "a100-80g"] " | " \
        cell[order[i], "h100"] " | " cell[order[i], "borrowed"] " |"
    }
  }' "$tables/validation_summary.csv" >"$scratch"
replace accuracy "$scratch"

# Host speed of the controllers over the oracle's, with refresh: a line per pattern.
awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  $at["metric"] == "oracle_ratio" && split($at["benchmark"], word, " ") == 4 && word[4] == "refresh" {
    if (!(word[2] in seen)) { seen[word[2]] = 1; order[++n] = word[2] }
    ratio[word[2], word[3]] = $at["value"]
  }
  END {
    text["sequential"] = "sequential"; text["paged_4k"] = "pages of 4 KiB, scattered"
    text["random_burst"] = "single bursts, scattered"
    print "| reads | every tick (`oracle`) | `event` | `fast` |"
    print "|---|--:|--:|--:|"
    for (i = 1; i <= n; i++) {
      printf "| %s | 1 | %.0f | %.0f |\n", text[order[i]], ratio[order[i], "event"],
        ratio[order[i], "fast"]
    }
  }' "$tables/bench_ratios.csv" >"$scratch"
replace speed "$scratch"
