package report

import (
	"fmt"

	"github.com/smux-cuda/smux/internal/prose"
)

// Where reports where the times come from.
func (e Evidence) Where() string {
	if e.On == "command" {
		return "measured by a command, for " + e.Device
	}
	return "measured on " + e.Device
}

// Bounded reports whether there are enough pairs for an interval.
func (e Evidence) Bounded() bool { return e.Pairs > 1 }

// Gain returns the ratio with its interval, where there is one: "1.31x (1.28 to 1.35, 24
// pairs)".
func (e Evidence) Gain() string {
	if !e.Bounded() {
		return fmt.Sprintf("%.2fx (%s)", e.Ratio, prose.Count(e.Pairs, "pair"))
	}
	return fmt.Sprintf("%.2fx (%.2f to %.2f, %s)", e.Ratio, e.Low, e.High, prose.Count(e.Pairs, "pair"))
}
