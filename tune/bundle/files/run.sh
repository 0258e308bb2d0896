#!/bin/sh
# Measures all forms of the program: each next to the original, in turns, first to
# find the best ones and then all of them anew to confirm what was found. "sh run.sh
# --help" says more.
set -u
LC_ALL=C
export LC_ALL
unset CDPATH
cd "$(dirname "$0")" || exit 1
top=$(pwd)
. ./settings.sh

say() { printf '%s\n' "$*"; }
note=
# fail WHY [STATUS]: ends it. 3 says that this machine is not for this folder.
fail() {
	printf 'run.sh: %s\n' "$1" >&2
	[ -z "$note" ] || echo "failed $1" >>"$note"
	exit "${2-1}"
}
usage() {
	cat <<'END'
usage: sh run.sh [OPTIONS] [NAME...]

Measures forms next to the original. Names are those of the folders in variants/; none
stands for all. It can be stopped at any moment, goes on where it was when it is called
again, and may run on several machines that share this folder at once. Results are kept
in results/PRODUCT/, by the product of the GPU.

  --device N           the GPU as nvidia-smi counts; the default is the first of
                       CUDA_VISIBLE_DEVICES, or 0
  --turns N            pairs of each form in the search
  --confirm-turns N    pairs of each form that confirm
  --against NAME       confirm the forms that are named next to this one, which stands
                       in the original's place
  --product PRODUCT    end with status 3 where the GPU is another one
  --arch sm_90         use (and build) what was compiled for this architecture
  --task N             one form: number N of the search, or of those that confirm behind
                       all of the search's, as in submit.sbatch
  --help               this

SMUX_STALE=SECONDS (120): how long a process on another machine may say nothing before
its work is taken over.
END
}
wrong() {
	printf 'run.sh: %s\n' "$*" >&2
	usage >&2
	exit 2
}
number() { # VALUE FLAG
	case $1 in
	'' | *[!0-9]* | ???????*) wrong "$2 takes a number" ;;
	esac
}

device=${CUDA_VISIBLE_DEVICES-}
device=${device%%,*}
[ -n "$device" ] || device=0
against=
names=
only=
task=
arch=${ARCH-}
while [ $# -gt 0 ]; do
	case $1 in
	--help | -h)
		usage
		exit
		;;
	--device) device=${2-} && number "$device" "$1" ;;
	--turns) turns=${2-} && number "$turns" "$1" ;;
	--confirm-turns) confirm_turns=${2-} && number "$confirm_turns" "$1" ;;
	--task) task=${2-} && number "$task" "$1" ;;
	--product) only=${2-} && [ -n "$only" ] || wrong "$1 takes a product" ;;
	--arch) arch=${2-} && [ -n "$arch" ] || wrong "$1 takes an architecture" ;;
	--against) against=${2-} && [ -d "variants/${against:-.none}" ] || wrong "$1 takes a name of variants/" ;;
	-*) wrong "there is no $1" ;;
	*)
		[ -d "variants/$1" ] || wrong "variants/$1 is not there"
		names="$names $1"
		shift
		continue
		;;
	esac
	shift
	[ $# -gt 0 ] && shift
done
phase=both
if [ -n "$task" ]; then
	[ -z "$names" ] || wrong '--task and names both say what is measured'
	# shellcheck disable=SC2086 # words
	set -- $variants
	phase=search
	if [ "$task" -ge $# ]; then
		phase=confirm
		task=$((task - $#))
	fi
	[ "$task" -lt $# ] || wrong "there is no task $task"
	shift "$task"
	names=$1
fi
[ -z "$against" ] || [ -n "$names" ] || wrong '--against takes the names of the forms to be measured'
some=$names
[ -n "$names" ] || names=$variants
original=${variants%% *}

# What belongs to this process alone. What one that was killed has left running would
# disturb: it is ended.
. ./lock.sh
mkdir -p results/new jobs || exit 1
for left in results/new/*; do
	[ -d "$left" ] || continue
	lives "$(cat "$left/owner" 2>/dev/null)"
	case $? in
	0) continue ;;
	2) [ -n "$(find "$left" -prune -mtime +7)" ] || continue ;;
	*)
		child=$(cat "$left/child" 2>/dev/null)
		if [ -n "$child" ] && ps -p "$child" -o args= 2>/dev/null | grep -q smux-program; then
			kill "$child" 2>/dev/null
			for _ in 1 2 3 4 5; do
				kill -0 "$child" 2>/dev/null && sleep 1
			done
			kill -9 "$child" 2>/dev/null
		fi
		;;
	esac
	rm -rf "$left"
done
new=$top/results/new/$(uname -n)-$$-$(date +%s)
child=
beating=
finish() {
	status=$?
	trap - EXIT INT TERM HUP
	if [ -n "$child" ]; then
		kill "$child" 2>/dev/null
		wait "$child" 2>/dev/null
	fi
	[ -z "$beating" ] || kill "$beating" 2>/dev/null
	unlock_all
	rm -rf "$new"
	rmdir results/new 2>/dev/null
	[ -z "$note" ] || echo "ended $status" >>"$note"
	exit "$status"
}
mkdir -p "$new" && echo "$lock_me" >"$new/owner.new" && mv "$new/owner.new" "$new/owner" && : >"$new/held" || exit 1
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
beat >/dev/null 2>&1 </dev/null &
beating=$!
if [ -n "${SLURM_JOB_ID-}" ] && [ -n "$task" ]; then
	note=jobs/${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}_${SLURM_ARRAY_TASK_ID:-0}.note
	echo "began $(date -u +%Y-%m-%dT%H:%M:%SZ) on ${SLURMD_NODENAME:-$(uname -n)}" >>"$note"
	[ ! -e "jobs/${SLURM_JOB_NAME:-smux}.dropped" ] || fail 'this job is not wanted any more'
fi

# On what is measured: results of one product of GPU, one driver and one compiler are
# kept together, whichever node they are of.
gpus=$(nvidia-smi --query-gpu=index,uuid,name,driver_version --format=csv,noheader 2>/dev/null) || gpus=
gpu=$(printf '%s\n' "$gpus" | grep -E "^$device, |^[0-9]+, $device" | sed 1q)
product=unknown
card=$(uname -n)-$device-${SLURM_JOB_GPUS-}
if [ -n "$gpu" ]; then
	product=$(echo "$gpu" | sed 's/^[^,]*, [^,]*, \(.*\), [^,]*$/\1/' | tr -c 'A-Za-z0-9.\n' '-')
	case $gpu in
	*', GPU-'*) card=$(echo "$gpu" | cut -d , -f 2 | tr -d ' ') ;;
	esac
else
	say 'nvidia-smi does not tell of this GPU: neither its name nor its state is noted.'
fi
[ -z "$note" ] || echo "product $product" >>"$note"
[ -z "$only" ] || [ "$only" = "$product" ] || fail "this GPU is a $product, and what is measured is a $only" 3
results=results/$product
locks=$results/locks
mkdir -p "$locks" || exit 1
if [ -z "$arch" ]; then
	arch=$(sed -n 's/^arch //p' "$results/machine/nvcc" 2>/dev/null)
	[ -n "$arch" ] || arch=$(cat bin/ARCH 2>/dev/null || cat arch)
fi
bin=bin/$arch

# Those forms are built that are measured, each by one process.
wanted=$variants
[ -z "$some" ] || wanted="$original $against $some"
todo=
for name in $wanted; do
	[ -e "$bin/$name.done" ] || todo="$todo $name"
done
if [ -n "$task" ]; then
	for name in $todo; do
		lock_wait "$bin/locks/$name"
		[ -e "$bin/$name.done" ] || "${MAKE:-make}" ARCH="$arch" "$name"
		unlock
	done
elif [ -n "$todo" ]; then
	lock_wait "$bin/locks/all"
	# shellcheck disable=SC2046,SC2086 # no number is one word less; names
	"${MAKE:-make}" -k -j $(getconf _NPROCESSORS_ONLN 2>/dev/null) ARCH="$arch" $todo || say 'Not all forms are built: those that are will be measured.'
	unlock
fi
[ -x "$bin/$original" ] || fail "the program as it is was not built, see $bin/$original.log"

# Only one of these measures on a GPU.
if [ -n "$task" ]; then
	lock_wait "results/locks/$card"
else
	lock "results/locks/$card" || fail "$(holder) measures on this GPU already"
fi

limit() { :; }
if timeout -k 10 5 true 2>/dev/null; then
	limit() { echo "timeout -k 10 $1"; }
else
	say 'There is no timeout(1): a form that does not end has to be ended by hand.'
fi

# measure NAME FOLDER MODE: runs a form once, and puts what it gave into the folder. MODE
# is how strictly launches are checked, 1 or 2, or timed.
measure() {
	rm -rf "$new/cwd"
	mkdir -p "$2" && cp -R work "$new/cwd" && ln -s "$top/$bin/$1" "$new/cwd/smux-program" ||
		fail 'a run could not be prepared: is the disk full?'
	seconds=$timeout
	[ "$3" = timed ] || seconds=$check_timeout
	began=$(date +%s)
	(
		cd "$new/cwd" || exit 125
		unset SMUX_LAUNCH_CHECK SMUX_LAUNCH_FLUSH SMUX_LAUNCH_HOLD SMUX_BENCH_REPEAT
		SMUX_LAUNCH_OUT=$2/launches SMUX_LAUNCH_COPIES=$2/copies
		CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$device
		export SMUX_LAUNCH_OUT SMUX_LAUNCH_COPIES CUDA_DEVICE_ORDER CUDA_VISIBLE_DEVICES
		if [ "$3" != timed ]; then
			SMUX_LAUNCH_CHECK=$3
			export SMUX_LAUNCH_CHECK
			[ "$check_repeats" = 0 ] || export SMUX_BENCH_REPEAT="$check_repeats"
		else
			SMUX_LAUNCH_HOLD=5000
			export SMUX_LAUNCH_HOLD
			[ "$flush" = 0 ] || export SMUX_LAUNCH_FLUSH="$flush"
			[ "$repeats" = 0 ] || export SMUX_BENCH_REPEAT="$repeats"
		fi
		# shellcheck disable=SC2046 # words
		launch $(limit "$seconds") ./smux-program
	) >"$2/stdout" 2>"$new/stderr" </dev/null &
	child=$!
	echo "$child" >"$new/child"
	wait "$child"
	status=$?
	child=
	rm -f "$new/child"
	took=$(($(date +%s) - began))
	late=0
	case $status in
	124 | 137) [ "$took" -lt "$seconds" ] || late=1 ;;
	esac
	tail -c 16384 "$new/stderr" >"$2/stderr" && echo "exit $status seconds $took late $late" >"$2/ended" ||
		fail 'the results of a run could not be written: is the disk full?'
}

# good FOLDER: the run ended well, and its launches were timed.
good() {
	grep -q '^exit 0 ' "$1/ended" && [ -s "$1/launches" ] && ! grep -Eqv '^(launch|unchecked) ' "$1/launches"
}

# slim FOLDER LIKE: what is the same as in another run is not kept twice.
slim() {
	for f in copies stdout; do
		if [ -f "$1/$f" ] && [ -f "$2/$f" ] && cmp -s "$1/$f" "$2/$f"; then
			: >"$1/$f.same" && rm "$1/$f"
		fi
	done
}

# state FOLDER: the GPU's clocks and temperature, read and never set.
state() {
	for reasons in clocks_throttle_reasons.active clocks_event_reasons.active; do
		nvidia-smi --query-gpu="clocks.sm,clocks.mem,temperature.gpu,$reasons" --format=csv,noheader,nounits -i "$device" >"$1/state" 2>/dev/null && return
	done
	rm -f "$1/state"
}

keep() { # FOLDER AS
	holding || fail "this process was taken for dead, and another one goes on: what it measured last is not kept"
	mkdir -p "$(dirname "$2")" && mv "$1" "$2" || fail 'a result could not be kept: is the disk full?'
}

# settle: two runs of the original that show what each launch leaves behind, as strictly as
# it bears: of two that pass, those that check more are kept only if they are equal; of
# others that is judged where the results are taken back. $level is 0 if it bears neither.
settle() {
	if [ -s "$results/level" ]; then
		level=$(cat "$results/level")
		return
	fi
	say "$original: check"
	for level in 2 1 0; do
		rm -rf "$results/checks/$original" "$results/checks/$original.again" "$new/check" "$new/again"
		[ "$level" = 0 ] && break
		measure "$original" "$new/check" "$level"
		good "$new/check" || continue
		measure "$original" "$new/again" "$level"
		good "$new/again" || continue
		slim "$new/again" "$new/check"
		[ "$level" = 1 ] || [ ! -f "$new/again/copies" ] || continue
		keep "$new/check" "$results/checks/$original"
		keep "$new/again" "$results/checks/$original.again"
		break
	done
	echo "$level" >"$new/level" && mv "$new/level" "$results/level" || fail 'a result could not be kept: is the disk full?'
}

# check NAME: a run of a form that shows what each launch leaves behind, once.
check() {
	[ "$level" = 0 ] || [ -d "$results/checks/$1" ] && return
	say "$1: check"
	measure "$1" "$new/check" "$level"
	slim "$new/check" "$results/checks/$original"
	keep "$new/check" "$results/checks/$1"
	good "$results/checks/$1" || give_up "$1"
}

give_up() { # NAME
	say "$1: given up, for its run failed"
	mkdir -p "$results/failed" && : >"$results/failed/$1"
}

# pair NAME PHASE TURN: one measurement. Its folder appears when it is whole.
pair() {
	at=$results/pairs/$1/$2-$3
	[ -d "$at" ] && return
	say "$1: $2 $(($3 + 1))"
	rm -rf "$new/pair"
	mkdir "$new/pair" || exit 1
	state "$new/pair"
	order='base variant'
	[ $(($3 % 2)) = 0 ] || order='variant base'
	for which in $order; do
		name=$1
		[ "$which" = base ] && name=${against:-$original}
		measure "$name" "$new/pair/$which" timed
		slim "$new/pair/$which" "$results/reference"
	done
	if ! good "$new/pair/base"; then
		cat "$new/pair/base/stderr" >&2
		fail "${against:-the program as it is} failed next to $1 ($(cat "$new/pair/base/ended")); nothing of that was kept"
	fi
	echo "device $device time $(date -u +%Y-%m-%dT%H:%M:%SZ) order $order" >"$new/pair/whole" || exit 1
	keep "$new/pair" "$at"
	good "$at/variant" || give_up "$1"
}

# pairs NAME PHASE TURNS
pairs() {
	[ -x "$bin/$1" ] && [ ! -e "$results/failed/$1" ] || return
	missing=0
	turn=0
	while [ "$turn" -lt "$3" ]; do
		[ -d "$results/pairs/$1/$2-$turn" ] || missing=1
		turn=$((turn + 1))
	done
	[ "$missing" = 1 ] || return
	turn=0
	while [ "$turn" -lt "$warm_up" ]; do
		rm -rf "$new/warm"
		measure "$1" "$new/warm" timed
		turn=$((turn + 1))
	done
	turn=0
	while [ "$turn" -lt "$3" ] && [ ! -e "$results/failed/$1" ]; do
		pair "$1" "$2" "$turn"
		turn=$((turn + 1))
	done
}

# must FOLDER: ends all if the original's run failed, for nothing can be compared then.
must() {
	good "$1" && return
	cat "$1/stderr" >&2
	why=$(grep -Ev '^(launch|unchecked) ' "$1/launches" 2>/dev/null | sed 1q)
	why=$(cat "$1/ended")${why:+, $why}
	[ -s "$1/launches" ] || why="$why, no launch was timed"
	rm -rf "$results/checks/$original" "$results/checks/$original.again" "$results/level" "$results/failed/$original"
	fail "the program as it is failed: $why (it was built for $arch; make ARCH=... builds for another GPU)"
}

# What all forms are compared with is measured first, by one process.
lock_wait "$locks/original"
mkdir "$new/machine" && cp "$bin/settings" "$new/machine/nvcc" && echo "$gpu" | sed 's/^[^,]*, [^,]*, //' >"$new/machine/gpu" || exit 1
if [ -d "$results/machine" ]; then
	for f in nvcc gpu; do
		cmp -s "$results/machine/$f" "$new/machine/$f" ||
			fail "$results was measured with another $f: \"$(cat "$results/machine/$f")\", here \"$(cat "$new/machine/$f")\"; move it away to begin anew" 3
	done
else
	keep "$new/machine" "$results/machine"
fi
settle
if [ ! -d "$results/reference" ]; then
	measure "$original" "$new/reference" timed
	must "$new/reference"
	keep "$new/reference" "$results/reference"
fi
unlock

# each FUNCTION NAME...: calls it for each form, first for those that nobody else is at,
# then for those that others were at: they may not have come to an end.
each() {
	call=$1
	shift
	later=
	for each_name in "$@"; do
		if lock "$locks/$each_name"; then
			"$call" "$each_name"
			unlock
		else
			later="$later $each_name"
		fi
	done
	for each_name in $later; do
		lock_wait "$locks/$each_name"
		"$call" "$each_name"
		unlock
	done
}
searched() { # NAME
	[ ! -x "$bin/$1" ] || [ "$1" = "$original" ] || check "$1"
	pairs "$1" search "$turns"
}
confirmed() { # NAME
	[ "$1" = "$original" ] || pairs "$1" confirm "$confirm_turns"
}
beside() { # NAME
	pairs "$1" "confirm-against-$against" "$confirm_turns"
}

if [ -n "$against" ]; then
	[ -x "$bin/$against" ] || fail "$against was not built"
	# shellcheck disable=SC2086 # names
	each beside $names
else
	# shellcheck disable=SC2086 # names
	[ "$phase" = confirm ] || each searched $names
	# shellcheck disable=SC2086 # names
	[ "$phase" = search ] || each confirmed $names
fi
[ -n "$task" ] || say "Measured. Bring this folder back, and call: smux tune --import $(basename "$top") ..."
