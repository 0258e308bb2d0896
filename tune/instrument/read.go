package instrument

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

type Launch struct {
	Milliseconds float64
	Blocks       int // per SM, as the CUDA runtime computes it
	Threads      int // of a thread block
	Bytes        int // of dynamic shared memory
}

type Run struct {
	Launches []Launch // in the order in which they were made
	// Unchecked says why a check was given up, "" where it wasn't.
	Unchecked string
}

// UntimedError reports why the launches of a run can't be taken for measured.
type UntimedError struct {
	Why string
	// CUDA is the name of the error that a launch ended with, "" for none.
	CUDA string
	None bool // no launch was made, of those that are meant
}

func (e *UntimedError) Error() string { return e.Why }

// ReadLaunches reads the file that EnvOut names. A missing file is an *UntimedError: no launch was made.
func ReadLaunches(file string) (Run, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return Run{}, &UntimedError{Why: "it did not launch the kernel, or asked for it with a CUDA error pending", None: true}
	}
	if err != nil {
		return Run{}, err
	}
	return ParseLaunches(text)
}

// ParseLaunches reads a line "launch MILLISECONDS BLOCKS THREADS BYTES" for each launch. Other words, or no launch, are an *UntimedError.
func ParseLaunches(text []byte) (Run, error) {
	var r Run
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "":
		case "captured":
			return r, &UntimedError{Why: "a launch is captured into a graph, which can't be timed"}
		case "unchecked":
			r.Unchecked = rest
		default:
			var l Launch
			_, err := fmt.Sscanf(line, "launch %g %d %d %d", &l.Milliseconds, &l.Blocks, &l.Threads, &l.Bytes)
			if err != nil || len(strings.Fields(line)) != 5 || !(l.Milliseconds >= 0 && l.Milliseconds <= 1e12) || min(l.Blocks, l.Threads, l.Bytes) < 0 {
				e := &UntimedError{Why: "a launch was not timed: " + line[:min(len(line), 80)]}
				if strings.HasPrefix(line, "cudaError") {
					e.CUDA = word
				}
				return r, e
			}
			r.Launches = append(r.Launches, l)
		}
	}
	if len(r.Launches) == 0 {
		return r, &UntimedError{Why: "it launched the kernel with no blocks of the size that is meant", None: true}
	}
	return r, nil
}

func (r Run) Milliseconds() float64 {
	sum := 0.0
	for _, l := range r.Launches {
		sum += l.Milliseconds
	}
	return sum
}

// Repetitions returns the times of n equal groups of launches in milliseconds. The error is an *UntimedError.
func (r Run) Repetitions(n int) ([]float64, error) {
	if n < 1 || len(r.Launches) == 0 || len(r.Launches)%n != 0 {
		return nil, &UntimedError{Why: fmt.Sprintf("it made %d launches, which are not %d equal repetitions", len(r.Launches), n)}
	}
	each := len(r.Launches) / n
	out := make([]float64, 0, n)
	for i := range n {
		out = append(out, Run{Launches: r.Launches[i*each : (i+1)*each]}.Milliseconds())
	}
	return out, nil
}
