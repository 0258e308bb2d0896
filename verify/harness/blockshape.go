package harness

import (
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/model/hardware"
)

// asWritten returns the threads that the kernel itself takes a block to have: along a dimension as many as the constant by which
// it counts blocks, in
//
//	blockIdx.x * TILE + threadIdx.x
//
// or as the step of a loop in which each thread begins at its own number, or adds it to the loop's:
//
//	for (int j = 0; j < TILE; j += ROWS) … tile[threadIdx.y + j] …
//
// 0 where the text says nothing. With fewer threads a right kernel would leave elements alone.
func (c *chooser) asWritten() (out [3]int64) {
	body := c.file.Text(c.fn.Body)
	for i, d := range []string{"x", "y", "z"} {
		for _, m := range blockPatterns[i].FindAllStringSubmatch(body, -1) {
			if n, ok := c.named(m[1] + m[2] + m[3]); ok && out[i] == 0 {
				out[i] = n
			}
		}
		for _, m := range steppedLoop.FindAllStringSubmatch(body, -1) {
			number, step := "threadIdx."+d, m[3]
			together := regexp.MustCompile(`\b` + m[2] + `\s*\+\s*` + number + `\b|` + number + `\s*\+\s*` + m[2] + `\b`)
			if n, ok := c.named(step); ok && (strings.Contains(m[1], number) || together.MatchString(body)) {
				out[i] = n
			}
		}
	}
	if max(out[0], 1)*max(out[1], 1)*max(out[2], 1) > hardware.MaxThreadsPerBlock {
		return [3]int64{}
	}
	return out
}

var (
	blockPatterns = [3]*regexp.Regexp{blockPattern("x"), blockPattern("y"), blockPattern("z")}
	steppedLoop   = regexp.MustCompile(`for\s*\(([^;{}]*);[^;{}]*;\s*(\w+)\s*\+=\s*(\w+)\s*\)`)
)

func blockPattern(d string) *regexp.Regexp {
	return regexp.MustCompile(`\bblockIdx\.` + d + `\s*\*\s*(\w+)\s*\+\s*threadIdx\.` + d + `\b` +
		`|\b(\w+)\s*\*\s*blockIdx\.` + d + `\s*\+\s*threadIdx\.` + d + `\b` +
		`|\bthreadIdx\.` + d + `\s*\+\s*blockIdx\.` + d + `\s*\*\s*(\w+)\b(?:[^.]|$)`)
}

// named returns the value of a number, a macro, a template's argument or a constant of the file.
func (c *chooser) named(text string) (int64, bool) {
	if value, ok := c.arguments[text]; ok {
		text = value
	} else if m := regexp.MustCompile(`\bconst(?:expr)?\s[^;(){}]*\b` + text + `\s*=\s*([^;,]+)[;,]`).FindStringSubmatch(string(c.file.Src)); m != nil {
		text = strings.TrimSpace(m[1])
	}
	n, ok := c.constant(text)
	return n, ok && n > 0
}
