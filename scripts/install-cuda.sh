#!/usr/bin/env bash
# Installs nvcc (CUDA 11.8, Debian's nvidia-cuda-toolkit) so that the tests can
# compile what smux emits. Does nothing where nvcc is already on the PATH, and
# says so and leaves quietly on a system without apt: the tests pass without
# nvcc too, and then name what they skipped.
set -euo pipefail

if command -v nvcc >/dev/null 2>&1; then
  echo "install-cuda: nvcc is here: $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p')"
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "install-cuda: no apt-get on this system; install the CUDA toolkit by hand to run the nvcc tests" >&2
  exit 0
fi

sudo=""
if [ "$(id -u)" -ne 0 ]; then
  sudo="sudo"
fi

# The toolkit is in Debian's non-free component, which a default system lacks.
# Both source formats occur: deb822 (.sources) and one-line (.list).
for f in /etc/apt/sources.list.d/debian.sources; do
  if [ -f "$f" ] && ! grep -q '^Components:.*\bnon-free\b\( \|$\)' "$f"; then
    $sudo sed -i -E '/^Components:/ { /contrib/! s/$/ contrib/; s/$/ non-free/ }' "$f"
  fi
done
if [ -s /etc/apt/sources.list ] && ! grep -Eq '^deb .*\bnon-free( |$)' /etc/apt/sources.list; then
  $sudo sed -i -E '/^deb .*debian/ { / contrib/! s/$/ contrib/; s/$/ non-free/ }' /etc/apt/sources.list
fi

export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends nvidia-cuda-toolkit >/dev/null
nvcc --version | sed -n 's/.*release \([0-9.]*\).*/install-cuda: installed CUDA \1/p'
