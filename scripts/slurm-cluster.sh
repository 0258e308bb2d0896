#!/usr/bin/env bash
# A Slurm cluster on this machine's loopback, for tests: one controller and two
# nodes with two devices each: generic resources "gpu" of the type "fake". Slurm wants
# device files for them, which these are not: nothing opens them. It needs no service, no systemd and no control groups, and
# keeps everything in one folder.
#
#   slurm-cluster.sh start DIR          and waits until both nodes are idle
#   slurm-cluster.sh stop DIR           ends all jobs and daemons
#   slurm-cluster.sh kill-node DIR N    kills node N (1 or 2) with all that runs on it
#   slurm-cluster.sh start-node DIR N
#   slurm-cluster.sh kill-controller DIR
#   slurm-cluster.sh start-controller DIR
#
# Clients find it by SLURM_CONF=DIR/slurm.conf. MAX_JOB_AGE is for how many seconds
# ended jobs are known (300).
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

fail() {
  echo "slurm-cluster: $*" >&2
  exit 1
}
[ $# -ge 2 ] || fail "usage: slurm-cluster.sh start|stop|kill-node|start-node|kill-controller|start-controller DIR [N]"
command=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
export SLURM_CONF=$dir/slurm.conf

# free_ports COUNT: as many ports of the loopback as are asked for, which nobody has now.
free_ports() {
  local port=$((20000 + RANDOM % 20000)) found=0
  while [ "$found" -lt "$1" ]; do
    port=$((port + 1))
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      found=$((found + 1))
    fi
  done
}

configure() {
  local ports host user
  mapfile -t ports < <(free_ports 3)
  host=$(hostname -s)
  user=$(id -un)
  mkdir -p "$dir"/{state,spool-node1,spool-node2,log,run}
  cat >"$dir/slurm.conf" <<END
ClusterName=smuxtest
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
MessageTimeout=10
InactiveLimit=0
KillWait=2
MinJobAge=${MAX_JOB_AGE:-300}
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=100000,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
JobRequeue=1
SlurmdParameters=config_overrides
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=4 Boards=1 SocketsPerBoard=1 CoresPerSocket=4 ThreadsPerCore=1 Gres=gpu:fake:2
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=4 Boards=1 SocketsPerBoard=1 CoresPerSocket=4 ThreadsPerCore=1 Gres=gpu:fake:2
PartitionName=main Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
PartitionName=short Nodes=node1,node2 MaxTime=1 State=UP
END
  cat >"$dir/gres.conf" <<END
NodeName=node1 Name=gpu Type=fake Flags=nvidia_gpu_env File=/dev/null
NodeName=node1 Name=gpu Type=fake Flags=nvidia_gpu_env File=/dev/zero
NodeName=node2 Name=gpu Type=fake Flags=nvidia_gpu_env File=/dev/null
NodeName=node2 Name=gpu Type=fake Flags=nvidia_gpu_env File=/dev/zero
END
  # Nothing that a machine has is looked for.
  echo "CgroupPlugin=cgroup/v1" >"$dir/cgroup.conf"
  chmod 755 "$dir" "$dir/run"
}

start_munge() {
  [ -s "$dir/run/munge.key" ] || (umask 077 && head -c 1024 /dev/urandom >"$dir/run/munge.key")
  munged --force --key-file="$dir/run/munge.key" --socket="$dir/run/munge.socket" --pid-file="$dir/run/munged.pid" \
    --log-file="$dir/log/munged" --seed-file="$dir/run/munge.seed" --num-threads=2
}

start_controller() { slurmctld "$@"; }

start_node() { # N
  slurmd -N "node$1"
}

# alive PIDFILE NAME: the process of a file, if it is the one that wrote it.
alive() {
  local pid
  pid=$(cat "$1" 2>/dev/null) || return 1
  [ -n "$pid" ] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$2" ] && echo "$pid"
}

# below PID...: all processes that these have started, directly or not.
below() {
  local pid child
  for pid in "$@"; do
    for child in $(cat "/proc/$pid/task/"*/children 2>/dev/null); do
      echo "$child"
      below "$child"
    done
  done
}

# steps N: the processes that look after the jobs of a node, which name it.
steps() {
  local p
  for p in /proc/[0-9]*; do
    if [ "$(cat "$p/comm" 2>/dev/null)" = slurmstepd ] && tr '\0' '\n' 2>/dev/null <"$p/environ" | grep -qx "SLURM_CONF=$dir/slurm.conf"; then
      if [ -z "${1-}" ] || tr '\0' '\n' <"$p/cmdline" 2>/dev/null | grep -q "node$1" || ls -l "$p/fd" 2>/dev/null | grep -q "spool-node$1\|slurmd-node$1"; then
        echo "${p#/proc/}"
      fi
    fi
  done
}

kill_node() { # N
  local pid own=()
  if pid=$(alive "$dir/run/slurmd-node$1.pid" slurmd); then
    kill -9 "$pid" 2>/dev/null || true
  fi
  mapfile -t own < <(steps "$1")
  if [ "${#own[@]}" -gt 0 ]; then
    mapfile -t -O "${#own[@]}" own < <(below "${own[@]}")
    kill -9 "${own[@]}" 2>/dev/null || true
  fi
}

kill_controller() {
  local pid
  if pid=$(alive "$dir/run/slurmctld.pid" slurmctld); then
    kill -9 "$pid" 2>/dev/null || true
    while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
  fi
}

ready() {
  local n
  for n in $(seq 200); do
    if [ "$(sinfo -h -N -p main -o %T 2>/dev/null | grep -c '^\(idle\|mixed\|allocated\)$')" = 2 ]; then
      return
    fi
    sleep 0.2
  done
  sinfo -N -o '%N %T %E' >&2 || true
  tail -n 5 "$dir"/log/* >&2
  fail "the nodes do not come up"
}

stop() {
  local pid name
  kill_controller
  for name in 1 2; do kill_node "$name"; done
  if pid=$(alive "$dir/run/munged.pid" munged); then
    kill "$pid" 2>/dev/null || true
  fi
}

case $command in
start)
  for tool in munged slurmctld slurmd sbatch; do
    command -v "$tool" >/dev/null 2>&1 || fail "there is no $tool: scripts/install-slurm.sh installs it"
  done
  configure
  start_munge
  start_controller -c
  start_node 1
  start_node 2
  ready
  ;;
stop) stop ;;
kill-node) kill_node "$3" ;;
start-node) start_node "$3" ;;
kill-controller) kill_controller ;;
start-controller) start_controller ;;
*) fail "there is no $command" ;;
esac
