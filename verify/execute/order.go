package execute

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Schedule is the order in which threads and blocks run.
type Schedule struct {
	Kind string // "ascending", "descending", "random" or "steps"
	Seed uint64 // of a random order
	// Steps are the threads that make the first steps, as package explore counts both, such as 0.1*3.2; or any:SEED. What is
	// left open is in ascending order. Only the checked build, and launches of few threads, follow them.
	Steps string
}

// String returns the form that ParseSchedule reads: "random:3". The zero Order is ascending.
func (o Schedule) String() string {
	switch o.Kind {
	case "":
		return "ascending"
	case "random":
		return "random:" + strconv.FormatUint(o.Seed, 10)
	case "steps":
		return "steps:" + o.Steps
	}
	return o.Kind
}

// ParseSchedule reads "ascending", "descending", "random" (the same as random:1),
// "random:SEED" or "steps:" with steps.
func ParseSchedule(s string) (Schedule, error) {
	kind, seed, seeded := strings.Cut(s, ":")
	switch {
	case !seeded && (kind == "ascending" || kind == "descending"):
		return Schedule{Kind: kind}, nil
	case seeded && kind == "steps" && steps.MatchString(seed):
		return Schedule{Kind: kind, Steps: seed}, nil
	case !seeded && kind == "random":
		return Schedule{Kind: kind, Seed: 1}, nil
	case kind == "random":
		if n, err := strconv.ParseUint(seed, 10, 64); err == nil {
			return Schedule{Kind: kind, Seed: n}, nil
		}
	}
	return Schedule{}, fmt.Errorf("unknown order %q: there are ascending, descending, random:SEED and steps:THREADS", s)
}

var steps = regexp.MustCompile(`^(any:\d+|(\d+(\*\d+)?(\.|$))*)$`)

// StepsOf is the schedule in which these threads make the first steps.
func StepsOf(threads []int) Schedule {
	var text []string
	for i := 0; i < len(threads); {
		n := i
		for n < len(threads) && threads[n] == threads[i] {
			n++
		}
		one := strconv.Itoa(threads[i])
		if n > i+1 {
			one += "*" + strconv.Itoa(n-i)
		}
		text, i = append(text, one), n
	}
	return Schedule{Kind: "steps", Steps: strings.Join(text, ".")}
}
