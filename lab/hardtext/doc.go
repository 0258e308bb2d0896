// Package hardtext writes CUDA programs in shapes that analyses find hard:
// long straight-line code as generators write it, deep nesting, chains that
// double at every link, files of thousands of kernels.
//
// Each shape takes its size, so that a test can say how time and memory grow
// with it. The texts are legal for a parser; not every one of them would be
// compiled, since compilers have limits of their own.
package hardtext

import (
	"fmt"
	"strings"
)

// Shape is a kind of hard text.
type Shape struct {
	Name string
	// Size is one at which an analysis that takes more than linear time, or
	// stack, is easily told from one that doesn't.
	Size int
	Text func(n int) string
}

// lines repeats a line n times; # in it is its number, #+ the next one.
func lines(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("#+", fmt.Sprint(i+1), "#", fmt.Sprint(i)).Replace(line))
		b.WriteByte('\n')
	}
	return b.String()
}
