#!/usr/bin/env bash
# Measures the forms of folders that "smux tune --export" wrote, many in a short time: each form
# is a process that launches its kernel again and again (scripts/replay-forms.cu). run.sh of a folder is the
# careful way: it starts the program for each time, pairs each run with one of the original, and confirms.
#
#   scripts/replay-forms.sh OUT BUNDLE… > replays.txt     where a GPU and CUDA 13 are; programs and logs go to OUT
#   go run ./lab/main.go replays replays.txt BUNDLE… > gpu.jsonl     anywhere
#
# A form's outputs are compared with the original's, of a run with the program's default arguments and of one with those
# of the export: what is copied from the device, by a hash, and what is printed.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/bin" "$1/log"
out=$(cd "$1" && pwd)
shift
export out NVCC=${NVCC:-nvcc} FLAGS="-arch=${ARCH:-native} -std=c++17 -Xcompiler -O2 -cudart shared -w"
cores=$(nproc)
# shellcheck disable=SC2086 # words
"$NVCC" $FLAGS -c -o "$out/driver.o" "$here/replay-forms.cu"

echo "machine $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 1q)"
echo "toolkit nvcc $("$NVCC" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
echo "date $(date -u +%Y-%m-%dT%H:%M:%SZ)"
for bundle in "$@"; do # bundle, form and arguments, the original first
  arguments=$(sed -n '/^    "args": \[/,/^    \]/p' "$bundle/manifest.json" | sed -n 's/^      "\(.*\)",\{0,1\}$/\1/p' | tr '\n' ' ')
  for form in "$bundle"/variants/*; do
    printf '%s|%s|%s\n' "$bundle" "$(basename "$form")" "$arguments"
  done
done > "$out/forms"

# Compile and check: as many at once as there are cores.
check() {
  IFS='|' read -r bundle form arguments <<< "$1"
  name=$(basename "$bundle").$form
  log=$out/log/$name
  # shellcheck disable=SC2086 # words
  find "$bundle/variants/$form/src" -name '*.cu' -print0 | xargs -0 "$NVCC" $FLAGS -Dmain=form_main -o "$out/bin/$name" "$out/driver.o" \
    -Xlinker --wrap=cudaLaunchKernel -Xlinker --wrap=__cudaLaunchKernel > "$log.nvcc" 2>&1 || { echo compile > "$log.status"; return; }
  SMUX_LAUNCH_COPIES=$out/$name.copies timeout -k 2 60 "$out/bin/$name" check "" "$arguments" > "$log.out" 2>&1
  echo "run $?" > "$log.status"
  if [ -e "$out/$name.copies" ]; then
    sha256sum < "$out/$name.copies" > "$log.copies"
    wc -c < "$out/$name.copies" > "$log.bytes"
    rm "$out/$name.copies"
  fi
}
export -f check
xargs -a "$out/forms" -P "$cores" -d '\n' -n 1 bash -c 'check "$1"' check
while IFS='|' read -r bundle form _; do
  of=$(basename "$bundle")
  log=$out/log/$of.$form
  original=$(echo "$out/log/$of".v00-*.status)
  original=${original%.status}
  case $(cat "$log.status") in
  compile) result="compile $(grep -m 1 error "$log.nvcc")" ;;
  'run 124' | 'run 137') result='timeout it did not end' ;;
  'run 0')
    result=equal
    cmp -s "$log.out" "$original.out" || result='output other lines are printed'
    cmp -s "$log.copies" "$original.copies" || [ ! -e "$original.copies" ] || result='output copies differ'
    ;;
  *) result="run $(tail -n 1 "$log.out")" ;;
  esac
  echo "check $of $form $(cat "$log.bytes" 2>/dev/null || echo 0) $result"
done < "$out/forms"

# Time: the original in front of each eight forms. The processes prepare themselves at once, and run in turn.
n=0
while IFS='|' read -r bundle form arguments; do
  of=$(basename "$bundle")
  case $form in v00-*) original=$form n=0 ;; esac
  [ $((n % 8)) != 0 ] || printf '%s|%s|%s\n' "$of" "$original" "$arguments"
  n=$((n + 1))
  case $form in v00-*) ;; *) printf '%s|%s|%s\n' "$of" "$form" "$arguments" ;; esac
done < "$out/forms" | nl -s '|' -w 6 -n rz > "$out/runs"
time_form() {
  IFS='|' read -r number of form arguments <<< "$1"
  [ ! -x "$out/bin/$of.$form" ] || LOCK=$out/lock timeout -k 2 60 "$out/bin/$of.$form" time 7 "$arguments" > "$out/log/$number" 2>&1
}
export -f time_form
xargs -a "$out/runs" -P $((cores / 2 + 1)) -d '\n' -n 1 bash -c 'time_form "$1"' time || true
while IFS='|' read -r number of form _; do
  echo "time $of $form"
  grep "^launch " "$out/log/$number" 2>/dev/null || true
done < "$out/runs"
