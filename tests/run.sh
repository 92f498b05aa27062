#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds everything with warnings as errors, and runs every test.
#
#   tests/run.sh [PRESET] [ctest options]     PRESET: dev (default), release, asan, coverage
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"
preset=dev
case "${1:-}" in
  dev | release | asan | coverage)
    preset=$1
    shift
    ;;
esac
.ci/packages
jobs="$(nproc)"
cmake --preset "$preset"
cmake --build --preset "$preset" -j "$jobs"
ctest --preset "$preset" -j "$jobs" "$@"
