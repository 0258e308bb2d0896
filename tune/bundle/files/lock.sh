# Locks between processes of any number of machines that share this folder; read by
# run.sh. A lock NAME is the files NAME.1, NAME.2, ...: the last one made is that of
# who has the lock, or had it. Who takes it makes the next one, which the file system
# lets only one do, on NFS as well. None is ever removed: what was taken over can't
# be taken over twice, and who lost a lock sees it (holding). Names hold
# no spaces, and locks are given back in the other order than they were taken in.
#
# A file names its process: machine, boot, name space of process numbers, number, start.
# On that machine the process itself is looked for. Elsewhere it counts as gone when
# the file, to which it adds a point now and then, stays the same for $stale seconds by
# the clock of who waits: clocks need not agree.
# shellcheck shell=sh
stale=${SMUX_STALE:-120}
lock_here="$(uname -n) $(cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo -) $(readlink /proc/self/ns/pid 2>/dev/null || echo -)"

# started PID: when the process began, "-" if the system does not tell. The name before
# the last ")" may hold anything.
started() {
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20 | grep . || echo -
}
lock_me="$lock_here $$ $(started $$)"
lock_held=

# lives "MACHINE BOOT SPACE PID START": whether the process is there; 2 if it is of elsewhere.
lives() {
	case $1 in
	"$lock_here "*) ;;
	*) return 2 ;;
	esac
	# shellcheck disable=SC2086 # words
	set -- ${1#"$lock_here "}
	[ -n "${1-}" ] || return 1
	if [ -d "/proc/$1" ]; then
		[ "$(started "$1")" = "${2:--}" ]
	else # /proc may be missing, or hide processes of others, which may not be asked either
		kill -0 "$1" 2>/dev/null || kill -0 "$1" 2>&1 | grep -qi permitted
	fi
}

# over FILE: whether the process that a lock's file names does not hold it any more.
lock_seen=
over() {
	lock_text=$(cat "$1" 2>/dev/null)
	lock_holder=$(printf '%s\n' "$lock_text" | sed 1q)
	case $lock_text in
	*free) return 0 ;;
	esac
	lives "$lock_holder"
	case $? in
	0) return 1 ;;
	1) return 0 ;;
	esac
	if [ "$lock_seen" != "$1 $lock_text" ]; then
		lock_seen="$1 $lock_text"
		lock_since=$(date +%s)
		return 1
	fi
	[ $(($(date +%s) - lock_since)) -ge "$stale" ]
}

# lock NAME: takes a lock; 1 if another process has it, which $lock_holder names.
lock() {
	mkdir -p "$(dirname "$1")" || return 1
	while :; do
		lock_n=0
		while [ -e "$1.$((lock_n + 1))" ]; do lock_n=$((lock_n + 1)); done
		[ "$lock_n" = 0 ] || over "$1.$lock_n" || return 1
		lock_file=$1.$((lock_n + 1))
		if (set -C && printf '%s\n' "$lock_me" >"$lock_file") 2>/dev/null; then
			lock_held="$lock_file $lock_held"
			echo "$lock_held" >"$new/held"
			return 0
		fi
		[ -e "$lock_file" ] || fail "$lock_file can't be written"
	done
}

# holder: in words, who has the lock that was tried last.
holder() {
	echo "$lock_holder" | { read -r machine _ _ pid _ && echo "process $pid of $machine" || echo 'a process that begins'; }
}

# lock_wait NAME: takes a lock, however long it takes.
lock_wait() {
	until lock "$1"; do
		[ "$lock_said" = "$1" ] || say "waiting for $(basename "$1"), which $(holder) has"
		lock_said=$1
		sleep 1
	done
}
lock_said=

# unlock: gives back the lock that was taken last.
unlock() {
	lock_file=${lock_held%% *}
	lock_held=${lock_held#* }
	echo "$lock_held" >"$new/held"
	echo free >>"$lock_file"
}

unlock_all() {
	while [ -n "$lock_held" ]; do unlock; done
}

# holding: whether the lock that was taken last has not been taken over meanwhile.
holding() {
	lock_file=${lock_held%% *}
	[ ! -e "${lock_file%.*}.$((${lock_file##*.} + 1))" ]
}

# beat: says now and then that this process is there, as long as it is.
beat() {
	while sleep $((stale / 6 + 1)) && kill -0 $$ 2>/dev/null; do
		for lock_file in $(cat "$new/held" 2>/dev/null); do
			printf . >>"$lock_file"
		done
	done
}
