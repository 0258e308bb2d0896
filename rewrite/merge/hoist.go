package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// checkDirectives refuses what a branch of an #if in a statement, or a macro that is one, declares
// for the code after the piece that it would be guarded in.
func (c *cutter) checkDirectives(s *ir.Stmt, end int) {
	if s.Op == ir.StmtDecl || !declaresOutside(s) {
		return
	}
	for _, inner := range s.Children() {
		c.checkDirectives(inner, end)
		behind := ir.Range{Start: end, End: c.fn.Body.Range.End}
		used := kit.MentionsAny(kit.Text(c.fn.File, behind), inner.Names)
		for _, v := range inner.Vars {
			used = used || slices.ContainsFunc(c.namesIn(c.fn).named[v.Name], func(e *ir.Expr) bool {
				// In each branch a variable of this name may be declared, and the name stands for the last one.
				return e.Range.Start >= end && (e.Var == nil || e.Var.Decl == nil || e.Var.Decl.Range.Start < end)
			})
		}
		if used {
			c.Refuse(c.fn.File, inner.Range.Start, CodeHoist, "a directive or macro decides over this declaration, which is used after the turn")
		}
	}
}

// hoisted is a declaration that goes before a region or piece.
type hoisted struct {
	stmt *ir.Stmt // which is moved as it is, nil where a variable alone is declared
	v    *ir.Var
	typ  ir.Type // what it is declared with: const dropped, auto given its type
}

// text is the declaration.
func (h hoisted) text(f *parser.File) string {
	if h.stmt != nil {
		decl := kit.Text(f, h.stmt.Range)
		if strings.Contains(decl, "//") {
			return decl
		}
		return strings.Join(strings.Fields(decl), " ")
	}
	out := strings.TrimRight(h.typ.String(), " ")
	if !strings.HasSuffix(out, "*") {
		out += " "
	}
	out += h.v.Name
	for _, d := range h.v.Dims {
		out += "[" + kit.Text(f, d.Range) + "]"
	}
	return out + ";"
}

// Describe names a declaration, as proofs are printed.
func (h hoisted) Describe(f *parser.File) string {
	if h.stmt != nil {
		return "declaration at " + kit.LineColumn(f, h.stmt.Range.Start)
	}
	return fmt.Sprintf("%s at %s", strings.TrimSuffix(h.text(f), ";"), kit.LineColumn(f, h.v.Range.Start))
}

// declarations are the lines that hoisted declarations are.
func declarations(f *parser.File, all []hoisted) []string {
	return lists.Map(all, func(h hoisted) string { return h.text(f) })
}

// hoist turns a declaration into assignments and returns the declarations to put before the guard.
func (c *cutter) hoist(s *ir.Stmt) (out []hoisted) {
	f := c.fn.File
	for _, v := range s.Vars {
		if v.Macro || s.Macro {
			c.Refuse(f, s.Range.Start, kit.CodeMacro, "a declaration inside a macro must be taken apart")
			return nil
		}
		h, ok := c.Declaration(v)
		if !ok || c.captures(v) {
			return nil
		}
		out = append(out, h)
		if v.Init != nil && assignment(f, v) == "" {
			c.Refuse(f, v.Range.Start, CodeHoist, "the initialiser of %s can't become an assignment", v.Name)
			return nil
		}
	}
	at := s.Range
	if len(s.Vars) == 1 && s.Vars[0].Init != nil {
		if eq := kit.TopLevelEquals(kit.Text(f, s.Vars[0].Range)); eq > 0 {
			at.End = s.Vars[0].Range.Start + eq
		}
	}
	c.add("assignment", s, kit.Ranges{at}, assignedVars{})
	return out
}

// captures refuses to declare v earlier where a name before it in the region
// means another variable, which the earlier declaration would hide.
func (c *cutter) captures(v *ir.Var) bool {
	from := c.declaredFrom(v.Decl)
	found := false
	for _, e := range c.namesIn(c.fn).named[v.Name] {
		if e.Var != v && e.Range.Start >= from && e.Range.Start < v.Range.Start {
			found = found || e.Var == nil || e.Var.Decl == nil || e.Var.Range.Start < from
		}
	}
	if found {
		c.Refuse(c.fn.File, v.Range.Start, CodeHoist, "%s must be declared before the region, but its name has another meaning there", v.Name)
	}
	return found
}

// declaredFrom returns the offset at which a hoisted statement's names are declared.
func (c *cutter) declaredFrom(s *ir.Stmt) int {
	if c.region != nil && s.Parent == c.region.List {
		return c.start()
	}
	return s.Parent.Range.Start
}

// hidesBefore refuses to make names of types and enumerators earlier where the text from there on
// has these names, or says what the names stand for by a variable that is declared only then.
func (c *cutter) hidesBefore(s *ir.Stmt) bool {
	f, from := c.fn.File, c.declaredFrom(s)
	if kit.MentionsAny(kit.Text(f, ir.Range{Start: from, End: s.Range.Start}), s.Names) {
		c.Refuse(f, s.Range.Start, CodeHoist, "a type or enumerator must be declared before the region, where its name may mean something else")
		return true
	}
	if !c.makesNames(s) {
		return false
	}
	decl := kit.Text(f, s.Range)
	for _, v := range c.fn.Vars {
		if v.Decl != s && v.Decl != nil && v.Decl.Parent == s.Parent && from <= v.Range.Start && v.Range.Start < s.Range.Start && !c.constant(v.Decl) && kit.MentionsAny(decl, []string{v.Name}) {
			c.Refuse(f, s.Range.Start, CodeHoist, "a type must be declared before the region, and %s, which it is written with, is declared in it", v.Name)
			return true
		}
	}
	return false
}

// assignedVars is a declaration that becomes assignments of its variables. That of one
// variable leaves the initialiser's text alone, in which other edits may be due.
//
//	const float x = a[i];    -->    x = a[i];
type assignedVars struct{}

func (assignedVars) write(w *cutWriter, e cutEdit) {
	if e.places[0] != e.stmt.Range {
		w.replace(e, e.stmt.Vars[0].Name+" ")
		return
	}
	var sets []string
	for _, v := range e.stmt.Vars {
		if v.Init != nil {
			sets = append(sets, assignment(w.fn.File, v))
		}
	}
	w.replace(e, strings.Join(sets, " "))
}

// Declaration is that of v alone, without initialiser.
func (c *cutter) Declaration(v *ir.Var) (hoisted, bool) {
	f := c.fn.File
	t := v.Type
	switch {
	case len(v.Decl.Vars) > 1 && strings.Contains(t.Base, "{"):
		c.Refuse(f, v.Range.Start, CodeHoist, "%s is used after a barrier of the region, and declared beside others with a type that has no declaration of its own", v.Name)
		return hoisted{}, false
	case c.hidesBefore(v.Decl):
		return hoisted{}, false
	case t.Ref:
		c.Refuse(f, v.Range.Start, CodeHoist, "reference %s is used after a barrier of the region: a reference can't be declared first and bound later", v.Name)
		return hoisted{}, false
	case v.Static:
		c.Refuse(f, v.Range.Start, CodeHoist, "static variable %s is used after a barrier of the region", v.Name)
		return hoisted{}, false
	case len(v.Dims) > 0 && v.Init != nil:
		c.Refuse(f, v.Range.Start, CodeHoist, "array %s has an initialiser and is used after a barrier of the region", v.Name)
		return hoisted{}, false
	case v.Init != nil && strings.Contains(kit.Text(f, v.Range), "{") && pointers.MayBeArray(c.k(), c.fn, v):
		c.Refuse(f, v.Range.Start, CodeHoist, "%s is used after a barrier of the region, has an initialiser in braces and may be an array", v.Name)
		return hoisted{}, false
	case !c.k().MadeQuietly(c.fn, v):
		c.Refuse(f, v.Range.Start, CodeHoist, "%s is used after a barrier of the region, and its type has a constructor or destructor that does more than make it, or may", v.Name)
		return hoisted{}, false
	case t.Function:
		c.Refuse(f, v.Range.Start, CodeHoist, "%s is used after a barrier of the region and its type can't be written down", v.Name)
		return hoisted{}, false
	}
	if t.IsAuto() {
		inferred, ok := c.infer(v.Init)
		if !ok {
			c.Refuse(f, v.Range.Start, CodeHoist, "auto variable %s is used after a barrier of the region and its type is not known", v.Name)
			return hoisted{}, false
		}
		t = inferred
	}
	t.Const = false
	if v.Init != nil && !named.Assigned(c.k(), c.fn, t) {
		c.Refuse(f, v.Range.Start, CodeHoist, "%s is used after a barrier of the region, and can't be declared first and assigned later by its class", v.Name)
		return hoisted{}, false
	}
	if slices.Contains(v.Dims, nil) {
		c.Refuse(f, v.Range.Start, CodeHoist, "array %s without a size is used after a barrier of the region", v.Name)
		return hoisted{}, false
	}
	return hoisted{v: v, typ: t}, true
}

// assignment is the text that gives v what its initialiser gave it, "" where that can't be assigned.
func assignment(f *parser.File, v *ir.Var) string {
	decl := kit.Text(f, v.Range)
	if eq := kit.TopLevelEquals(decl); eq > 0 {
		return v.Name + " " + decl[eq:] + ";"
	}
	rest := strings.TrimSpace(strings.TrimPrefix(decl, v.Name))
	switch {
	case !strings.HasPrefix(rest, "(") && !strings.HasPrefix(rest, "{") || v.Type.Ptr > 0 || v.Type.IsAuto():
	case !strings.Contains(v.Type.Base, " "):
		return v.Name + " = " + v.Type.Base + rest + ";"
	case v.Init.Op == ir.OpInitList && len(v.Init.Kids) == 1:
		// "unsigned int(3)" is no expression.
		return v.Name + " = (" + v.Type.Base + ")(" + rest[1:len(rest)-1] + ");"
	}
	return ""
}

// movable reports whether a declaration can be left outside of all guards: it makes no access and has no effect, such
// as a shared array, a variable without an initialiser, or a tile of a cooperative group.
func (c *cutter) movable(s *ir.Stmt) bool {
	if s.Op != ir.StmtDecl || s.Macro {
		return false
	}
	for _, v := range s.Vars {
		if v.Kind == ir.VarShared || v.Init == nil && c.k().MadeQuietly(c.fn, v) {
			continue
		}
		if !analysis.IsGroupType(v) {
			return false
		}
	}
	return true
}

// namesType reports whether a statement without effect is a type alias or the
// like, and not just a semicolon or a dead #if group.
func namesType(f *parser.File, s *ir.Stmt) bool {
	t := strings.TrimSpace(kit.Text(f, s.Range))
	return t != "" && t != ";" && t[0] != '#'
}

// makesNames reports whether a statement without effect makes names for those after it, unlike a static assertion.
func (c *cutter) makesNames(s *ir.Stmt) bool {
	return s.Op == ir.StmtEmpty && (len(s.Names) > 0 || kit.IsUsing(kit.Text(c.fn.File, s.Range)))
}

// move takes a declaration out of its place and before the region.
func (c *cutter) move(s *ir.Stmt) {
	if slices.ContainsFunc(s.Vars, c.captures) || c.hidesBefore(s) {
		return
	}
	if s.Macro {
		c.Refuse(c.fn.File, s.Range.Start, kit.CodeMacro, "a declaration inside a macro must be moved")
		return
	}
	c.hoisted = append(c.hoisted, hoisted{stmt: s})
	f, at := c.fn.File, s.Range
	e := kit.EndOfLine(f, at.End)
	line := kit.FirstOnLine(f, at.Start) && (e != at.End || e < len(f.Src) && (f.Src[e] == '\n' || f.Src[e] == '\r'))
	if line {
		at.Start = kit.LineStart(f, at.Start)
	}
	c.add("no declaration", s, kit.Ranges{at}, movedDeclaration{line})
}

// movedDeclaration is the rest of a declaration that was moved: nothing, or a comment
// where it had its line for itself.
type movedDeclaration struct{ line bool }

func (m movedDeclaration) write(w *cutWriter, e cutEdit) {
	left := ""
	if m.line {
		left = kit.IndentAt(w.fn.File, e.stmt.Range.Start) + "// (declared above)"
	}
	w.replace(e, left)
}
