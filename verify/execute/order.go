package execute

import (
	"fmt"
	"strconv"
	"strings"
)

// Schedule is the order in which threads and blocks run.
type Schedule struct {
	Kind string // "ascending", "descending" or "random"
	Seed uint64 // of a random order
}

// String returns the form that ParseSchedule reads: "random:3". The zero Order is
// ascending.
func (o Schedule) String() string {
	switch o.Kind {
	case "":
		return "ascending"
	case "random":
		return "random:" + strconv.FormatUint(o.Seed, 10)
	}
	return o.Kind
}

// ParseSchedule reads "ascending", "descending", "random" (the same as random:1) or
// "random:SEED".
func ParseSchedule(s string) (Schedule, error) {
	kind, seed, seeded := strings.Cut(s, ":")
	switch {
	case !seeded && (kind == "ascending" || kind == "descending"):
		return Schedule{Kind: kind}, nil
	case !seeded && kind == "random":
		return Schedule{Kind: kind, Seed: 1}, nil
	case kind == "random":
		if n, err := strconv.ParseUint(seed, 10, 64); err == nil {
			return Schedule{Kind: kind, Seed: n}, nil
		}
	}
	return Schedule{}, fmt.Errorf("unknown order %q: there are ascending, descending and random:SEED", s)
}
