package process

import (
	"regexp"
	"strings"
)

var (
	speaksOfTime = regexp.MustCompile(`(?i)\b(time[sd]?|timing|elapsed|took|duration|seconds?|secs?|m?s|usecs?|msecs?|nsecs?|us|ns|throughput|bandwidth|performance|speed-?up|fps)\b|[0-9](ms|us|ns|s)\b|/s(ec)?\b|flop`)
	numbers      = regexp.MustCompile(`[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?`)
)

// Timeless returns a line that a program prints as it is compared with that of another run,
// which took another time and ought to: one that speaks of time or speed without its
// numbers and with single blanks, any other as it is.
func Timeless(line string) string {
	if !speaksOfTime.MatchString(line) {
		return line
	}
	return strings.Join(strings.Fields(numbers.ReplaceAllString(line, "#")), " ")
}
