package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// placeFunctions puts the forms of device functions into their files: in place if nothing else uses the original any
// more, as an overload after the original otherwise. Pieces of a cut function are not shared with its other callers:
// each piece takes a v-TB, which kernels that stay, and the host, do not have. So the text stands twice there, and a
// comment says why.
func (r *run) placeFunctions(all []applied, edits map[*parser.File]*edit.Buffer) error {
	clones, order := uniqueClones(all)
	inPlace := r.inPlace(clones, all)
	for _, f := range order {
		c := clones[f]
		file := c.Fn.File
		view := c.Fn.View
		if inPlace[f] {
			kit.BufferOf(edits, file).Append(c.Edits.Edits())
			for _, d := range r.declarations(c) {
				r.followDeclaration(kit.BufferOf(edits, d.File), d, c)
			}
			continue
		}
		end := int(view.Outer.End)
		body, err := edit.ApplyRange(file.Src, c.Edits.Edits(), view.Start, end)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", file.Name, view.Name, err)
		}
		nl := file.Newline()
		kit.BufferOf(edits, file).Insert(end, nl+nl+kit.IndentAt(file, view.Start)+"// smux: as rewritten kernels call it; others may still call the one above."+nl+kit.IndentAt(file, view.Start)+string(body))
		for _, d := range r.declarations(c) {
			var b edit.Buffer
			r.followDeclaration(&b, d, c)
			text, err := edit.ApplyRange(d.File.Src, b.Edits(), d.Fn.Start, int(d.Fn.Outer.End))
			if err != nil {
				return fmt.Errorf("%s: %s: %w", d.File.Name, view.Name, err)
			}
			kit.BufferOf(edits, d.File).Insert(int(d.Fn.Outer.End), d.File.Newline()+string(text))
		}
	}
	return nil
}

// uniqueClones joins the clones of all kernels: two kernels rewritten alike share one.
func uniqueClones(all []applied) (map[kit.Form]*kit.Clone, []kit.Form) {
	clones := map[kit.Form]*kit.Clone{}
	var order []kit.Form
	for _, p := range all {
		for _, c := range p.Edits.Clones {
			if clones[c.Form] == nil {
				clones[c.Form] = c
				order = append(order, c.Form)
			}
		}
	}
	return clones, order
}

// inPlace decides which functions can be changed where they stand: those that are needed in one form only and that
// are named nowhere but in calls that were edited for it, in kernels that were rewritten or functions changed in
// place themselves.
func (r *run) inPlace(clones map[kit.Form]*kit.Clone, all []applied) map[kit.Form]bool {
	forms := map[*ir.Func]int{}
	out := map[kit.Form]bool{}
	for f := range clones {
		forms[f.Fn]++
		out[f] = true
	}
	for changed := true; changed; {
		changed = false
		edited := map[*ir.Func]map[int]bool{}
		add := func(s kit.CallSite) {
			if edited[s.Form.Fn] == nil {
				edited[s.Form.Fn] = map[int]bool{}
			}
			edited[s.Form.Fn][s.At] = true
		}
		for _, p := range all {
			for _, s := range p.Edits.Calls {
				add(s)
			}
		}
		for f, c := range clones {
			if out[f] {
				for _, s := range c.Calls {
					add(s)
				}
			}
		}
		for f := range clones {
			if out[f] && (forms[f.Fn] > 1 || !kit.OnlyCalledAt(r.Prog, f.Fn, edited[f.Fn])) {
				out[f] = false
				changed = true
			}
		}
	}
	return out
}

// declarations are the forward declarations of a clone's function.
func (r *run) declarations(c *kit.Clone) []kit.Declared {
	var out []kit.Declared
	for _, f := range r.Prog.Parsed.Files {
		if !r.Prog.Related(f, c.Fn.File) {
			continue
		}
		for _, v := range f.Functions {
			if v.Name == c.Fn.View.Name && v.Body == nil && v.Class == c.Fn.View.Class && v.ParamList != nil && len(v.Params) == len(c.Fn.View.Params) && !v.Instantiation {
				out = append(out, kit.Declared{File: f, Fn: v})
			}
		}
	}
	return out
}

func (r *run) followDeclaration(b *edit.Buffer, d kit.Declared, c *kit.Clone) {
	sep := ", "
	if len(d.Fn.Params) == 0 {
		sep = ""
	}
	b.Insert(int(d.Fn.ParamList.Start)+1, c.Param+sep)
}

// atOdds returns the device functions of which two kernels need forms that differ in
// nothing but where v-TBs take turns: as overloads they would be the same.
func atOdds(all []applied) []*ir.Func {
	turns := map[kit.Form]string{}
	var out []*ir.Func
	for _, p := range all {
		for _, c := range p.Edits.Clones {
			f := c.Form
			f.Turns = ""
			if other, found := turns[f]; found && other != c.Turns {
				out = append(out, f.Fn)
			}
			turns[f] = c.Turns
		}
	}
	return out
}
