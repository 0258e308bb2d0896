package choose

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness"
)

// mostStride is the largest length of a row.
const mostStride = 4096

// strides are lengths of rows: those for which the elements that threads use of two rows are apart, since a caller
// has no rows that overlap. There are none for a number that is no factor of an index, or that a guard keeps an
// index below, which then is as long as it says; where the guard is a product, it may be that of the whole array.
func (c *chooser) strides(name string, grid, block [3]int64, product bool) []int64 {
	if c.isPart(name) || !product && c.guards(name) || !c.isFactor(name) {
		return nil
	}
	var threads int64
	for i := range grid {
		threads = max(threads, slices.Max(grid[:])*block[i])
	}
	if c.bounds(name) {
		threads = min(threads, c.longest(name, block))
	}
	if threads > mostStride {
		return nil
	}
	if axes := max(grid[1]*block[1], grid[2]*block[2]); axes > 1 && c.matches(name, ofBlock) { // a matrix for each block of a batch
		threads *= threads
	}
	if rowCast.MatchString(c.file.Text(c.fn.Body)) { // a row in bytes, or one that begins with a vector
		return []int64{16 * threads, 16 * (threads + 1), 16 * (threads + 7)}
	}
	return []int64{threads, threads + 1, threads + 7}
}

// ofBlock matches a number that is multiplied by that of a block.
const ofBlock = `\bblockIdx\.[xyz]\)?\s*\*\s*NAME\b|\bNAME\s*\*\s*(\(\w+\)\s*)?blockIdx\.[xyz]`

// rowCast matches a cast to another pointer.
var rowCast = regexp.MustCompile(`\(\s*\w[\w\s]*\*\s*\)\s*[\w(&]|reinterpret_cast\s*<[^>]*\*\s*>`)

// isPart reports whether an index is parted into several by a number, which is a length of one of the dimensions then:
// w = i % width, h = i / width % height.
func (c *chooser) isPart(name string) bool {
	return c.matches(name, `[\w)\]]\s*%=?\s*(\(\s*(\w+\s*\*\s*)*)?NAME\b`) && c.isFactor(name)
}

// mostLayouts is the number of layouts.
const mostLayouts = 4

// A number by which an index is parted, or that a product is compared with; and one whose square stands in the text.
const (
	dimension = `%=?\s*\(?\s*NAME\b|[<>]=?\s*NAME\s*\*|[<>]=?[\w\s*]*\*\s*NAME\b`
	square    = `\bNAME\s*\*\s*NAME\b`
)

// layout returns the value of a number in one of the layouts in which lengths are 4, what is squared is 2, and strides are powers of 8, in
// either order, so that no two elements of such an array meet; fits is false for a number that is none of these: one step, or a few.
func (c *chooser) layout(name string, number int) (value int64, fits bool) {
	switch {
	case c.matches(name, square):
		return 2, true
	case c.matches(name, dimension):
		return 4, true
	case c.guards(name):
		return 64, true
	}
	var strides []string
	for _, p := range c.fn.Params {
		if p.Name != "" && !strings.Contains(c.file.Text(p.Node), "*") && !c.matches(p.Name, dimension) && !c.guards(p.Name) && c.isFactor(p.Name) {
			strides = append(strides, p.Name)
		}
	}
	if at := slices.Index(strides, name); at >= 0 {
		if number > mostLayouts/2 {
			at = len(strides) - 1 - at
		}
		return 8 << (3 * min(at, 3)), true
	}
	return []int64{4, 1}[number%2], false
}

// hasLayout reports whether several numbers tell how elements lie, which must fit each other.
func (c *chooser) hasLayout() bool {
	n := 0
	for _, p := range c.fn.Params {
		if p.Name != "" && !strings.Contains(c.file.Text(p.Node), "*") && (c.matches(p.Name, dimension) || c.isFactor(p.Name)) {
			n++
		}
	}
	return n > 1
}

// longest returns the largest length of a dimension: where n parameters are multiplied by each other, a number among them, they
// are lengths of an array of n dimensions, which is not to be huge.
func (c *kernelText) longest(name string, block [3]int64) int64 {
	n, most := 1, 1<<9
	if block[1]*block[2] > 1 {
		most = 1 << 17
	}
	for e := range c.fn.Body.All() {
		if product := c.factors(e); slices.Contains(product, name) {
			n = max(n, len(product))
		}
	}
	if n == 1 {
		return math.MaxInt64
	}
	return int64(math.Pow(float64(most), 1/float64(n)))
}

// factors returns the parameters that are multiplied by each other in an expression: h, w and c in h * w * (k + b * c).
func (c *kernelText) factors(e *parser.Node) []string {
	if e = bare(e); e == nil {
		return nil
	}
	if e.Kind == parser.KindBinaryExpression && e.Child(parser.FieldLeft) != nil && e.Child(parser.FieldRight) != nil {
		left, right := c.factors(e.Child(parser.FieldLeft)), c.factors(e.Child(parser.FieldRight))
		switch c.operator(e) {
		case "*":
			return append(left, right...)
		case "+", "-":
			if len(right) > len(left) {
				return right
			}
			return left
		}
	}
	if slices.ContainsFunc(c.fn.Params, func(p parser.Param) bool { return p.Name == c.file.Text(e) }) {
		return []string{c.file.Text(e)}
	}
	return nil
}

// isFactor reports whether a number is a factor of a product that is a part of an index, or that may be: of a sum,
// or of what a variable begins as. A product that is the whole subscript is none: a[i * n] has no rows.
func (c *chooser) isFactor(name string) bool {
	whole := map[*parser.Node]bool{} // subscripts
	found := false
	c.fn.Body.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindSubscriptArgumentList:
			if up := n.Parent.Parent; up == nil || up.Kind != parser.KindPointerExpression || c.file.Src[up.Start] != '&' { // the beginning of a row
				whole[bare(n.FirstNamed())] = true
			}
		case parser.KindBinaryExpression:
			left, right := n.Child(parser.FieldLeft), n.Child(parser.FieldRight)
			if whole[n] || left == nil || right == nil || c.operator(n) != "*" || c.operandOf(n) == "-" { // h * stride - pad is no row
				break
			}
			for _, sides := range [][2]*parser.Node{{left, right}, {right, left}} {
				if _, constant := c.constant(c.file.Text(sides[1])); harness.HasWord(c.file.Text(sides[0]), name) && (!constant || c.inSum(n)) {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// operandOf returns the operator of which an expression is an operand, "" for none.
func (c *kernelText) operandOf(n *parser.Node) string {
	for n.Parent != nil && n.Parent.Kind == parser.KindParenthesizedExpression {
		n = n.Parent
	}
	if up := n.Parent; up != nil && up.Kind == parser.KindBinaryExpression {
		return c.operator(up)
	}
	return ""
}

// inSum reports whether an expression is a term of a sum that is a subscript.
func (c *kernelText) inSum(n *parser.Node) bool {
	up := n.Parent
	for up != nil && (up.Kind == parser.KindParenthesizedExpression || up.Kind == parser.KindBinaryExpression && c.operator(up) == "+") {
		n, up = up, up.Parent
	}
	return up != nil && up.Kind == parser.KindSubscriptArgumentList && bare(n).Kind == parser.KindBinaryExpression && c.operator(bare(n)) == "+"
}

// bounds reports whether a number stands in the condition of a for loop.
func (c *kernelText) bounds(name string) bool {
	found := false
	c.fn.Body.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindForStatement {
			condition := n.Child(parser.FieldCondition)
			found = found || condition != nil && harness.HasWord(c.file.Text(condition), name)
		}
		return !found
	})
	return found
}

// guards reports whether a number is compared with something else than the counter of a loop.
func (c *kernelText) guards(name string) bool {
	found := false
	c.fn.Body.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindForStatement {
			if body := n.Child(parser.FieldBody); body != nil { // and not the loop's condition
				body.Walk(func(m *parser.Node) bool { found = found || c.comparesWith(m, name); return !found })
			}
			return false
		}
		found = found || c.comparesWith(n, name)
		return !found
	})
	return found
}

// comparesWith reports whether an expression compares a number with something.
func (c *kernelText) comparesWith(n *parser.Node, name string) bool {
	if n.Kind != parser.KindBinaryExpression {
		return false
	}
	left, right := n.Child(parser.FieldLeft), n.Child(parser.FieldRight)
	return left != nil && right != nil && slices.Contains(comparisons, c.operator(n)) &&
		(harness.HasWord(c.file.Text(left), name) || harness.HasWord(c.file.Text(right), name))
}

// bare returns what stands in parentheses.
func bare(n *parser.Node) *parser.Node {
	for n != nil && n.Kind == parser.KindParenthesizedExpression {
		n = n.FirstNamed()
	}
	return n
}
