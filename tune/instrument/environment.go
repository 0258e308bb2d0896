package instrument

// The environment that a changed program reads.
const (
	// EnvOut names the file to which a line is added for each launch: see ReadLaunches.
	EnvOut = "SMUX_LAUNCH_OUT"
	// EnvThreads is the threads in the blocks of the launches that are meant; others are launched as they are. Unset or 0: all.
	EnvThreads = "SMUX_LAUNCH_THREADS"
	// EnvBytes is the number of bytes of dynamic shared memory that each launch that is timed takes in addition.
	EnvBytes = "SMUX_LAUNCH_BYTES"
	// EnvCarveout is the part of an SM's storage that the kernel prefers as shared memory, in percent.
	EnvCarveout = "SMUX_LAUNCH_CARVEOUT"
	// EnvFlush is the number of bytes that are written before each timed launch, so that the L2 cache holds nothing else.
	EnvFlush = "SMUX_LAUNCH_FLUSH"
	// EnvHold is for how many microseconds at most a stream is held back until a timed launch is in its queue. Unset or 0: none.
	EnvHold = "SMUX_LAUNCH_HOLD"
	// LongestHold is the value of EnvHold on a GPU: longer than a launch takes.
	LongestHold = "5000"
	// EnvCopies names the file to which copies to the host are added, in the format of the copy log of package verify.
	EnvCopies = "SMUX_LAUNCH_COPIES"
	// EnvCopyBytes bounds the data in that file: after it there are only hashes. Unset: 1 GiB.
	EnvCopyBytes = "SMUX_COPY_BYTES"
	// EnvCheck set to 1 makes launches begin with the memory that the first of them found, and adds to the copy log what the
	// first 16 leave, and then those whose number is a power of two: a program that launches until the memory says that it
	// is done has to end. Set to 2, every second launch finds results of the first one, each in another's place.
	EnvCheck = "SMUX_LAUNCH_CHECK"
	// EnvSnapshots bounds the host memory of a check in bytes; if that isn't enough Launches.Unchecked says so. Unset: 8 GiB.
	EnvSnapshots = "SMUX_LAUNCH_SNAPSHOTS"
)
