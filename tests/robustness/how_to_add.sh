#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Follows one recipe of CONTRIBUTING.md: makes the new file and the lines it asks for in a copy of
# the files it touches, builds these alone, links them in front of the built libraries, and leaves
# ./ridgepoint in the current folder. Nothing else is compiled again: that is the recipe's promise.
#
#   how_to_add.sh standard|kernel|scheduler|option BUILD_FOLDER
set -euo pipefail
recipe=$1 build=$2
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
mkdir -p copy

# touch FILE: the copy of a file that the recipe changes.
touch_file() { mkdir -p "copy/$(dirname "$1")" && cp "$root/$1" "copy/$1"; }
# line FILE AFTER TEXT: adds a line behind the first one that holds AFTER.
line() {
  grep -qF "$2" "copy/$1" || { echo "$1 no longer holds '$2'" >&2; exit 1; }
  awk -v after="$2" -v text="$3" \
    '{ print } !done && index($0, after) { print text; done = 1 }' "copy/$1" >new && mv new "copy/$1"
}

case "$recipe" in
  standard)
    touch_file sim/dram/standards/list.hpp
    line sim/dram/standards/list.hpp 'hbm3e();' 'const Standard& hbm3x();'
    touch_file sim/dram/standards/list.cpp
    line sim/dram/standards/list.cpp 'kAll{' '      &standards::hbm3x(),'
    sed -e 's/hbm3e()/hbm3x()/; s/"HBM3E"/"HBM3X"/; s/= 9\.8;/= 12;/' \
      "$root/sim/dram/standards/hbm3e.cpp" >copy/sim/dram/standards/hbm3x.cpp
    ;;
  scheduler)
    touch_file workloads/serving/scheduler_kinds.hpp
    line workloads/serving/scheduler_kinds.hpp 'v1_scheduler();' 'SchedulerKind mine_scheduler();'
    touch_file workloads/serving/schedulers.cpp
    line workloads/serving/schedulers.cpp 'kinds{' '      mine_scheduler(),'
    sed -e 's/V1Scheduler/MyScheduler/; s/v1_scheduler/mine_scheduler/; s/"v1"/"mine"/' \
      "$root/workloads/serving/scheduler_v1.cpp" >copy/workloads/serving/scheduler_mine.cpp
    touch_file sim/config/options_serve.cpp
    sed -i 's/"v1|v0/"mine|v1|v0/' copy/sim/config/options_serve.cpp
    sed -i 's/V1Scheduler/MyScheduler/g' copy/workloads/serving/scheduler_mine.cpp
    ;;
  option)
    touch_file sim/config/options_run.cpp
    line sim/config/options_run.cpp 'kRows[] = {' \
      '      {.key = "run.note", .flag = "note", .help = "a word of one'\''s own", .column = "note"},'
    touch_file results/columns_run.cpp
    line results/columns_run.cpp '{"time_ns"' \
      '      {"note", kText, "what --note said"}, {"time_us", kReal, "time_ns / 1000"},'
    touch_file sim/cli/step_report.cpp
    sed -i 's|row.set("time_ns", f.time_ns)|row.set("time_us", f.time_ns / 1000).set("time_ns", f.time_ns)|' \
      copy/sim/cli/step_report.cpp
    sed -e 's/^name = .*/name = mine/' "$root/sim/config/machines/tpu-v5e.ini" >mine.ini
    ;;
  kernel)
    touch_file workloads/step/step_builder.cpp
    line workloads/step/step_builder.cpp '#include "kernels/embedding' '#include "kernels/copy/copy.hpp"'
    line workloads/step/step_builder.cpp '      "embedding"));' '  add(kernels::copy(shape_, x_, "copy"));'
    mkdir -p copy/kernels/copy
    cat >copy/kernels/copy/copy.hpp <<'CODE'
// x onto itself, [rows, d]: a kernel that only moves. FLOPs 0, bytes 2 * rows * row bytes.
#pragma once
#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"
namespace ridgepoint::kernels {
isa::Kernel copy(const isa::CoreShape& shape, const Tensor& x, const std::string& name);
}
CODE
    cat >copy/kernels/copy/tiles.cpp <<'CODE'
#include <algorithm>

#include "kernels/copy/copy.hpp"
#include "kernels/rowwise.hpp"
namespace ridgepoint::kernels {
isa::Kernel copy(const isa::CoreShape& shape, const Tensor& x, const std::string& name) {
  Rowwise spec;
  spec.rows = x.rows;
  spec.cols = spec.out_cols = x.cols;
  spec.out_dtype = x.dtype;
  spec.inputs.push_back(
      {x.cols, x.dtype, [x](const Block& b) { return x.block(b.r0, b.rows, 0, x.cols); }});
  spec.stores = [x](const Block& b, std::vector<RowStore>& out) {
    out.push_back({x.block(b.r0, b.rows, 0, x.cols), 0});
  };
  spec.compute = [d = x.cols](const Block& b, const std::vector<isa::Tile>& in,
                              const std::vector<isa::Tile>&, const isa::Tile& out) {
    for (std::int64_t r = 0; r < b.rows; ++r) {
      std::copy_n(in[0].values + r * in[0].cols, d, out.values + r * out.cols);
    }
  };
  return rowwise(shape, spec, name, "copy", "copy rows=" + std::to_string(x.rows));
}
}
CODE
    ;;
  *) echo "no recipe '$recipe'" >&2; exit 2 ;;
esac

objects=()
while read -r source; do
  object="object_${#objects[@]}.o"
  "${CXX:-c++}" ${CXXFLAGS:-} -std=c++20 -ffp-contract=off -DCSV_IO_NO_THREAD -Icopy "-I$root" \
    $(pkg-config --cflags systemc) -c "$source" -o "$object"
  objects+=("$object")
done < <(find copy -name '*.cpp' | sort)
objects+=("$build/sim/cli/CMakeFiles/ridgepoint.dir/program/main.cpp.o")
libraries="$(find "$build" -name 'libridgepoint_*.a' ! -name '*bench*' | sort)"
"${CXX:-c++}" ${CXXFLAGS:-} "${objects[@]}" -Wl,--start-group $libraries -Wl,--end-group \
  $(pkg-config --libs systemc) -lboost_program_options -lpthread -o ridgepoint
