package verify

import (
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/execute"
)

// isSubscript reports a finding that the compiler's own check of subscripts made: Name is then the type of the array,
// such as "float [4][5]". Where the element lies is not known.
func isSubscript(f *execute.Finding) bool { return f.Code == CodeOutOfBounds && f.Name != "" }

// leavesArray reports whether a subscript of an array of a type, at a place, leaves the whole array: that of its first dimension.
// Of m[0][i], which goes on into the next row, it does not say so. Shared arrays are left out, since all accesses to them
// are looked at. g++ names the closing bracket; others name something in the expression, of which the type then tells.
func leavesArray(file *parser.File, at diag.Position, typ string) bool {
	fn := functionOf(file, at.Line)
	if fn == nil || fn.Body == nil {
		return false
	}
	var exact, around bool // a subscript that ends there, and whether one of those around is of the first dimension
	leaves := false
	fn.Body.Walk(func(n *parser.Node) bool {
		if n.Kind != parser.KindSubscriptExpression {
			return true
		}
		depth, array := 0, n
		for ; array != nil && array.Kind == parser.KindSubscriptExpression; array = array.FirstNamed() {
			depth++
		}
		if array == nil || isShared(file, fn, file.Text(array)) {
			return true
		}
		first, last := file.Position(int(n.Start)), file.Position(int(n.End)-1)
		if last.Line == at.Line && last.Column == at.Column {
			exact, leaves = true, depth == 1
		}
		inside := !before(at, first) && !before(last, at)
		around = around || inside && depth == 1 && strings.Count(typ, "[") >= depthOfChain(n)
		return true
	})
	return leaves || !exact && around
}

// depthOfChain counts the subscripts of the array that n is the first subscript of.
func depthOfChain(n *parser.Node) int {
	depth := 1
	for up := n.Parent; up != nil && up.Kind == parser.KindSubscriptExpression && up.FirstNamed() == n; n, up = up, up.Parent {
		depth++
	}
	return depth
}

func before(a, b diag.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// isShared reports whether a function declares a shared variable of a name.
func isShared(file *parser.File, fn *parser.Function, name string) (found bool) {
	fn.Body.Walk(func(n *parser.Node) bool {
		if n.Kind != parser.KindDeclaration {
			return !found
		}
		if strings.Contains(file.Specifiers(n), "__shared__") {
			for _, declared := range identifiers(file, n) {
				found = found || declared == name
			}
		}
		return !found
	})
	return found
}
