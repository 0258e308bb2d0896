package instrument

// The environment that a changed program reads.
const (
	// EnvOut names the file to which a line is added for each launch: see
	// ReadLaunches.
	EnvOut = "SMUX_LAUNCH_OUT"
	// EnvThreads is the number of threads in the thread blocks of the launches that are
	// meant; the others are launched as they are. Unset or 0: all.
	EnvThreads = "SMUX_LAUNCH_THREADS"
	// EnvBytes is the number of bytes of dynamic shared memory that each launch that is timed
	// takes in addition.
	EnvBytes = "SMUX_LAUNCH_BYTES"
	// EnvCarveout is the part of an SM's storage that the kernel prefers as shared
	// memory, in percent.
	EnvCarveout = "SMUX_LAUNCH_CARVEOUT"
	// EnvFlush is the number of bytes that are written in front of each launch that is timed, so
	// that the L2 cache holds nothing else.
	EnvFlush = "SMUX_LAUNCH_FLUSH"
	// EnvHold is for how many microseconds a stream is held back at most while a launch that is
	// timed and the events around it are put into its queue, so that its time is none of the host's. Unset or
	// 0: not at all.
	EnvHold = "SMUX_LAUNCH_HOLD"
	// LongestHold is the value of EnvHold on a GPU: longer than a launch takes, and no matter where a
	// launch's arguments wait for the stream.
	LongestHold = "5000"
	// EnvCopies names the file to which copies to the host are added, in the format
	// of the copy log of package verify.
	EnvCopies = "SMUX_LAUNCH_COPIES"
	// EnvCopyBytes bounds the data in that file: after it there are only hashes.
	// Unset: 1 GiB.
	EnvCopyBytes = "SMUX_COPY_BYTES"
	// EnvCheck set to 1 makes launches begin with the device memory that the first of
	// them found, and adds to the copy log what each of them leaves: of the first 16
	// launches, and of those after whose number is a power of two, since a program that
	// launches until the memory says that it is done has to come to its end. Set to 2,
	// every second launch finds results of the first one, each in another's place, where
	// the first one wrote.
	EnvCheck = "SMUX_LAUNCH_CHECK"
	// EnvSnapshots bounds the host memory that a check may take, in bytes; where that
	// isn't enough Launches.Unchecked says so. Unset: 8 GiB.
	EnvSnapshots = "SMUX_LAUNCH_SNAPSHOTS"
)
