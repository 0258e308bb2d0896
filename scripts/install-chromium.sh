#!/usr/bin/env bash
# Installs Chromium (Debian's chromium) so that the tests can look at the page
# that smux report writes as a person does. Does nothing where one is already on
# the PATH, and says so and leaves quietly on a system without apt: the tests
# pass without it too, and then name what they skipped.
set -euo pipefail

for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then
    echo "install-chromium: $name is here: $("$name" --version 2>/dev/null)"
    exit 0
  fi
done
if ! command -v apt-get >/dev/null 2>&1; then
  echo "install-chromium: no apt-get on this system; install Chromium by hand to run the tests of the report's page" >&2
  exit 0
fi

sudo=""
if [ "$(id -u)" -ne 0 ]; then
  sudo="sudo"
fi

# A mirror that hangs is not waited for: the tests do without.
export DEBIAN_FRONTEND=noninteractive
$sudo timeout 60 apt-get update -qq
$sudo timeout 120 apt-get install -y -qq --no-install-recommends chromium >/dev/null
echo "install-chromium: installed $(chromium --version 2>/dev/null)"
