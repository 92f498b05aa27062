# SPDX-License-Identifier: Apache-2.0
# Requests that fit beside the weights, over the tokens each holds: a line for each model and cache
# format of a table of `plan`.
#
#   gnuplot -e "csv='plan.csv'; out='capacity.svg'" results/plots/capacity.gp
#
# Colours are those of Okabe and Ito (2008); each line also has a mark of its own.

if (!exists("csv") || !exists("out")) {
  print "usage: gnuplot -e \"csv='plan.csv'; out='capacity.svg'\" results/plots/capacity.gp"
  exit status 2
}

set datafile separator comma
set datafile missing ""
if (strlen(out) > 4 && out[strlen(out)-3:] eq ".png") {
  set terminal pngcairo size 1200,720 font "DejaVu Sans,13" linewidth 1.4 background "white"
} else {
  set terminal svg size 900,540 font "DejaVu Sans,13" linewidth 1.2 background "white"
}
set output out

# The different lines, in the order of the file. Bars cannot stand in these names.
names = "|"
line_name(x) = stringcolumn("model").", ".stringcolumn("kv_dtype")
remember(n) = (strstrt(names, "|".n."|") == 0) ? (names = names.n."|", 1) : 0
set table $unused
plot csv using (column("context_tokens_count")): \
  (column("max_requests_count") > 0 ? remember(line_name(0)) : 0) with table
unset table
count = 0
do for [i = 1:strlen(names)] { if (names[i:i] eq "|") { count = count + 1 } }
count = count - 1
if (count < 1) {
  print "no request fits in any row of ".csv
  exit status 2
}
# The i-th piece between bars.
piece(i) = part(names[2:], i)
part(s, i) = i == 1 ? s[1:strstrt(s, "|") - 1] : part(s[strstrt(s, "|") + 1:], i - 1)

array colour[8] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", \
  "#777777"]
set title "Requests that fit beside the weights"
set xlabel "length of a request (tokens)"
set ylabel "at the same time (requests)"
set logscale x 2
set logscale y 10
set grid linecolor "#dddddd"
set border 3
set tics nomirror out
set key outside right top Left reverse noenhanced spacing 1.2
plot for [i = 1:count] csv using (column("context_tokens_count")): \
  (line_name(0) eq piece(i) && column("max_requests_count") > 0 ? column("max_requests_count") : NaN) \
  with linespoints linecolor rgb colour[(i - 1) % 8 + 1] pointtype 4 + i % 10 title piece(i)
