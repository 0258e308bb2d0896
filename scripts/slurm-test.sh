#!/usr/bin/env bash
# Tunes on a real Slurm with two nodes of two devices each, on this machine's
# loopback (scripts/slurm-cluster.sh): 40 forms on 1, 2 and 4 devices, and while the
# controller is restarted, nodes are killed, jobs cancelled and smux killed at 20
# random moments. Some ten minutes. --short runs eight forms and four accidents.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/install-slurm.sh
if [ "${1-}" != --short ]; then
  export SMUX_TEST_FULL=1 SMUX_TEST_DEVICES=1
fi
exec go test ./cmd/smux -run TestARealSlurm -count 1 -v -timeout 40m
