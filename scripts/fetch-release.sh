#!/usr/bin/env bash
# usage: scripts/fetch-release.sh VERSION FOLDER
# Fetches the smux of a release for this machine into FOLDER/smux, and compares it with the release's checksums. Ends with
# status 1, and leaves no file, if there is none: VERSION is a branch or a commit, or this is no Linux on amd64 or arm64.
# SMUX_RELEASES is where releases lie, the project's own by default.
set -euo pipefail
version=$1 folder=$2 from=${SMUX_RELEASES:-https://github.com/smux-cuda/smux/releases/download}
case $(uname -s)-$(uname -m) in
  Linux-x86_64) arch=amd64 ;;
  Linux-aarch64) arch=arm64 ;;
  *) echo "fetch-release: no release is built for $(uname -s) on $(uname -m)" >&2; exit 1 ;;
esac
name=smux-$version-linux-$arch
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for file in SHA256SUMS "$name"; do
  curl --fail --silent --location --retry 2 --output "$dir/$file" "$from/$version/$file" || { echo "fetch-release: $from has no $version/$file" >&2; exit 1; }
done
grep " $name\$" "$dir/SHA256SUMS" > "$dir/sum" || { echo "fetch-release: SHA256SUMS does not name $name" >&2; exit 1; }
(cd "$dir" && sha256sum --check --status sum) || { echo "fetch-release: $name is not the file that was released" >&2; exit 1; }
mkdir -p "$folder"
install -m 755 "$dir/$name" "$folder/smux"
