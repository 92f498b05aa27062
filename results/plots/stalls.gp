# SPDX-License-Identifier: Apache-2.0
# Where the time of each step went: one bar per row of a table of `run`, for the matrix engines
# (what='matrix') or the HBM data buses (what='hbm').
#
#   gnuplot -e "csv='run.csv'; out='stalls.svg'; what='matrix'" results/plots/stalls.gp
#
# Colours are those of Okabe and Ito (2008) and two greys; the legend is in the order of the bars.

if (!exists("csv") || !exists("out")) {
  print "usage: gnuplot -e \"csv='run.csv'; out='stalls.svg'\" results/plots/stalls.gp"
  exit status 2
}
if (!exists("what")) what = "matrix"

set datafile separator comma
set datafile missing ""
# Many bars need room for their names.
stats csv using 0 skip 1 nooutput
many = STATS_records > 16
wide = many ? 250 + 18 * STATS_records : 900
high = many ? 640 : 540
if (strlen(out) > 4 && out[strlen(out)-3:] eq ".png") {
  set terminal pngcairo size 4 * wide / 3,4 * high / 3 font "DejaVu Sans,12" background "white"
} else {
  set terminal svg size wide,high font "DejaVu Sans,12" background "white"
}
set output out

if (what eq "matrix") {
  reasons = "busy wait_load wait_matrix wait_vector wait_store wait_sync no_command drain launch"
  set title "Matrix engines: share of the step's time"
} else {
  reasons = "busy idle queue refresh row_miss row_conflict activation turnaround bank_group column"
  set title "HBM data buses: share of the step's time"
}
array colour[10] = ["#0072B2", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#D55E00", "#CC79A7", \
  "#000000", "#bbbbbb", "#777777"]

set style data histograms
set style histogram rowstacked
set style fill solid 1.0 border rgb "#ffffff"
set boxwidth 0.75
set yrange [0:100]
set ylabel "share of the time (%)"
set xtics rotate by (many ? -90 : -35) scale 0 noenhanced font ",10"
set rmargin 24
set ytics nomirror out
set border 3
set grid ytics linecolor "#dddddd"
set key outside right top Left reverse noenhanced spacing 1.2 samplen 1.5 invert

# Tables of machines' own tiles may lack the column.
tiled = strstrt(system("head -n 1 '".csv."'"), "tile_rows_count") > 0
tile_rows(x) = tiled ? column("tile_rows_count") : 0
row_name(m, p, b, t, c, tile) = m.", ".(p eq "decode" ? sprintf("decode B=%d C=%d", b, c) : \
  sprintf("prefill B=%d T=%d", b, t)).(tile > 0 ? sprintf(" tile=%d", tile) : "")
plot for [i = 1:words(reasons)] csv \
  using (100 * column(what."_".word(reasons, i)."_ratio")):xtic(row_name(stringcolumn("machine"), stringcolumn("phase"), \
  column("batch_count"), column("new_tokens_count"), column("context_tokens_count"), tile_rows(0))) \
  linecolor rgb colour[i] title word(reasons, i)
