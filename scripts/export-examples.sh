#!/usr/bin/env bash
# Exports all examples for a GPU, with arguments by which a large one is busy for 50 microseconds and
# more: a folder in DIR for each kernel. "sh run.sh" in each measures it where a GPU and nvcc are.
#
#   scripts/export-examples.sh DIR
set -euo pipefail
[ $# = 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
go build -o "$dir/smux" ./cmd/smux

while read -r program kernel arguments; do
  name=$(basename "$program")
  flags=()
  if [ "$kernel" != - ]; then
    name=$name.$kernel
    flags=(--kernel "$kernel")
  fi
  echo "== $name" >&2
  rm -rf "${dir:?}/$name"
  # shellcheck disable=SC2086 # words
  "$dir/smux" tune --no-config --export "$dir/$name" "${flags[@]}" "examples/$program/$(basename "$program").cu" -- $arguments >&2
done << 'PROGRAMS'
cv - 64 192
fft - 10000
hg countBytes 8448 3
mc - 8448 3
mm - 96 96 8
mv - 12672 5
rd - 30000 16
sp - 6336 2
sto - 5148 2
tp - 192 160
footprint/scan - 6600
footprint/select - 6600
footprint/sort - 10560
footprint/stencil - 6600
footprint/turn - 64 96
stage/closest - 270336 1024
stage/convolution - 4096 2048
stage/jacobi1 - 33554432
stage/jacobi2 - 8192 4096
stage/jacobi3 - 512 512 128
stage/kmeans - 540672 64
stage/layer - 1024 67584
stage/lookup checksum 270336 128
stage/lookup substitute 270336 128
stage/lu - 2048 128
stage/matvec - 67584 512
stage/nbody - 16896
stage/needle - 8448 127
stage/product - 2048 256 2048
stage/smooth3 - 512 256 128
stage/transpose columns 8192 2048
stage/transpose rows 8192 2048
stage/transpose squares 8192 2048
registers/box - 1056 41
registers/eri - 528 64
registers/flux - 4224
registers/gauss - 1056 64
registers/knn - 1056 256
registers/match - 64 33
registers/nlm - 64 33
PROGRAMS
