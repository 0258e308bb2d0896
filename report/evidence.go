package report

import (
	"fmt"

	"github.com/smux-cuda/smux/internal/plural"
)

// Measured reports whether real times of the device were measured: others tell nothing of
// a GPU.
func (e Evidence) Measured() bool { return e.On == "gpu" || e.On == "command" }

// Where reports where the times come from, so that no one takes times that were made up
// for measured ones.
func (e Evidence) Where() string {
	switch e.On {
	case "gpu":
		return "measured on " + e.Device
	case "command":
		return "measured by a command, for " + e.Device
	case "cpu":
		return "on the CPU engine, which says nothing of a GPU"
	case "model":
		return "made up by the " + e.Device + ", not measured"
	}
	return fmt.Sprintf("by %q", e.On)
}

// Bounded reports whether there are enough pairs for an interval.
func (e Evidence) Bounded() bool { return e.Pairs > 1 }

// Gain returns the ratio with its interval, where there is one: "1.31x (1.28 to 1.35, 24
// pairs)".
func (e Evidence) Gain() string {
	if !e.Bounded() {
		return fmt.Sprintf("%.2fx (%s)", e.Ratio, plural.Count(e.Pairs, "pair"))
	}
	return fmt.Sprintf("%.2fx (%.2f to %.2f, %s)", e.Ratio, e.Low, e.High, plural.Count(e.Pairs, "pair"))
}
