#!/usr/bin/env bash
# Tunes the ten examples and prints a page of Markdown with all tables, for
# docs/results. Measurements are kept in DIR, so that it can be stopped and called
# again. What stands behind DIR goes to smux tune: --devices all, --strategy
# exhaustive, …
#
#   scripts/tune-examples.sh build/h200 --strategy exhaustive > docs/results/h200.md
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { echo "usage: scripts/tune-examples.sh DIR [FLAGS…]" >&2; exit 2; }
dir=$1
shift
mkdir -p "$dir"
go build -o "$dir/smux" ./cmd/smux

examples=(cv fft hg mc mm mv rd sp sto tp)
stores=()
for name in "${examples[@]}"; do
  echo "== $name" >&2
  "$dir/smux" tune --store "$dir/$name.jsonl" "$@" "examples/$name/$name.cu" > "$dir/$name.txt"
  stores+=("$dir/$name.jsonl")
done

echo "# The examples, tuned"
echo
echo "Made by \`scripts/tune-examples.sh DIR $*\`; \`*\` marks what was chosen. [tune.md](../tune.md) explains the columns."
for name in "${examples[@]}"; do
  printf '\n## %s\n\n    smux tune %s\n\n```\n' "$name" "$* examples/$name/$name.cu"
  cat "$dir/$name.txt"
  printf '```\n'
done
printf '\n## How well the model predicted it\n\n```\n'
"$dir/smux" tune --report "${stores[@]}"
printf '```\n'
