# SPDX-License-Identifier: Apache-2.0
# Predicted over measured times of a table of `validate`: a mark for each family, the diagonal and
# 10 % on either side.
#
#   gnuplot -e "csv='validation.csv'; out='validation.svg'" results/plots/validation.gp
#
# Colours are those of Okabe and Ito (2008); each family also has a mark of its own.

if (!exists("csv") || !exists("out")) {
  print "usage: gnuplot -e \"csv='validation.csv'; out='validation.svg'\" results/plots/validation.gp"
  exit status 2
}

set datafile separator comma
set datafile missing ""
if (strlen(out) > 4 && out[strlen(out)-3:] eq ".png") {
  set terminal pngcairo size 1000,900 font "DejaVu Sans,13" linewidth 1.4 background "white"
} else {
  set terminal svg size 760,680 font "DejaVu Sans,13" linewidth 1.2 background "white"
}
set output out

array family[4] = ["gemm", "linear_layer", "decode_attention", "prefill_attention"]
array colour[4] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]
array mark[4] = [6, 4, 8, 10]
y(name) = stringcolumn("family") eq name ? column("predicted_us") : NaN

stats csv using (column("measured_us")) nooutput
if (STATS_records < 1) {
  print "no row in ".csv
  exit status 2
}
low = STATS_min / 2
high = STATS_max * 2
set logscale xy
set xrange [low:high]
set yrange [low:high]
set title "Simulated and measured times of kernels"
set xlabel "measured (us)"
set ylabel "predicted (us)"
set key top left
set grid lc rgb "#dddddd"
set samples 200
plot x with lines lc rgb "black" title "equal", \
  1.1 * x with lines dt 2 lc rgb "#777777" title "10 % more or less", \
  x / 1.1 with lines dt 2 lc rgb "#777777" notitle, \
  for [i = 1:4] csv using (column("measured_us")):(y(family[i])) with points pt mark[i] \
    lc rgb colour[i] title system("echo ".family[i]." | tr _ ' '")
