package choose

import (
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness"
)

// aThread matches what tells threads apart.
var aThread = regexp.MustCompile(`\b(threadIdx|blockIdx)\.[xyz]\b`)

// mostDistances is the largest number of values that distances returns.
const mostDistances = 2

// distances are values with which two single threads may meet: where a number stands in a subscript, what lies between the constants
// that indices of threads are asked to be equal to, as in if (threadIdx.x == 15) a[threadIdx.x + offset] = 0.
func (c *chooser) distances(name string) (out []int64) {
	subscript := false
	var threads []int64
	for n := range c.fn.Body.All() {
		switch n.Kind {
		case parser.KindSubscriptExpression:
			subscript = subscript || harness.HasWord(c.file.Text(n), name)
		case parser.KindBinaryExpression:
			left, right := n.Child(parser.FieldLeft), n.Child(parser.FieldRight)
			if left == nil || right == nil || c.operator(n) != "==" {
				break
			}
			one, other := c.file.Text(left), c.file.Text(right)
			if !aThread.MatchString(one) {
				one, other = other, one
			}
			if value, ok := c.constant(other); ok && aThread.MatchString(one) {
				threads = append(threads, value)
			}
		}
	}
	if !subscript {
		return nil
	}
	slices.Sort(threads)
	for i, low := range threads {
		for _, high := range threads[i+1:] {
			if d := high - low; d > 0 && !slices.Contains(out, d) && len(out) < mostDistances {
				out = append(out, d)
			}
		}
	}
	return out
}
