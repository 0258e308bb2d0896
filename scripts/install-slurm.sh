#!/usr/bin/env bash
# Installs Slurm (Debian's slurmctld, slurmd and slurm-client, with munge) so that
# the tests of smux tune --on slurm can run a cluster of two nodes on this machine.
# Does nothing where it is there, and says so and leaves quietly on a system
# without apt: the tests then name what they skipped. No service is started.
set -euo pipefail

missing=()
for tool in slurmctld slurmd sbatch munged; do
  PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >/dev/null 2>&1 || missing+=("$tool")
done
if [ "${#missing[@]}" -eq 0 ]; then
  echo "install-slurm: it is here: $(PATH=$PATH:/usr/sbin:/sbin slurmd -V)"
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "install-slurm: no apt-get on this system; install Slurm and munge by hand to run the tests of --on slurm" >&2
  exit 0
fi

sudo=""
if [ "$(id -u)" -ne 0 ]; then
  sudo="sudo"
fi

# A mirror that hangs is not waited for: the tests do without.
export DEBIAN_FRONTEND=noninteractive
$sudo timeout 60 apt-get update -qq
$sudo timeout 300 apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge >/dev/null
echo "install-slurm: installed $(PATH=$PATH:/usr/sbin:/sbin slurmd -V)"
