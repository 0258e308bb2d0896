package pipeline

import "github.com/smux-cuda/smux/rewrite/regreduce"

// Reduction describes how registers are brought down (package rewrite/regreduce).
type Reduction struct {
	After bool     // after another rewrite
	Rungs []string // nil for all
	Rules regreduce.Rules
	// Stress is a file of measured times by thread blocks per SM (package tune/stress): no
	// more blocks are aimed at than gain something there. "" for none.
	Stress   string
	Attempts string // the file that gets what was tried, a line of JSON for each kernel; "" for none
}
