package verify

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/execute"
)

// isUsed reports whether a finding of the runtime is one of the program. Of integers that
// overflow those count that a subscript is computed from: hashes and generators of random
// numbers mean the others. Of subscripts that the compiler finds wrong those count of which leavesArray says so.
func (sub *subject) isUsed(f *execute.Finding, report []execute.Finding) bool {
	var counts func(file *parser.File, at diag.Position) bool
	switch {
	case f.Code == CodeIntegerOverflow:
		counts = feedsSubscript
	case isSubscript(f):
		counts = func(file *parser.File, at diag.Position) bool { return leavesArray(file, at, f.Name) }
	default:
		return true
	}
	at := position(f.Frames)
	if isSubscript(f) && slices.ContainsFunc(report, func(o execute.Finding) bool {
		other := position(o.Frames)
		return o.Code == CodeOutOfBounds && !isSubscript(&o) && other.File == at.File && other.Line == at.Line
	}) {
		return false // the access itself was found
	}
	return sub.parsed == nil || at.IsValid() && slices.ContainsFunc(sub.filesNamed(at.File), func(file *parser.File) bool {
		return counts(file, at)
	})
}

// filesNamed returns the files of a program that have a name.
func (sub *subject) filesNamed(name string) (out []*parser.File) {
	out = lists.Filter(sub.parsed.Files, func(f *parser.File) bool { return cleanName(f.Name) == cleanName(name) })
	for path, f := range sub.parsed.Headers {
		if path == cleanName(name) {
			out = append(out, f)
		}
	}
	return out
}

// feedsSubscript reports whether what a function computes at a place becomes a subscript or
// is added to a pointer: right there, or by variables of the function, as far as names
// tell. Compilers name an operator or the variable that is declared. What a call returns or takes is not followed.
func feedsSubscript(file *parser.File, at diag.Position) bool {
	fn := functionOf(file, at.Line)
	if fn == nil || fn.Body == nil {
		return false
	}
	isAt := func(first, last *parser.Node) bool {
		from, to := file.Position(int(first.Start)), file.Position(int(last.End))
		after := at.Line > from.Line || at.Line == from.Line && at.Column >= from.Column
		return after && (at.Line < to.Line || at.Line == to.Line && at.Column <= to.Column)
	}
	used := map[string]bool{} // names that subscripts are computed from
	found := false
	use := func(n *parser.Node) {
		found = found || isAt(n, n)
		for _, name := range identifiers(file, n) {
			used[name] = true
		}
	}
	for n := range fn.Body.All() {
		switch n.Kind {
		case parser.KindSubscriptExpression:
			for _, index := range subscripts(n) {
				use(index)
			}
			for _, array := range identifiers(file, n.FirstNamed()) { // it may be a pointer that was moved
				used[array] = true
			}
		case parser.KindPointerExpression: // *(a + i), &a[i]
			if inner := n.FirstNamed(); inner != nil {
				use(inner)
			}
		}
	}
	for before := -1; len(used) != before && !found; {
		before = len(used)
		for n := range fn.Body.All() {
			var to, value *parser.Node
			switch n.Kind {
			case parser.KindInitDeclarator:
				to, value = n.Child(parser.FieldDeclarator), n.Child(parser.FieldValue)
			case parser.KindAssignmentExpression:
				to, value = n.Child(parser.FieldLeft), n.Child(parser.FieldRight)
			}
			if to != nil && value != nil && !holdsSubscript(to) && slices.ContainsFunc(identifiers(file, to), func(name string) bool { return used[name] }) {
				found = found || isAt(to, value)
				use(value)
			}
		}
	}
	return found
}

// holdsSubscript reports whether an element is assigned to, and no variable.
func holdsSubscript(n *parser.Node) (found bool) {
	n.Walk(func(m *parser.Node) bool {
		found = found || m.Kind == parser.KindSubscriptExpression
		return !found
	})
	return found
}

// subscripts returns what stands in the brackets of a[i].
func subscripts(n *parser.Node) (out []*parser.Node) {
	array := n.FirstNamed()
	for c := n.First; c != nil; c = c.Next {
		if c != array {
			out = append(out, c)
		}
	}
	return out
}

// identifiers returns the names in an expression, and itself where it is one.
func identifiers(file *parser.File, n *parser.Node) (out []string) {
	for m := range n.All() {
		if m.Kind == parser.KindIdentifier {
			out = append(out, file.Text(m))
		}
	}
	return out
}

// functionOf returns the innermost function around a line.
func functionOf(file *parser.File, line int) (found *parser.Function) {
	for _, fn := range file.Functions {
		if fn.Body != nil && file.Position(fn.Start).Line <= line && line <= file.Position(int(fn.Body.End)).Line {
			found = fn
		}
	}
	return found
}

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
	for n := range fn.Body.All() {
		if n.Kind != parser.KindSubscriptExpression {
			continue
		}
		depth, array := 0, n
		for ; array != nil && array.Kind == parser.KindSubscriptExpression; array = array.FirstNamed() {
			depth++
		}
		if array == nil || isShared(file, fn, file.Text(array)) {
			continue
		}
		first, last := file.Position(int(n.Start)), file.Position(int(n.End)-1)
		if last.Line == at.Line && last.Column == at.Column {
			exact, leaves = true, depth == 1
		}
		inside := !before(at, first) && !before(last, at)
		around = around || inside && depth == 1 && strings.Count(typ, "[") >= depthOfChain(n)
	}
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
