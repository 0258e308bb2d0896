package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/packing"
)

// Apply declares the unions, makes the declarations of their members references, and adds
// the barriers.
func (p *overlayProof) Apply() *Edits {
	w := &overlayEmitter{emitter: newEmitter(p.Kernel), path: map[*ir.Var]string{}, above: map[*ir.Stmt][]string{}}
	f := p.Kernel.File
	for _, s := range p.overlays {
		lines := w.union(s, p.Kernel.Name)
		switch {
		case s.place == nil:
			w.insertBefore(f, withComment(f, s.first.View.Start), append(lines, "")...)
		case s.place.Op == ir.StmtDecl:
			w.above[s.place] = lines
		default:
			w.insertBefore(f, s.place.Outer.Start, lines...)
		}
	}
	done := map[*ir.Stmt]bool{}
	for _, s := range p.overlays {
		for _, i := range s.tree.Arrays() {
			if a := s.vars[i]; !done[a.v.Decl] {
				done[a.v.Decl] = true
				w.references(a.fn.File, a.v.Decl)
			}
		}
	}
	for _, s := range p.barriers {
		w.insertBefore(f, s.Outer.Start, "__syncthreads();  "+overlayMark+" what comes now takes bytes that were used before")
	}
	w.atTop(w.checks(&p.findings))
	return w.done()
}

// withComment is where the comment begins that stands right above what is at an offset, or
// the offset itself.
func withComment(f *parser.File, at int) int {
	for s := lineStart(f, at); s > 0; {
		s = lineStart(f, s-1)
		line := string(f.Src[s:lineEnd(f, s)])
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			break
		}
		at = s + len(line) - len(strings.TrimLeft(line, " \t"))
	}
	return at
}

// overlayEmitter writes one kernel's unions.
type overlayEmitter struct {
	emitter
	path  map[*ir.Var]string    // of each member, from the union's name on
	above map[*ir.Stmt][]string // lines that come before a declaration that changes
}

// lineLength is up to where a union is declared on one line.
const lineLength = 110

// union returns the declaration of a union, and notes where its members are.
func (w *overlayEmitter) union(s overlaySet, kernel string) []string {
	name, storage := w.fresh("smux_shared"), "__shared__"
	if s.place == nil {
		name, storage = w.fresh("smux_shared_"+kernel), "static __shared__"
	}
	comment := fmt.Sprintf("%s %s have the same bytes, one after the other.", overlayMark, s.names())
	members := w.members(s, s.tree, name, map[string]bool{})
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
func (w *overlayEmitter) members(s overlaySet, t *packing.Tree, path string, taken map[string]bool) (out []string) {
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
			a := s.vars[part.Array]
			name := fresh(a.v.Name)
			w.path[a.v] = path + "." + name
			out = append(out, a.spec+" "+name+strings.TrimPrefix(text(a.fn.File, a.v.Range), a.v.Name)+";")
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

// references makes references of those variables of a declaration that are members of a
// union now. Others keep their text.
func (w *overlayEmitter) references(f *parser.File, d *ir.Stmt) {
	next := f.Newline() + indentAt(f, d.Range.Start)
	spec := strings.TrimRight(string(f.Src[d.Range.Start:d.Vars[0].Range.Start]), " \t\r\n")
	lines := slices.Clone(w.above[d])
	if !firstOnLine(f, d.Range.Start) && len(lines) == 0 {
		next = " "
	}
	for _, v := range d.Vars {
		if path, moved := w.path[v]; moved {
			lines = append(lines, fmt.Sprintf("auto &%s = %s;", v.Name, path))
		} else {
			lines = append(lines, spec+" "+text(f, v.Range)+";")
		}
	}
	if !firstOnLine(f, d.Range.Start) && len(w.above[d]) > 0 {
		lines[0] = strings.TrimPrefix(next, " ") + lines[0]
	}
	w.buffer(f).Replace(d.Range.Start, stmtEnd(f, d), strings.Join(lines, next))
}
