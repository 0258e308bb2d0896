#!/usr/bin/env bash
# Installs pre-commit (Debian's package), so that the tests can run smux's hooks as
# it does. Does nothing where pre-commit is already on the PATH, and says so and
# leaves quietly where it cannot be installed: the tests pass without, and then
# name what they skipped.
set -euo pipefail

if command -v pre-commit >/dev/null 2>&1; then
  echo "install-precommit: pre-commit is here: $(pre-commit --version)"
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "install-precommit: no apt-get on this system; install pre-commit by hand to run its tests" >&2
  exit 0
fi

sudo=""
if [ "$(id -u)" -ne 0 ]; then
  sudo="sudo"
fi

export DEBIAN_FRONTEND=noninteractive
# The lists are there as a rule: another script has fetched them.
install() { timeout 120 $sudo apt-get install -y -qq --no-install-recommends pre-commit >/dev/null 2>&1; }
if install || { timeout 60 $sudo apt-get update -qq && install; }; then
  echo "install-precommit: installed $(pre-commit --version)"
else
  echo "install-precommit: pre-commit could not be installed; its tests are skipped" >&2
fi
