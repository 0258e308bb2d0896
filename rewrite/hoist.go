package rewrite

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// needsHoist reports whether a declaration's variable is used behind the piece
// that it would be guarded in.
func (c *cutter) needsHoist(s *ir.Stmt, run []*ir.Stmt) bool {
	return s.Op == ir.StmtDecl && c.usedAfter(c.fn, s, run[len(run)-1].Range.End)
}

// hoist turns a declaration into assignments and returns the declarations to
// put before the guard: const dropped, auto given its type.
func (c *cutter) hoist(s *ir.Stmt) []string {
	f := c.fn.File
	var decls, sets []string
	for _, v := range s.Vars {
		if v.Macro || s.Macro {
			c.refuse(f, s.Range.Start, CodeMacro, "a declaration inside a macro must be taken apart")
			return nil
		}
		d, ok := c.declaration(v)
		if !ok || c.captures(v) {
			return nil
		}
		decls = append(decls, d)
		if v.Init != nil {
			set, ok := c.assignment(v)
			if !ok {
				return nil
			}
			sets = append(sets, set)
		}
	}
	c.replaceDeclaration(s, strings.Join(sets, " "))
	return decls
}

// captures refuses to declare v earlier where a name before it in the region
// means another variable, which the earlier declaration would hide.
func (c *cutter) captures(v *ir.Var) bool {
	from := v.Decl.Parent.Range.Start
	if c.region != nil && v.Decl.Parent == c.region.List {
		from = c.start()
	}
	found := false
	for _, e := range c.namesIn(c.fn).named[v.Name] {
		if e.Var != v && e.Range.Start >= from && e.Range.Start < v.Range.Start {
			found = found || e.Var == nil || e.Var.Decl == nil || e.Var.Range.Start < from
		}
	}
	if found {
		c.refuse(c.fn.File, v.Range.Start, CodeHoist, "%s must be declared before the region, where the name means something else", v.Name)
	}
	return found
}

// replaceDeclaration puts the assignments in a declaration's place, without
// touching the initialisers' text, in which other edits may be due.
func (c *cutter) replaceDeclaration(s *ir.Stmt, sets string) {
	if len(s.Vars) == 1 && s.Vars[0].Init != nil {
		v := s.Vars[0]
		decl := text(c.fn.File, v.Range)
		if eq := topLevelEquals(decl); eq > 0 {
			c.buf.Replace(s.Range.Start, v.Range.Start+eq, v.Name+" ")
			return
		}
	}
	if c.buf.Changes(s.Range.Start, s.Range.End) {
		c.refuse(c.fn.File, s.Range.Start, CodeHoist, "a declaration must be taken apart in which something else changes, too")
		return
	}
	c.buf.Replace(s.Range.Start, s.Range.End, sets)
}

// declaration is the text of a declaration of v alone, without initialiser.
func (c *cutter) declaration(v *ir.Var) (string, bool) {
	f := c.fn.File
	t := v.Type
	switch {
	case t.Ref:
		c.refuse(f, v.Range.Start, CodeHoist, "reference %s is used behind a barrier of the region: a reference can't be declared first and bound later", v.Name)
		return "", false
	case v.Static:
		c.refuse(f, v.Range.Start, CodeHoist, "static variable %s is used behind a barrier of the region", v.Name)
		return "", false
	case len(v.Dims) > 0 && v.Init != nil:
		c.refuse(f, v.Range.Start, CodeHoist, "array %s has an initialiser and is used behind a barrier of the region", v.Name)
		return "", false
	case t.Function:
		c.refuse(f, v.Range.Start, CodeHoist, "%s is used behind a barrier of the region and its type can't be written down", v.Name)
		return "", false
	}
	if t.IsAuto() {
		inferred, ok := c.infer(v.Init)
		if !ok {
			c.refuse(f, v.Range.Start, CodeHoist, "auto variable %s is used behind a barrier of the region and its type is not known", v.Name)
			return "", false
		}
		t = inferred
	}
	t.Const = false
	out := strings.TrimRight(t.String(), " ")
	if !strings.HasSuffix(out, "*") {
		out += " "
	}
	out += v.Name
	for _, d := range v.Dims {
		if d == nil {
			c.refuse(f, v.Range.Start, CodeHoist, "array %s without a size is used behind a barrier of the region", v.Name)
			return "", false
		}
		out += "[" + text(f, d.Range) + "]"
	}
	return out + ";", true
}

// assignment is the text that gives v what its initialiser gave it.
func (c *cutter) assignment(v *ir.Var) (string, bool) {
	decl := text(c.fn.File, v.Range)
	if eq := topLevelEquals(decl); eq > 0 {
		return v.Name + " " + decl[eq:] + ";", true
	}
	rest := strings.TrimSpace(strings.TrimPrefix(decl, v.Name))
	if (strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "{")) && v.Type.Ptr == 0 && !v.Type.IsAuto() {
		if !strings.Contains(v.Type.Base, " ") {
			return v.Name + " = " + v.Type.Base + rest + ";", true
		}
		// "unsigned int(3)" is no expression.
		if v.Init != nil && v.Init.Op == ir.OpInitList && len(v.Init.Kids) == 1 {
			return v.Name + " = (" + v.Type.Base + ")(" + rest[1:len(rest)-1] + ");", true
		}
	}
	c.refuse(c.fn.File, v.Range.Start, CodeHoist, "the initialiser of %s can't become an assignment", v.Name)
	return "", false
}

// topLevelEquals returns the offset of the '=' of "name = init", or -1.
func topLevelEquals(decl string) int {
	depth := 0
	for i := 0; i < len(decl); i++ {
		switch decl[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '=':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// movable reports whether a declaration can be left outside of all guards: it
// makes no access and has no effect, such as a shared array, a variable without
// an initialiser, or a tile of a cooperative group.
func (c *cutter) movable(s *ir.Stmt) bool {
	if s.Op != ir.StmtDecl || s.Macro {
		return false
	}
	for _, v := range s.Vars {
		if v.Kind == ir.VarShared || v.Init == nil {
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
	t := strings.TrimSpace(text(f, s.Range))
	return t != "" && t != ";" && t[0] != '#'
}

// move takes a declaration out of its place and before the region.
func (c *cutter) move(s *ir.Stmt) {
	f := c.fn.File
	for _, v := range s.Vars {
		if c.captures(v) {
			return
		}
	}
	decl := text(f, s.Range)
	if !strings.Contains(decl, "//") {
		decl = strings.Join(strings.Fields(decl), " ")
	}
	c.hoisted = append(c.hoisted, decl)
	start, end := s.Range.Start, s.Range.End
	if e := endOfLine(f, end); firstOnLine(f, start) && (e != end || e < len(f.Src) && (f.Src[e] == '\n' || f.Src[e] == '\r')) {
		c.buf.Replace(lineStart(f, start), end, indentAt(f, start)+"// (declared above)")
		return
	}
	c.buf.Replace(start, end, "")
}
