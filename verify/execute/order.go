package execute

import (
	"fmt"
	"strconv"
	"strings"
)

// Order is the order in which threads and blocks run.
type Order struct {
	Kind string // "ascending", "descending" or "random"
	Seed uint64 // of a random order
}

// String is the form that ParseOrder reads: "random:3". The zero Order is
// ascending.
func (o Order) String() string {
	switch o.Kind {
	case "":
		return "ascending"
	case "random":
		return "random:" + strconv.FormatUint(o.Seed, 10)
	}
	return o.Kind
}

// ParseOrder reads "ascending", "descending", "random" (the same as random:1) or
// "random:SEED".
func ParseOrder(s string) (Order, error) {
	kind, seed, seeded := strings.Cut(s, ":")
	switch {
	case !seeded && (kind == "ascending" || kind == "descending"):
		return Order{Kind: kind}, nil
	case !seeded && kind == "random":
		return Order{Kind: kind, Seed: 1}, nil
	case kind == "random":
		if n, err := strconv.ParseUint(seed, 10, 64); err == nil {
			return Order{Kind: kind, Seed: n}, nil
		}
	}
	return Order{}, fmt.Errorf("unknown order %q: there are ascending, descending and random:SEED", s)
}
