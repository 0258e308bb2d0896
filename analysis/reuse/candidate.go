package reuse

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/affine"
	"github.com/smux-cuda/smux/diag"
)

// Kind is how the threads of a block share what they read.
type Kind string

// The kinds of candidates.
const (
	Vector      Kind = "vector"      // all threads read one element at a time, along a loop: the vector of a matrix-vector product
	Rows        Kind = "rows"        // threads along one dimension read the same, the loop runs along memory: rows of a matrix product
	Columns     Kind = "columns"     // the same, the loop steps over rows: columns of a matrix product
	Broadcast   Kind = "broadcast"   // groups of threads read the same
	Stencil1D   Kind = "stencil-1d"  // neighbours along one direction
	Stencil2D   Kind = "stencil-2d"  // along two
	Stencil3D   Kind = "stencil-3d"  // along three or more
	Convolution Kind = "convolution" // a loop moves along the threads: taps of a filter, a sliding window
	Table       Kind = "table"       // an index from data, into an array of known size
)

// Reason is a sentence about a place.
type Reason struct {
	Pos  diag.Position `json:"pos"`
	Text string        `json:"text"`
}

func (r Reason) String() string {
	if r.Pos.IsValid() {
		return fmt.Sprintf("%s (line %d)", r.Text, r.Pos.Line)
	}
	return r.Text
}

// Loop is the loop that is cut into tiles.
type Loop struct {
	Pos  diag.Position `json:"pos"`
	Trip string        `json:"trip"` // number of iterations as a formula, "" if not known
	// Iterations is that number, 0 if not known.
	Iterations int `json:"iterations,omitempty"`
}

// Size holds the costs and savings of staging for one tile size, per thread block.
// Without a loop to cut there is one tile.
type Size struct {
	Tile      int `json:"tile"`      // iterations of the loop, 0 without one
	Elements  int `json:"elements"`  // that are read, each once
	Footprint int `json:"footprint"` // their bytes
	Shared    int `json:"shared"`    // bytes that staging takes: the box around the footprint
	Requests  int `json:"requests"`  // elements that the threads ask for, each thread's own repeats left out
	Before    int `json:"before"`    // 32-byte sectors that the loads move as they are
	After     int `json:"after"`     // … that moving the footprint once takes
}

// Saved is the sectors that staging saves.
func (s Size) Saved() int { return s.Before - s.After }

// Reuse is how many threads ask for an element, on average.
func (s Size) Reuse() float64 {
	if s.Elements == 0 {
		return 0
	}
	return float64(s.Requests) / float64(s.Elements)
}

// Candidate is one array whose loads would gain from staging.
type Candidate struct {
	Kind         Kind            `json:"kind"`
	Array        string          `json:"array"`
	ElementBytes int             `json:"elementBytes"`
	Places       []diag.Position `json:"places"`
	Block        [3]int          `json:"block"`
	Loop         *Loop           `json:"loop,omitempty"`
	// Reuse is that of the largest of Sizes.
	Reuse float64 `json:"reuse"`
	Sizes []Size  `json:"sizes"`
	// Needs lists what a rewrite would have to establish or change first.
	Needs []Reason `json:"needs,omitempty"`
	// Refused is why it can't be staged at all.
	Refused     []Reason `json:"refused,omitempty"`
	Assumptions []string `json:"assumptions,omitempty"`

	geometry *geometry
}

// Stageable reports whether nothing forbids staging.
func (c *Candidate) Stageable() bool { return len(c.Refused) == 0 }

// Typical is the size that stands for the candidate in summaries: that of the
// largest of Sizes.
func (c *Candidate) Typical() Size { return c.Sizes[len(c.Sizes)-1] }

// Names lists arrays for a sentence.
func names(arrays []affine.Array) string {
	var out []string
	for _, a := range arrays {
		n := a.Name()
		if n == "" {
			n = "a pointer of unknown origin"
		}
		out = append(out, n)
	}
	return strings.Join(out, ", ")
}

// String describes the candidate on a few lines.
func (c Candidate) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", c.Array, c.Kind)
	for i, p := range c.Places {
		if i == 0 {
			fmt.Fprintf(&b, ", read at %d:%d", p.Line, p.Column)
		} else {
			fmt.Fprintf(&b, ", %d:%d", p.Line, p.Column)
		}
	}
	if c.Loop != nil {
		fmt.Fprintf(&b, " in the loop at line %d", c.Loop.Pos.Line)
		if c.Loop.Trip != "" {
			fmt.Fprintf(&b, " (%s iterations)", c.Loop.Trip)
		}
	}
	b.WriteByte('\n')
	for _, s := range c.Sizes {
		b.WriteString("  ")
		if s.Tile > 0 {
			fmt.Fprintf(&b, "tile of %d: ", s.Tile)
		}
		fmt.Fprintf(&b, "%d bytes per thread block, each element used by %.4g threads, %d of %d sectors saved, %d bytes of shared memory\n",
			s.Footprint, s.Reuse(), s.Saved(), s.Before, s.Shared)
	}
	for _, r := range c.Needs {
		fmt.Fprintf(&b, "  needs: %s\n", r)
	}
	for _, r := range c.Refused {
		fmt.Fprintf(&b, "  not possible: %s\n", r)
	}
	for _, a := range c.Assumptions {
		fmt.Fprintf(&b, "  assumed: %s\n", a)
	}
	return b.String()
}
