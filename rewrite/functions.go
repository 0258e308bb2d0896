package rewrite

import (
	"fmt"

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

func (r *run) followDeclaration(b *edit.Buffer, d declared, c *clone) {
	sep := ", "
	if len(d.fn.Params) == 0 {
		sep = ""
	}
	b.Insert(int(d.fn.ParamList.Start)+1, c.param+sep)
}

// atOdds returns the device functions of which two kernels need forms that differ in
// nothing but where v-TBs take turns: as overloads they would be the same.
func atOdds(all []applied) []*ir.Func {
	turns := map[form]string{}
	var out []*ir.Func
	for _, p := range all {
		for _, c := range p.Edits.clones {
			f := c.form
			f.turns = ""
			if other, found := turns[f]; found && other != c.turns {
				out = append(out, f.fn)
			}
			turns[f] = c.turns
		}
	}
	return out
}
