package machine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/tune/record"
)

// The environment that an instrumented program reads. Without it the program does what
// it did.
const (
	envLaunches = "SMUX_LAUNCH_OUT"    // the file that gets a line for each launch
	envCopies   = "SMUX_LAUNCH_COPIES" // the file that gets the copies to the host
	envFlush    = "SMUX_LAUNCH_FLUSH"  // bytes that are written before each timed launch
	envCheck    = "SMUX_LAUNCH_CHECK"  // 1 for a check run
	envRepeat   = "SMUX_BENCH_REPEAT"  // how often the main of a kernel that is run alone makes its runs
)

// readLaunches reads what a run says of its launches, in the order of the launches:
// their times in milliseconds.
//
// A line is "launch MILLISECONDS BLOCKS_PER_SM THREADS DYNAMIC_BYTES", or the word
// for what kept a launch from being timed: "captured", or the name of a CUDA error. The
// failure is that of the first such line. A file that isn't there is one without
// lines.
func readLaunches(file string) ([]float64, *record.Failure) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &record.Failure{Kind: record.FailedUntimed, Text: err.Error()}
	}
	defer f.Close()
	return parseLaunches(f)
}

// mostLaunchLine is longer than any line that is meant.
const mostLaunchLine = 1 << 12

func parseLaunches(r io.Reader) ([]float64, *record.Failure) {
	var out []float64
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, mostLaunchLine)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		switch {
		case len(f) == 0:
			continue
		case f[0] == "captured":
			return nil, untimed("a launch of the kernel is captured into a graph, which can't be timed")
		case len(f) == 1 && strings.HasPrefix(f[0], "cudaError"):
			return nil, launchFailure(f[0])
		}
		t, ok := launchTime(f)
		if !ok {
			return nil, untimed(fmt.Sprintf("a launch of the kernel was not timed: %.80q", lines.Text()))
		}
		out = append(out, t)
	}
	if err := lines.Err(); err != nil {
		return nil, untimed("the log of the launches can't be read: " + err.Error())
	}
	return out, nil
}

// launchTime is the time on a line of a launch, ok false where it isn't one.
func launchTime(fields []string) (milliseconds float64, ok bool) {
	if len(fields) != 5 || fields[0] != "launch" {
		return 0, false
	}
	t, err := strconv.ParseFloat(fields[1], 64)
	if err != nil || !(t >= 0) || math.IsInf(t, 0) {
		return 0, false
	}
	for _, f := range fields[2:] {
		if _, err := strconv.ParseUint(f, 10, 64); err != nil {
			return 0, false
		}
	}
	return t, true
}

// sum is the time of the kernel in a run of a program: that of all its launches.
func sum(times []float64) (total float64) {
	for _, t := range times {
		total += t
	}
	return total
}

// groups are the times of the repetitions that count, of a run that makes so many
// of them, all alike, behind some that don't count.
func groups(times []float64, warmUp, repeats int) ([]float64, *record.Failure) {
	all := warmUp + repeats
	if all < 1 || len(times)%all != 0 {
		return nil, untimed(fmt.Sprintf("%d launches can't be %d equal repetitions", len(times), all))
	}
	each := len(times) / all
	var out []float64
	for i := warmUp; i < all; i++ {
		out = append(out, sum(times[i*each:(i+1)*each]))
	}
	return out, nil
}

func untimed(text string) *record.Failure {
	return &record.Failure{Kind: record.FailedUntimed, Text: text}
}
