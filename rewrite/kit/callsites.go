package kit

import (
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// OnlyCalledAt reports whether a function's name occurs nowhere in view but in
// its own declarations and at the given offsets of its own file.
func OnlyCalledAt(prog *analysis.Program, fn *ir.Func, at map[int]bool) bool {
	name := fn.View.Name
	if fn.View.Class != "" {
		return false // calls of members are not looked for
	}
	for _, f := range slices.AppendSeq(slices.Clone(prog.Parsed.Files), maps.Values(prog.Parsed.Headers)) {
		if !prog.Related(f, fn.File) {
			continue
		}
		if len(prog.MacroWords(f)[name]) > 0 {
			return false
		}
		own := map[uint32]bool{}
		for _, v := range f.Functions {
			if v.Name != name || v.Declared == nil {
				continue
			}
			if v.Body != nil && v != fn.View || v.Instantiation || v.Specialization || v.Friend {
				return false // an overload or specialisation: leave the original alone
			}
			if d := v.Declared.Child(parser.FieldDeclarator); d != nil {
				own[d.Start] = true
			}
		}
		ok := true
		f.Root.Walk(func(n *parser.Node) bool {
			if ok && n.Kind == parser.KindIdentifier && n.End-n.Start == uint32(len(name)) && string(f.Src[n.Start:n.End]) == name {
				if !own[n.Start] && !(f == fn.File && at[int(callStart(n))]) {
					ok = false
				}
			}
			return ok
		})
		if !ok {
			return false
		}
	}
	return true
}

// callStart is the offset of the call that an identifier is the callee of.
func callStart(n *parser.Node) uint32 {
	for p := n; p != nil; p = p.Parent {
		if p.Kind == parser.KindCallExpression {
			return p.Start
		}
		if p.Kind == parser.KindArgumentList {
			break
		}
	}
	return n.Start
}

// Declared is a declaration of a function, with its file.
type Declared struct {
	File *parser.File
	Fn   *parser.Function
}
