package occupancy

import (
	"encoding/json"
	"fmt"

	"github.com/smux-cuda/smux/diag"
)

// Limit is one resource of an SM.
type Limit uint8

// The resources, in the order in which they are reported.
const (
	Shared Limit = iota
	Registers
	Threads  // thread or warp slots
	Blocks   // thread block slots
	Barriers // barriers of thread blocks, from compute capability 9.0 on
	numLimits
)

var limitNames = [numLimits]string{"shared memory", "registers", "threads", "thread blocks", "barriers"}

func (l Limit) String() string {
	if l < numLimits {
		return limitNames[l]
	}
	return fmt.Sprintf("Limit(%d)", uint8(l))
}

// MarshalText gives the name that String gives.
func (l Limit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Limits is a set of resources.
type Limits uint8

// Of returns the set of the given resources.
func Of(limits ...Limit) Limits {
	var s Limits
	for _, l := range limits {
		s |= 1 << l
	}
	return s
}

// Has reports whether l is in the set.
func (s Limits) Has(l Limit) bool { return s&(1<<l) != 0 }

// Only reports whether l is the single resource of the set.
func (s Limits) Only(l Limit) bool { return s == 1<<l }

// List returns the set's resources in the order in which they are reported.
func (s Limits) List() []Limit {
	var list []Limit
	for l := range numLimits {
		if s.Has(l) {
			list = append(list, l)
		}
	}
	return list
}

// String lists the set in words: "shared memory, registers and threads". An
// empty set is "nothing".
func (s Limits) String() string {
	if s == 0 {
		return "nothing"
	}
	var names []string
	for _, l := range s.List() {
		names = append(names, l.String())
	}
	return diag.AndList(names)
}

// MarshalJSON writes the set as a list of names.
func (s Limits) MarshalJSON() ([]byte, error) {
	names := []string{}
	for _, l := range s.List() {
		names = append(names, l.String())
	}
	return json.Marshal(names)
}

// ByLimit holds a number of thread blocks for each resource, by Limit.
type ByLimit [numLimits]int

// MarshalJSON writes an object with the resources that put a limit, by name.
func (b ByLimit) MarshalJSON() ([]byte, error) {
	limits := map[string]int{}
	for l := range numLimits {
		if b[l] != Unlimited {
			limits[l.String()] = b[l]
		}
	}
	return json.Marshal(limits)
}

// min returns the least number of blocks and the resources that allow just that many.
func (b *ByLimit) min() (int, Limits) {
	blocks, set := Unlimited, Limits(0)
	for l, n := range b {
		switch {
		case n < blocks:
			blocks, set = n, 1<<l
		case n == blocks:
			set |= 1 << l
		}
	}
	return blocks, set
}
