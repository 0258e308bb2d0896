#!/bin/sh
# What nvcc's front end has against a CUDA file, host and device code alike, without making code of it:
#
#	scripts/nvcc-front.sh FILE.cu [FLAG…]
#
# It takes a fifth of the time of a compilation. What only ptxas sees, as too many bytes of parameters, it doesn't find.
set -e
file=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
nvcc -dryrun -keep -keep-dir "$dir" -c "$@" "$file" -o "$dir/out.o" 2>&1 | sed -n 's/^#\$ //p' >"$dir/steps"
{
    grep '^PATH=' "$dir/steps"
    grep ' -E ' "$dir/steps" | tail -1
    grep '^cudafe++' "$dir/steps" | sed 's/--module_id_file_name "[^"]*"//'
} >"$dir/front"
sh -e "$dir/front"
