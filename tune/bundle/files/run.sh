#!/bin/sh
# Measures all forms of the program: each next to the original, in turns, first to
# find the best ones and then all of them anew to confirm what was found. It can be
# stopped at any moment and goes on where it was when it is called again.
#
#   sh run.sh [--device N] [--turns N] [--confirm-turns N] [NAME…]
#   sh run.sh --against NAME NAME…
#
# Names are those of the folders in variants/; none stands for all. --against
# confirms forms next to another form in the original's place.
set -u
LC_ALL=C
export LC_ALL
unset CDPATH
cd "$(dirname "$0")" || exit 1
top=$(pwd)
. ./settings.sh

say() { printf '%s\n' "$*"; }
fail() {
	printf 'run.sh: %s\n' "$*" >&2
	exit 1
}
usage() {
	printf 'run.sh: %s\nusage: sh run.sh [--device N] [--turns N] [--confirm-turns N] [--against NAME] [NAME...]\n' "$*" >&2
	exit 2
}
number() { # VALUE FLAG
	case $1 in
	'' | *[!0-9]* | ???????*) usage "$2 takes a number" ;;
	esac
}

device=${CUDA_VISIBLE_DEVICES-}
device=${device%%,*}
[ -n "$device" ] || device=0
against=
names=
while [ $# -gt 0 ]; do
	case $1 in
	--device) device=${2-} && number "$device" "$1" ;;
	--turns) turns=${2-} && number "$turns" "$1" ;;
	--confirm-turns) confirm_turns=${2-} && number "$confirm_turns" "$1" ;;
	--against) against=${2-} && [ -d "variants/${against:-.none}" ] || usage "$1 takes a name of variants/" ;;
	-*) usage "there is no $1" ;;
	*)
		[ -d "variants/$1" ] || usage "variants/$1 is not there"
		names="$names $1"
		shift
		continue
		;;
	esac
	shift
	[ $# -gt 0 ] && shift
done
[ -z "$against" ] || [ -n "$names" ] || usage '--against takes the names of the forms to be measured'
[ -n "$names" ] || names=$variants

# Only one of these measures here. What an earlier one that was killed has left
# running would disturb: it is ended.
mkdir -p results || exit 1
if ! mkdir results/lock 2>/dev/null; then
	other=$(cat results/lock/pid 2>/dev/null)
	if [ -n "$other" ] && kill -0 "$other" 2>/dev/null; then
		fail "process $other measures here already (if it does not, remove results/lock)"
	fi
	left=$(cat results/lock/child 2>/dev/null)
	if [ -n "$left" ] && ps -p "$left" -o args= 2>/dev/null | grep -q smux-program; then
		kill "$left" 2>/dev/null
		for _ in 1 2 3 4 5; do
			kill -0 "$left" 2>/dev/null && sleep 1
		done
		kill -9 "$left" 2>/dev/null
	fi
fi
echo $$ >results/lock/pid || exit 1
child=
finish() {
	status=$?
	trap - EXIT INT TERM HUP
	if [ -n "$child" ]; then
		kill "$child" 2>/dev/null
		wait "$child" 2>/dev/null
	fi
	rm -rf results/new results/lock
	exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
new=$top/results/new
rm -rf "$new"
mkdir "$new" || exit 1

# shellcheck disable=SC2046 # no number is one word less
"${MAKE:-make}" -k -j $(getconf _NPROCESSORS_ONLN 2>/dev/null) all || say 'Not all forms are built: those that are will be measured.'
original=${variants%% *}
[ -x "bin/$original" ] || fail "the program as it is was not built, see bin/$original.log"

# On what is measured: the same in all of results/.
mkdir "$new/machine" && cp bin/settings "$new/machine/nvcc" && echo "$device" >"$new/machine/device" || exit 1
if ! nvidia-smi --query-gpu=index,uuid,name,driver_version --format=csv,noheader >"$new/machine/nvidia-smi" 2>/dev/null; then
	: >"$new/machine/nvidia-smi"
	say 'nvidia-smi does not answer: neither the name nor the state of the GPU is noted.'
fi
if [ -d results/machine ]; then
	for f in nvcc device nvidia-smi; do
		cmp -s "results/machine/$f" "$new/machine/$f" ||
			fail "results/ was measured with another $f (results/machine/$f): move results/ away to begin anew"
	done
else
	mv "$new/machine" results/machine || exit 1
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
	mkdir -p "$2" && cp -R work "$new/cwd" && ln -s "$top/bin/$1" "$new/cwd/smux-program" ||
		fail 'a run could not be prepared: is the disk full?'
	seconds=$timeout
	[ "$3" = timed ] || seconds=$check_timeout
	began=$(date +%s)
	(
		cd "$new/cwd" || exit 125
		unset SMUX_LAUNCH_CHECK SMUX_LAUNCH_FLUSH SMUX_BENCH_REPEAT
		SMUX_LAUNCH_OUT=$2/launches SMUX_LAUNCH_COPIES=$2/copies
		CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$device
		export SMUX_LAUNCH_OUT SMUX_LAUNCH_COPIES CUDA_DEVICE_ORDER CUDA_VISIBLE_DEVICES
		if [ "$3" != timed ]; then
			SMUX_LAUNCH_CHECK=$3
			export SMUX_LAUNCH_CHECK
			[ "$check_repeats" = 0 ] || export SMUX_BENCH_REPEAT="$check_repeats"
		else
			[ "$flush" = 0 ] || export SMUX_LAUNCH_FLUSH="$flush"
			[ "$repeats" = 0 ] || export SMUX_BENCH_REPEAT="$repeats"
		fi
		# shellcheck disable=SC2046 # words
		launch $(limit "$seconds") ./smux-program
	) >"$2/stdout" 2>"$new/stderr" </dev/null &
	child=$!
	echo "$child" >results/lock/child
	wait "$child"
	status=$?
	child=
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
	mkdir -p "$(dirname "$2")" && mv "$1" "$2" || fail 'a result could not be kept: is the disk full?'
}

# settle: two runs of the original that show what each launch leaves behind, as strictly as
# it bears: of two that pass, those that check more are kept only if they are equal; of
# others that is judged where the results are taken back. $level is 0 if it bears neither.
settle() {
	if [ -s results/level ]; then
		level=$(cat results/level)
		return
	fi
	say "$original: check"
	for level in 2 1 0; do
		rm -rf "results/checks/$original" "results/checks/$original.again" "$new/check" "$new/again"
		[ "$level" = 0 ] && break
		measure "$original" "$new/check" "$level"
		good "$new/check" || continue
		measure "$original" "$new/again" "$level"
		good "$new/again" || continue
		slim "$new/again" "$new/check"
		[ "$level" = 1 ] || [ ! -f "$new/again/copies" ] || continue
		keep "$new/check" "results/checks/$original"
		keep "$new/again" "results/checks/$original.again"
		break
	done
	echo "$level" >"$new/level" && mv "$new/level" results/level || fail 'a result could not be kept: is the disk full?'
}

# check NAME: a run of a form that shows what each launch leaves behind, once.
check() {
	[ "$level" = 0 ] || [ -d "results/checks/$1" ] && return
	say "$1: check"
	measure "$1" "$new/check" "$level"
	slim "$new/check" "results/checks/$original"
	keep "$new/check" "results/checks/$1"
	good "results/checks/$1" || give_up "$1"
}

give_up() { # NAME
	say "$1: given up, for its run failed"
	mkdir -p results/failed && : >"results/failed/$1"
}

# pair NAME PHASE TURN: one measurement. Its folder appears when it is whole.
pair() {
	at=results/pairs/$1/$2-$3
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
		slim "$new/pair/$which" results/reference
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
	[ -x "bin/$1" ] && [ ! -e "results/failed/$1" ] || return
	missing=0
	turn=0
	while [ "$turn" -lt "$3" ]; do
		[ -d "results/pairs/$1/$2-$turn" ] || missing=1
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
	while [ "$turn" -lt "$3" ] && [ ! -e "results/failed/$1" ]; do
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
	rm -rf "results/checks/$original" "results/checks/$original.again" results/level "results/failed/$original"
	fail "the program as it is failed: $why (it was built for $(cat bin/ARCH); make ARCH=... builds for another GPU)"
}

settle
if [ ! -d results/reference ]; then
	measure "$original" "$new/reference" timed
	must "$new/reference"
	keep "$new/reference" results/reference
fi

if [ -n "$against" ]; then
	[ -x "bin/$against" ] || fail "$against was not built"
	for name in $names; do
		pairs "$name" "confirm-against-$against" "$confirm_turns"
	done
else
	for name in $names; do
		[ ! -x "bin/$name" ] || [ "$name" = "$original" ] || check "$name"
		pairs "$name" search "$turns"
	done
	for name in $names; do
		[ "$name" = "$original" ] || pairs "$name" confirm "$confirm_turns"
	done
fi
say "Measured. Bring this folder back, and call: smux tune --import $(basename "$top") ..."
