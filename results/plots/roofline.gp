# SPDX-License-Identifier: Apache-2.0
# Roofline of a table of `run` (or of a sweep over run): achieved TFLOP/s over FLOP per HBM byte.
#
#   gnuplot -e "csv='run.csv'; out='roofline.svg'" results/plots/roofline.gp
#
# out: *.svg or *.png. Optional: name='text above the picture'. The roof is the machine of the first
# row: its bandwidth is bytes / time / hbm_bandwidth_ratio, its peak rate is ridge x bandwidth.
# Colours are those of Okabe and Ito (2008), which people with any colour vision tell apart; the two
# phases also have different marks.

if (!exists("csv") || !exists("out")) {
  print "usage: gnuplot -e \"csv='run.csv'; out='roofline.svg'\" results/plots/roofline.gp"
  exit status 2
}
if (!exists("name")) name = "Roofline"

set datafile separator comma
set datafile missing ""
if (strlen(out) > 4 && out[strlen(out)-3:] eq ".png") {
  set terminal pngcairo size 1120,720 font "DejaVu Sans,13" linewidth 1.5 background "white"
} else {
  set terminal svg size 840,540 font "DejaVu Sans,13" linewidth 1.3 background "white"
}
set output out

# Gigabytes per second and TFLOP/s of the first row with a result.
bandwidth = NaN
peak = NaN
bw(read, write, time, ratio) = (read + write) / time / ratio
take(b, ridge) = (bandwidth != bandwidth && b == b) ? (bandwidth = b, peak = ridge * b / 1000, b) : b
set table $unused
plot csv using (column("time_ns")):(take(bw(column("hbm_read_bytes"), column("hbm_write_bytes"), \
  column("time_ns"), column("hbm_bandwidth_ratio")), column("ridge_flop_per_byte"))) with table
unset table
if (bandwidth != bandwidth) {
  print "no finished row in ".csv
  exit status 2
}
ridge = 1000 * peak / bandwidth
roof(x) = x * bandwidth / 1000 < peak ? x * bandwidth / 1000 : peak

tflops(flops, time) = flops / time / 1000
is_phase(p) = stringcolumn("status") eq "ok" && stringcolumn("phase") eq p

stats csv using (column("flop_per_byte")) name "X" nooutput
stats csv using (tflops(column("flops"), column("time_ns"))) name "Y" nooutput
low(v) = 2 ** floor(log(v) / log(2) - 0.5)
high(v) = 2 ** ceil(log(v) / log(2) + 0.5)
xlow = low(X_min < ridge ? X_min : ridge / 8)
xhigh = high(X_max > 4 * ridge ? X_max : 4 * ridge)
set xrange [xlow : xhigh]
set yrange [low(Y_min < roof(xlow) ? Y_min : roof(xlow)) : peak * 2.5]
set logscale x 2
set logscale y 10
set xlabel "arithmetic intensity (FLOP per byte at the HBM pins)"
set ylabel "achieved matrix rate (TFLOP/s)"
set title name
set key bottom right Left reverse spacing 1.3 samplen 2
set grid xtics ytics linecolor "#dddddd" linewidth 0.7
set border 3
set tics nomirror out
set format y "%g"
set samples 400

set label 1 sprintf("peak %.0f TFLOP/s", peak) at xhigh, peak right offset -0.5,0.7 textcolor "#444444"
set label 2 sprintf("%.2f TB/s", bandwidth / 1000) at ridge / 5.5, roof(ridge / 5.5) right \
  offset -1.0,0.5 textcolor "#444444"
set arrow 1 from ridge, graph 0.22 to ridge, peak nohead dashtype 3 linecolor "#888888"
set label 3 sprintf("ridge %.0f FLOP/byte", ridge) at ridge, peak right offset -1.0,0.7 \
  textcolor "#444444"

# Few points get a name: the batch of a decode step, the new tokens of a prefill step. Slanted, they
# keep clear of each other; smaller tiles of a prompt lie where shorter prompts do and get none.
few = X_records <= 16
tiled = strstrt(system("head -n 1 '".csv."'"), "tile_rows_count") > 0
own_tiles(x) = tiled ? column("tile_rows_count") == 0 : 1
point_name(p) = !few || !own_tiles(0) ? "" : p eq "decode" ? sprintf("B=%d", int(column("batch_count"))) : \
  sprintf("T=%d", int(column("batch_count") * column("new_tokens_count")))
x_of(p) = is_phase(p) ? column("flop_per_byte") : NaN
rate(unused) = tflops(column("flops"), column("time_ns"))
plot roof(x) with lines linewidth 2 linecolor "#000000" title "roof of the machine", \
  csv using (x_of("prefill")):(rate(0)) with points pointtype 9 pointsize 1.4 \
    linecolor "#D55E00" title "prefill", \
  csv using (x_of("decode")):(rate(0)) with points pointtype 7 pointsize 1.2 \
    linecolor "#0072B2" title "decode", \
  csv using (x_of("prefill")):(rate(0)):(point_name("prefill")) with labels left rotate by -45 \
    offset 0.4,-0.6 font ",10" textcolor "#7a3600" notitle, \
  csv using (x_of("decode")):(rate(0)):(point_name("decode")) with labels left rotate by -45 \
    offset 0.4,-0.6 font ",10" textcolor "#00456c" notitle
