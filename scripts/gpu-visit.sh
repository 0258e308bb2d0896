#!/usr/bin/env bash
# One visit to a machine with a GPU and nvcc: answers questions about the device, checks all forms of all examples on two
# sizes, and measures them on the larger one. A call goes on from where the last one was ended.
#
#   scripts/gpu-visit.sh [--on gpu|cpu] [--limit SECONDS] [--smux FILE] DIR [STEP…] [-- FLAGS…]
#   scripts/gpu-visit.sh --page DIR > docs/evidence/GPU.md      anywhere
#
# DIR takes records and logs, less than 60 MB. STEPs are questions, constants and names of examples; none means all.
# FLAGS go to smux tune. smux is built where there is Go, or else is FILE or build/smux, built before and brought along.
# --on cpu tries it out: the CPU engine takes the place of the device, and of the examples only their default sizes run.
set -uo pipefail
usage() {
  sed -n '5,6s/^# *//p' "$0" >&2
  exit 2
}
on=gpu limit=480 smux='' page='' dir='' steps=() flags=()
while [ $# -gt 0 ]; do
  case $1 in
  --on) on=${2-} && shift ;;
  --limit) limit=${2-} && shift ;;
  --smux) smux=${2-} && shift ;;
  --page) page=1 ;;
  --) shift && flags=("$@") && break ;;
  -*) usage ;;
  *) if [ -z "$dir" ]; then dir=$1; else steps+=("$1"); fi ;;
  esac
  shift
done
case $on,$limit in
*, | *,*[!0-9]*) usage ;;
gpu,* | cpu,*) ;;
*) usage ;;
esac
[ -n "$dir" ] || usage
[ -n "$page" ] || mkdir -p "$dir/check" "$dir/measure" || exit 1
dir=$(cd "$dir" && pwd) || exit 1
case $smux in '' | /*) ;; *) smux=$PWD/$smux ;; esac
cd "$(dirname "$0")/.." || exit 1
if [ -z "$smux" ]; then
  smux=$PWD/build/smux
  ! command -v go >/dev/null || go build -o "$smux" ./cmd/smux || exit 1
fi
[ -x "$smux" ] || { echo "there is neither Go nor $smux: build it where there is Go, and bring it along" >&2 && exit 1; }

rules=(--min-pairs 3 --max-pairs 6 --confirm 9)
# Program, kernel, and the arguments by which a large GPU is busy for 50 microseconds and more.
programs='cv - 64 192
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
registers/nlm - 64 33'
name() { # PROGRAM KERNEL
  local name=${1##*/}
  [ "$2" = - ] || name=$name.$2
  echo "$name"
}

known=' questions constants '
while read -r program kernel _; do
  known+="$(name "$program" "$kernel") ${program##*/} "
done <<<"$programs"
for step in "${steps[@]}"; do
  [[ $known == *" $step "* ]] || { echo "there is no step $step; there are$known" >&2 && exit 2; }
done

# count RECORD: how many forms have equal outputs, how many there are, and how each other one failed.
count() {
  awk '{ match($0, /"key":"[^"]*"/); key = substr($0, RSTART, RLENGTH) }
    /"variant":[{]/ { forms[key] }
    /"pair":[{]/ { paired[key] }
    match($0, /"failure":[{]"kind":"[a-z]*"/) { failed[key] = substr($0, RSTART + 19, RLENGTH - 20) }
    END {
      for (key in forms) { n++; if (key in failed) kinds[failed[key]]++; else if (key in paired) equal++ }
      printf "%d of %d forms equal", equal, n
      for (kind in kinds) printf ", %d %s", kinds[kind], kind
    }' "$@" 2>/dev/null || echo none
}

if [ -n "$page" ]; then
  [ -e "$dir/machine" ] || { echo "$dir holds no visit" >&2 && exit 1; }
  echo "# $(sed -n 's/^device //p' "$dir/machine")"
  # shellcheck disable=SC2016 # Markdown
  printf '\nMade of one visit by `scripts/gpu-visit.sh`: %s. Records and logs of it are not kept here. [tune.md](../tune.md) explains the columns.\n' \
    "$(sed '/^device /d' "$dir/machine" | paste -sd ',' | sed 's/,/, /g')"
  printf '\n## Do the forms compute the same?\n\n| kernel | default size | large |\n|---|---|---|\n'
  stores=()
  while read -r program kernel _; do
    n=$(name "$program" "$kernel")
    [ -e "$dir/check/$n.jsonl" ] || [ -e "$dir/measure/$n.jsonl" ] || continue
    echo "| $n | $(count "$dir/check/$n.jsonl") | $(count "$dir/measure/$n.jsonl") |"
    [ ! -s "$dir/measure/$n.jsonl" ] || stores+=("$dir/measure/$n.jsonl")
  done <<<"$programs"
  printf '\n## What was measured\n'
  for store in "${stores[@]}"; do
    printf '\n### %s\n\n```\n' "$(basename "$store" .jsonl)"
    "$smux" tune --no-config --replay "$store" "${rules[@]}" 2>&1 || exit 1
    printf '```\n'
  done
  if [ ${#stores[@]} -gt 0 ]; then
    printf '\n## How well the model predicted it\n\n```\n'
    "$smux" tune --report "${stores[@]}" || exit 1
    printf '```\n'
  fi
  for f in questions constants; do
    [ ! -e "$dir/$f.txt" ] || { printf '\n## %s\n\n```\n' "${f^}" && cat "$dir/$f.txt" && printf '```\n'; }
  done
  exit 0
fi

# A visit that was killed may have left processes, which hold this lock and end in time.
exec 9>>"$dir/lock"
flock -w "$limit" 9 || { echo "another visit writes to $dir" >&2 && exit 1; }
work=$(mktemp -d) || exit 1
ended() {
  trap '' INT TERM HUP
  # shellcheck disable=SC2046 # numbers
  kill $(jobs -p) 2>/dev/null
  wait
  rm -rf "$work"
}
trap ended EXIT
trap 'exit 143' INT TERM HUP
say() { echo "[$SECONDS s] $*" | tee -a "$dir/visit.txt"; }

{
  echo "on $on"
  if [ "$on" = gpu ]; then
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^\(.*\), \(.*\)$/device \1\ndriver \2/;q'
    nvcc --version | sed -n 's/.*release \([0-9.]*\).*/nvcc \1/p'
  else
    echo "device CPU engine: these times say nothing of a GPU"
  fi
} >"$work/machine"
for needed in device nvcc; do
  [ "$on" = cpu ] || grep -q "^$needed " "$work/machine" || { echo "there is no GPU, or no nvcc" >&2 && exit 1; }
done
if [ -e "$dir/machine" ]; then
  cmp -s "$work/machine" <(sed '/^date /d' "$dir/machine") || { echo "$dir holds a visit to another machine" >&2 && exit 1; }
else
  { cat "$work/machine" && date -u '+date %Y-%m-%d'; } >"$dir/machine.new" && mv "$dir/machine.new" "$dir/machine"
fi
reserve=10 # seconds for the end
left() { echo $((limit - reserve - SECONDS)); }
wanted() { [ ${#steps[@]} = 0 ] || [[ " ${steps[*]} " == *" $1 "* ]]; }

# within SECONDS COMMAND…: ends it then, or with this shell.
within() {
  timeout --foreground -k 15 "$@" &
  local child=$!
  trap 'kill "$child" 2>/dev/null; wait "$child"; exit 143' TERM
  wait "$child"
}

# device NAME [LIBRARY]: builds scripts/gpu-NAME.cu, also as a library, and runs it. What it printed appears when it is through.
device() {
  local name=$1 build=(nvcc -std=c++17 -O3 -arch=native -I "$work" "scripts/gpu-$1.cu" -o)
  wanted "$name" && [ ! -e "$dir/$name.txt" ] && [ "$(left)" -gt 5 ] || return 0
  if [ "$on" = cpu ]; then
    say "$name: left out, there is no device"
  elif {
    "$smux" runtime >"$work/smux.cuh" && within "$(left)" "${build[@]}" "$work/$name" -ldl &&
      { [ $# = 1 ] || within "$(left)" "${build[@]}" "$work/$2" -shared -Xcompiler -fPIC -DLIBRARY; } &&
      within "$(left)" "$work/$name" ${2+"$work/$2"} >"$dir/$name.new"
  } >"$dir/$name.log" 2>&1; then
    mv "$dir/$name.new" "$dir/$name.txt"
    say "$name: $(wc -l <"$dir/$name.txt") lines"
  else
    say "$name: failed, see $name.log and $name.new"
  fi
}

# tune KIND NAME SECONDS PROGRAM KERNEL ARGUMENTS…: all forms of a kernel. The table appears when all are done.
tune() {
  local kind=$1 name=$2 seconds=$3 program=$4 kernel=$5
  shift 5
  [ "$seconds" -gt 2 ] || return 0
  local at=$dir/$kind/$name more=(--on "$on")
  [ "$on" = gpu ] || more+=(--gpu h200)
  [ "$kernel" = - ] || more+=(--kernel "$kernel")
  [ "$kind" = measure ] || more+=(--min-gain 1000) # nothing is confirmed
  within "$seconds" "$smux" tune --no-config --store "$at.jsonl" --strategy exhaustive --resources estimate -v \
    "${rules[@]}" --timeout 20s "${more[@]}" "${flags[@]}" \
    "examples/$program/${program##*/}.cu" -- "$@" >"$at.new" 2>>"$at.log"
  local status=$? how=
  case $status in
  0) mv "$at.new" "$at.txt" ;;
  124 | 137) how=' so far' ;;
  *) how="; failed: $(grep '^smux: ' "$at.log" | tail -n 1)" ;;
  esac
  rm -f "$at.new"
  say "$kind $name: $(count "$at.jsonl")$how"
}

# todo KIND: the programs that are wanted and not done, those with the least measured first.
todo() {
  while read -r program kernel arguments; do
    local name at lines=0
    name=$(name "$program" "$kernel")
    at=$dir/$1/$name
    if [ -e "$at.txt" ] || { ! wanted "$name" && ! wanted "${name%.*}"; }; then continue; fi
    [ "$on$1" = gpumeasure ] || arguments=
    [ ! -e "$at.jsonl" ] || lines=$(wc -l <"$at.jsonl")
    echo "$lines $name $program $kernel $arguments"
  done <<<"$programs" | sort -sn -k 1,1
}

# checks SECONDS: several programs at once, since nothing is timed. Each builds its forms ahead on all cores.
checks() {
  local end=$((SECONDS + $1)) running=0 most=$(($(nproc) / 4 + 1))
  while read -r _ name program kernel arguments; do
    if [ "$running" -ge "$most" ]; then wait -n; else running=$((running + 1)); fi
    # shellcheck disable=SC2086 # words
    tune check "$name" $((end - SECONDS)) "$program" "$kernel" $arguments &
  done < <(todo check)
  wait
}

# measures: one program at a time, each with its share of what is left.
measures() {
  local list
  mapfile -t list < <(todo measure)
  local i share name program kernel arguments
  for i in "${!list[@]}"; do
    share=$(($(left) / (${#list[@]} - i)))
    [ "$share" -ge 10 ] || share=10
    [ "$share" -le "$(left)" ] || share=$(left)
    read -r _ name program kernel arguments <<<"${list[i]}"
    # shellcheck disable=SC2086 # words
    tune measure "$name" "$share" "$program" "$kernel" $arguments &
    wait $!
  done
}

device questions questions.so &
wait $!
device constants &
wait $!
[ "$(left)" -le 5 ] || checks $(($(left) / 2))
while [ "$(left)" -gt 5 ] && [ -n "$(todo measure)" ]; do
  before=$(cat "$dir"/measure/*.jsonl 2>/dev/null | wc -l)
  measures
  [ "$(cat "$dir"/measure/*.jsonl 2>/dev/null | wc -l)" -gt "$before" ] || break
done
[ "$(left)" -le 5 ] || checks "$(left)"

# Logs are cut, and records are kept.
find "$dir" -name '*.log' -size +256k | while read -r log; do
  tail -c 200000 "$log" >"$log.new" && mv "$log.new" "$log"
done
say "the end: $(find "$dir/check" -name '*.txt' | wc -l) kernels checked ($(count "$dir"/check/*.jsonl)), $(find "$dir/measure" -name '*.txt' | wc -l) measured ($(count "$dir"/measure/*.jsonl)), $(du -sm "$dir" | cut -f 1) MB in $dir"
[ -z "$(todo check)$(todo measure)" ] || say "not all is done: the same command goes on"
