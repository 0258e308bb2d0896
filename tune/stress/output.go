package stress

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/internal/process"
)

// compareOutputs turns levels whose runs printed something else than the
// original's into failures.
//
// A line in which two runs of the original differ is not compared, and in a line
// that speaks of time or speed no numbers are: that these change is what the test
// is about. Where the original's runs print different numbers of lines nothing
// is compared.
func (r *runner) compareOutputs() {
	want := r.measures[0].outputs
	for _, m := range r.measures[1:] {
		if m.row.Failure != nil {
			continue
		}
		for _, got := range m.outputs {
			if why := differs(want, got); why != "" {
				m.row.Failure, m.row.Milliseconds = &Failure{FailedOutput, why}, nil
				break
			}
		}
	}
}

// differs returns where an output differs from the original's, "" if it may be.
func differs(original [][]byte, got []byte) string {
	var want [][]string
	for _, o := range original {
		lines := comparedLines(o)
		if len(want) > 0 && len(lines) != len(want[0]) {
			return ""
		}
		want = append(want, lines)
	}
	lines := comparedLines(got)
	if len(want) == 0 {
		return ""
	}
	if len(lines) != len(want[0]) {
		return fmt.Sprintf("it prints %d lines, and the original %d", len(lines), len(want[0]))
	}
	for i, line := range lines {
		steady := true
		for _, w := range want[1:] {
			steady = steady && w[i] == want[0][i]
		}
		if steady && line != want[0][i] {
			return fmt.Sprintf("line %d of its output differs from the original's", i+1)
		}
	}
	return ""
}

// comparedLines returns the lines of an output as they are compared.
func comparedLines(output []byte) []string {
	lines := strings.Split(string(output), "\n")
	for i, line := range lines {
		lines[i] = process.Timeless(line)
	}
	return lines
}
