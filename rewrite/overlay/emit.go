package overlay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/packing"
)

// Apply declares the unions, makes the declarations of their members references, and adds the barriers.
func (p *OverlayProof) Apply() *kit.Edits {
	w := &OverlayEmitter{Emitter: kit.NewEmitter(p.Kernel), Path: map[*ir.Var]string{}, Above: map[*ir.Stmt][]string{}}
	f := p.Kernel.File
	for _, s := range p.Overlays {
		lines := w.Union(s, p.Kernel.Name)
		switch {
		case s.Place == nil:
			w.InsertBefore(f, withComment(f, s.first.View.Start), append(lines, "")...)
		case s.Place.Op == ir.StmtDecl:
			w.Above[s.Place] = lines
		default:
			w.InsertBefore(f, s.Place.Outer.Start, lines...)
		}
	}
	done := map[*ir.Stmt]bool{}
	for _, s := range p.Overlays {
		for _, i := range s.Tree.Arrays() {
			if a := s.Vars[i]; !done[a.V.Decl] {
				done[a.V.Decl] = true
				w.References(a.fn.File, a.V.Decl)
			}
		}
	}
	for _, s := range p.barriers {
		w.InsertBefore(f, s.Outer.Start, "__syncthreads();  "+overlayMark+" what comes now takes bytes that were used before")
	}
	w.AtTop(w.Checks(&p.Findings))
	return w.Done()
}

// withComment returns the beginning of the comment right above an offset, or the offset itself.
func withComment(f *parser.File, at int) int {
	for s := kit.LineStart(f, at); s > 0; {
		s = kit.LineStart(f, s-1)
		line := string(f.Src[s:kit.LineEnd(f, s)])
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			break
		}
		at = s + len(line) - len(strings.TrimLeft(line, " \t"))
	}
	return at
}

// OverlayEmitter writes one kernel's unions.
type OverlayEmitter struct {
	kit.Emitter
	Path  map[*ir.Var]string    // of each member, from the union's name on
	Above map[*ir.Stmt][]string // lines that come before a declaration that changes
}

// lineLength is up to where a union is declared on one line.
const lineLength = 110

// Union returns the declaration of a union, and notes where its members are.
func (w *OverlayEmitter) Union(s OverlaySet, kernel string) []string {
	name, storage := w.Fresh("smux_shared"), "__shared__"
	if s.Place == nil {
		name, storage = w.Fresh("smux_shared_"+kernel), "static __shared__"
	}
	comment := fmt.Sprintf("%s %s have the same bytes, one after the other.", overlayMark, s.names())
	members := w.members(s, s.Tree, name, map[string]bool{})
	line := fmt.Sprintf("%s union { %s } %s;", storage, strings.Join(members, " "), name)
	if len(line) <= lineLength {
		return []string{comment, line}
	}
	lines := []string{comment, storage + " union {"}
	for _, m := range members {
		lines = append(lines, "    "+m)
	}
	return append(lines, "} "+name+";")
}

// members are the declarations of a union's or a structure's members. taken are names of
// the union's members, wherever in it.
func (w *OverlayEmitter) members(s OverlaySet, t *packing.Tree, path string, taken map[string]bool) (out []string) {
	fresh := func(name string) string {
		unique := name
		for i := 2; taken[unique]; i++ {
			unique = fmt.Sprintf("%s%d", name, i)
		}
		taken[unique] = true
		return unique
	}
	for _, part := range t.Parts {
		if len(part.Parts) == 0 {
			a := s.Vars[part.Array]
			name := fresh(a.V.Name)
			w.Path[a.V] = path + "." + name
			out = append(out, a.spec+" "+name+strings.TrimPrefix(kit.Text(a.fn.File, a.V.Range), a.V.Name)+";")
			continue
		}
		kind, stem := "struct", "together"
		if part.Union {
			kind, stem = "union", "either"
		}
		name := fresh(stem)
		inner := w.members(s, part, path+"."+name, taken)
		out = append(out, fmt.Sprintf("%s { %s } %s;", kind, strings.Join(inner, " "), name))
	}
	return out
}

// References makes references of those variables of a declaration that are members of a
// union now. Others keep their text.
func (w *OverlayEmitter) References(f *parser.File, d *ir.Stmt) {
	next := f.Newline() + kit.IndentAt(f, d.Range.Start)
	spec := strings.TrimRight(string(f.Src[d.Range.Start:d.Vars[0].Range.Start]), " \t\r\n")
	lines := slices.Clone(w.Above[d])
	if !kit.FirstOnLine(f, d.Range.Start) && len(lines) == 0 {
		next = " "
	}
	for _, v := range d.Vars {
		if path, moved := w.Path[v]; moved {
			lines = append(lines, fmt.Sprintf("auto &%s = %s;", v.Name, path))
		} else {
			lines = append(lines, spec+" "+kit.Text(f, v.Range)+";")
		}
	}
	if !kit.FirstOnLine(f, d.Range.Start) && len(w.Above[d]) > 0 {
		lines[0] = strings.TrimPrefix(next, " ") + lines[0]
	}
	w.Buffer(f).Replace(d.Range.Start, kit.StmtEnd(f, d), strings.Join(lines, next))
}
