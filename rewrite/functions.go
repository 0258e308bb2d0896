package rewrite

import (
	"fmt"
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// placeFunctions puts the forms of device functions into their files: in place
// where nothing else uses the original any more, as an overload behind the
// original otherwise. Pieces of a cut function are not shared with its other callers:
// each piece takes a v-TB, which kernels that stay, and the host, do not have. So the text
// stands twice there, and a comment says why.
func (r *run) placeFunctions(all []applied, edits map[*parser.File]*edit.Buffer) error {
	clones, order := uniqueClones(all)
	inPlace := r.inPlace(clones, all)
	for _, f := range order {
		c := clones[f]
		file := c.fn.File
		view := c.fn.View
		if inPlace[f] {
			bufferOf(edits, file).Append(c.edits.Edits())
			for _, d := range r.declarations(c) {
				r.followDeclaration(bufferOf(edits, d.file), d, c)
			}
			continue
		}
		end := int(view.Outer.End)
		body, err := edit.ApplyRange(file.Src, c.edits.Edits(), view.Start, end)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", file.Name, view.Name, err)
		}
		nl := file.Newline()
		bufferOf(edits, file).Insert(end, nl+nl+indentAt(file, view.Start)+"// smux: as rewritten kernels call it; others may still call the one above."+nl+indentAt(file, view.Start)+string(body))
		for _, d := range r.declarations(c) {
			var b edit.Buffer
			r.followDeclaration(&b, d, c)
			text, err := edit.ApplyRange(d.file.Src, b.Edits(), d.fn.Start, int(d.fn.Outer.End))
			if err != nil {
				return fmt.Errorf("%s: %s: %w", d.file.Name, view.Name, err)
			}
			bufferOf(edits, d.file).Insert(int(d.fn.Outer.End), d.file.Newline()+string(text))
		}
	}
	return nil
}

// uniqueClones joins the clones of all kernels: two kernels rewritten alike share one.
func uniqueClones(all []applied) (map[form]*clone, []form) {
	clones := map[form]*clone{}
	var order []form
	for _, p := range all {
		for _, c := range p.Edits.clones {
			if clones[c.form] == nil {
				clones[c.form] = c
				order = append(order, c.form)
			}
		}
	}
	return clones, order
}

// inPlace decides which functions can be changed where they stand: those that
// are needed in one form only and that are named nowhere but in calls that
// were edited for it, in kernels that were rewritten or functions changed in
// place themselves.
func (r *run) inPlace(clones map[form]*clone, all []applied) map[form]bool {
	forms := map[*ir.Func]int{}
	out := map[form]bool{}
	for f := range clones {
		forms[f.fn]++
		out[f] = true
	}
	for changed := true; changed; {
		changed = false
		edited := map[*ir.Func]map[int]bool{}
		add := func(s callSite) {
			if edited[s.form.fn] == nil {
				edited[s.form.fn] = map[int]bool{}
			}
			edited[s.form.fn][s.at] = true
		}
		for _, p := range all {
			for _, s := range p.Edits.calls {
				add(s)
			}
		}
		for f, c := range clones {
			if out[f] {
				for _, s := range c.calls {
					add(s)
				}
			}
		}
		for f := range clones {
			if out[f] && (forms[f.fn] > 1 || !onlyCalledAt(r.prog, f.fn, edited[f.fn])) {
				out[f] = false
				changed = true
			}
		}
	}
	return out
}

// onlyCalledAt reports whether a function's name occurs nowhere in view but in
// its own declarations and at the given offsets of its own file.
func onlyCalledAt(prog *analysis.Program, fn *ir.Func, at map[int]bool) bool {
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

// declarations are the forward declarations of a clone's function.
func (r *run) declarations(c *clone) []declared {
	var out []declared
	for _, f := range r.prog.Parsed.Files {
		if !r.prog.Related(f, c.fn.File) {
			continue
		}
		for _, v := range f.Functions {
			if v.Name == c.fn.View.Name && v.Body == nil && v.Class == c.fn.View.Class && v.ParamList != nil && len(v.Params) == len(c.fn.View.Params) && !v.Instantiation {
				out = append(out, declared{f, v})
			}
		}
	}
	return out
}

type declared struct {
	file *parser.File
	fn   *parser.Function
}

func (r *run) followDeclaration(b *edit.Buffer, d declared, c *clone) {
	sep := ", "
	if len(d.fn.Params) == 0 {
		sep = ""
	}
	b.Insert(int(d.fn.ParamList.Start)+1, c.param+sep)
}
