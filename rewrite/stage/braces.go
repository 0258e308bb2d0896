package stage

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// The braces of an if whose condition becomes a variable hold nothing together any more:
//
//	if (row < m) {                          const bool inside = row < m;
//	    float s = 0;                -->     float s = 0;
//	    …                                   …
//	}
//
// They go, and what is in them is set in less, if nothing follows them and the names that are declared there
// mean nothing else.

// opened holds what stood in such braces: whole lines, and the one of the closing brace after them.
type opened struct {
	first, last, end int
	indent, deeper   string // of the if, and of what was in its braces
}

// openedBy are the lines in an if's braces; ok is false where the braces stay.
func (w *copyEmitter) openedBy(s *ir.Stmt) (o opened, ok bool) {
	f, body := w.Of.File, s.Body
	open, shut := body.Range.Start, kit.StmtEnd(f, body)-1
	if s.Parent == nil || s.Parent.Op != ir.StmtCompound || s.Parent.List[len(s.Parent.List)-1] != s || len(body.List) == 0 || !kit.FirstOnLine(f, body.List[0].Outer.Start) || !kit.FirstOnLine(f, shut) {
		return o, false
	}
	o = opened{kit.NextLine(f, open), kit.LineStart(f, shut), kit.NextLine(f, shut), kit.IndentAt(f, s.Range.Start), kit.IndentAt(f, body.List[0].Outer.Start)}
	behind := string(f.Src[open+1:o.first]) + string(f.Src[shut+1:o.end])
	if strings.Contains(string(f.Src[open:shut]), `R"`) { // lines of a string may not be set in otherwise
		return o, false
	}
	if strings.TrimSpace(behind) != "" || !strings.HasPrefix(o.deeper, o.indent) || !(o.end > 0 && f.Src[o.end-1] == '\n') {
		return o, false
	}
	for _, t := range body.List {
		if slices.ContainsFunc(t.Vars, func(v *ir.Var) bool { return !w.meansOneThing(v, body) }) {
			return o, false
		}
		if t.Op != ir.StmtDecl && len(t.Vars) > 0 && !t.IsLoop() {
			return o, false
		}
	}
	return o, true
}

// meansOneThing reports whether a name is that of a variable in the statements where it is declared, and stands
// nowhere else in the kernel.
func (w *copyEmitter) meansOneThing(v *ir.Var, list *ir.Stmt) bool {
	fn := w.Of.Func
	same := func(o *ir.Var) bool { return o != v && o.Name == v.Name }
	if v.Kind != ir.VarLocal || v.Static || slices.ContainsFunc(fn.Vars, same) || slices.ContainsFunc(fn.Params, same) || slices.ContainsFunc(fn.TParams, same) {
		return false
	}
	once := true
	fn.View.Body.Walk(func(n *parser.Node) bool {
		if (n.Kind == parser.KindIdentifier || n.Kind == parser.KindTypeIdentifier) && fn.File.Text(n) == v.Name {
			once = once && list.Range.Contains(ir.Range{Start: int(n.Start), End: int(n.End)})
		}
		return once
	})
	return once
}

// openBraces has what stood in braces stand where the if did.
func (w *copyEmitter) openBraces() {
	f := w.Of.File
	for _, o := range slices.Backward(w.opened) { // what stands inside first
		b := w.Buffer(f)
		in := func(e edit.Edit) bool { return e.Start >= o.first && e.End <= o.last }
		text, err := edit.ApplyRange(f.Src, slices.DeleteFunc(slices.Clone(b.Edits()), func(e edit.Edit) bool { return !in(e) }), o.first, o.last)
		if err != nil {
			continue // two edits overlap, which whoever applies them says
		}
		lines := strings.SplitAfter(string(text), "\n")
		for i, line := range lines {
			if rest, is := strings.CutPrefix(line, o.deeper); is {
				lines[i] = o.indent + rest
			}
		}
		w.Edits[f] = edit.NewBuffer(slices.DeleteFunc(slices.Clone(b.Edits()), in))
		w.Edits[f].Replace(o.first, o.end, strings.Join(lines, ""))
	}
}
