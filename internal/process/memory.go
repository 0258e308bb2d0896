package process

import (
	"bytes"
	"fmt"
	"regexp"
)

// leastMemory is the least that CompilerMemory gives.
const leastMemory = 2 << 30

// CompilerMemory returns how many bytes a compiler may take here: half of the machine's memory, or of the control
// group's, and 2 GiB at least. It is 0, for no limit, where OutputWithin sets none.
func CompilerMemory() uint64 {
	all := machineMemory()
	if all == 0 {
		return 0
	}
	return max(all/2, leastMemory)
}

// OutOfMemoryError reports that a command failed since one of its processes came to
// the limit that OutputWithin had set.
type OutOfMemoryError struct {
	Limit uint64 // bytes
	Err   error  // how it ended
}

func (e *OutOfMemoryError) Error() string {
	return fmt.Sprintf("it needs more than the %.3g GB of memory that it may have here", float64(e.Limit)/1e9)
}

func (e *OutOfMemoryError) Unwrap() error { return e.Err }

// OutputWithin is c.CombinedOutput of a command each process of which may have so many bytes of address space, 0 for
// any number: it is told that there is no more memory before the system runs out of it and kills a process, maybe
// another one. A smaller limit that this process has stays. Only Linux has such a limit; elsewhere there is none. The
// error is an *OutOfMemoryError where the limit is why it failed.
func OutputWithin(c *Cmd, memory uint64) ([]byte, error) {
	if memory == 0 {
		return c.CombinedOutput()
	}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	limitMemory(c.Cmd, memory)
	err := c.Run()
	if c.ProcessState == nil {
		return nil, err // it did not start
	}
	if err != nil {
		// A text may speak of memory and a compiler may crash; they do not take as much then.
		peak := peakMemory(c.ProcessState)
		if peak > memory/8 && noMemory.MatchString(out.String()) || peak > memory/2 && killed.MatchString(out.String()) {
			err = &OutOfMemoryError{memory, err}
		}
	}
	return out.Bytes(), err
}

// What compilers, assemblers and linkers say when they get no memory, and what is said of those that a signal ended.
var (
	noMemory = regexp.MustCompile(`(?i)out of memory|cannot allocate memory|memory exhausted|memory allocation fail|bad_alloc|failed to allocate`)
	killed   = regexp.MustCompile(`(?i)died due to signal|terminated signal|killed|aborted|segmentation fault|core dumped`)
)
