// Package timeless takes the times out of what a program prints, so that outputs
// of runs can be compared that differ in how long they took, and ought to.
package timeless

import (
	"strings"

	"github.com/smux-cuda/smux/internal/lazyregexp"
)

var (
	speaksOfTime = lazyregexp.New(`(?i)\b(time[sd]?|timing|elapsed|took|duration|seconds?|secs?|m?s|usecs?|msecs?|nsecs?|us|ns|throughput|bandwidth|performance|speed-?up|fps)\b|[0-9](ms|us|ns|s)\b|/s(ec)?\b|flop`)
	numbers      = lazyregexp.New(`[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?`)
)

// Line returns a line as it is compared: one that speaks of time or speed without its
// numbers and with single blanks, any other as it is.
func Line(line string) string {
	if !speaksOfTime.MatchString(line) {
		return line
	}
	return strings.Join(strings.Fields(numbers.ReplaceAllString(line, "#")), " ")
}
