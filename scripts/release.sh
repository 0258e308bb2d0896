#!/usr/bin/env bash
# usage: scripts/release.sh [ARCHITECTURE…]     (amd64 arm64)
# Builds dist/smux-VERSION-linux-ARCHITECTURE, with a Python wheel and a Debian package of each, and dist/SHA256SUMS from
# the commit that is checked out.
#
# The grammar is C, so each architecture needs a C compiler and a C library for it: the one of CC_amd64 or
# CC_arm64 where that is set, else zig (which has all of them), else Debian's gcc. The programs are linked with
# everything that they need, so that they run on any Linux, whatever its C library: musl's Alpine, too.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -n "$(git status --porcelain)" ]; then
  echo "release: there are changes that no commit has; commit them or put them aside" >&2
  exit 1
fi
version=$(git describe --tags --always)
date=$(git log -1 --format=%ct)
architectures=("$@")
[ "$#" -gt 0 ] || architectures=(amd64 arm64)

# compiler ARCHITECTURE prints the C compiler to use, or says what to install.
compiler() {
  local given="CC_$1" gnu
  case $1 in
    amd64) gnu=x86_64-linux-gnu ;;
    arm64) gnu=aarch64-linux-gnu ;;
    *) echo "release: $1 is no architecture that smux is built for: amd64, arm64" >&2; return 1 ;;
  esac
  if [ -n "${!given:-}" ]; then
    echo "${!given}"
  elif command -v zig >/dev/null 2>&1; then
    echo "zig cc -target ${gnu%-gnu}-musl"
  elif command -v "$gnu-gcc" >/dev/null 2>&1; then
    echo "$gnu-gcc"
  else
    echo "release: there is no C compiler for $1: install zig, or Debian's gcc-${gnu/_/-} and libc6-dev-$1-cross, or set $given" >&2
    return 1
  fi
}

# All are looked for before the first is built.
for arch in "${architectures[@]}"; do compiler "$arch" >/dev/null; done

rm -rf dist
mkdir dist
for arch in "${architectures[@]}"; do
  cc=$(compiler "$arch")
  out=dist/smux-$version-linux-$arch
  echo "release: $out, by $cc"
  # Nothing of this machine is in the program: the same commit gives the same bytes with the same tools. The
  # tags leave out what would ask the C library for users and names of hosts, which can't be linked in.
  SOURCE_DATE_EPOCH=$date GOFLAGS= GOOS=linux GOARCH=$arch CGO_ENABLED=1 CC=$cc \
    go build -trimpath -buildvcs=true -tags netgo,osusergo -ldflags '-s -w -linkmode external -extldflags -static' -o "$out" ./cmd/smux
  if command -v python3 >/dev/null 2>&1; then
    SOURCE_DATE_EPOCH=$date python3 scripts/package.py "$out" "$arch" "$version" dist
  else
    echo "release: there is no python3, so no packages were made of it"
  fi
done
(cd dist && sha256sum smux* > SHA256SUMS)
cat dist/SHA256SUMS
