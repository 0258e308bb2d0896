package rewrite

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
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
	if c.buf.changes(s.Range) {
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

// infer returns the type of an expression where that is simple enough to be
// sure.
func (c *cutter) infer(e *ir.Expr) (ir.Type, bool) {
	none := ir.Type{}
	if e == nil {
		return none, false
	}
	switch e.Op {
	case ir.OpIdent:
		if e.Var != nil && !e.Var.Type.IsAuto() && len(e.Var.Dims) == 0 {
			t := e.Var.Type
			t.Ref, t.Const = false, false
			return t, true
		}
	case ir.OpMember:
		if b := e.Kids[0]; b.Op == ir.OpIdent && b.Var == nil && intrinsic.VariableOf(b.Name) != nil {
			return ir.Type{Base: "unsigned int"}, true
		}
	case ir.OpIndex:
		b := e.Kids[0]
		if b.Op == ir.OpIdent && b.Var != nil && !b.Var.Type.IsAuto() && (b.Var.Type.Ptr == 1 && len(b.Var.Dims) == 0 || b.Var.Type.Ptr == 0 && len(b.Var.Dims) == 1) {
			return ir.Type{Base: b.Var.Type.Base}, true
		}
	case ir.OpCast:
		if e.Type.Base != "" && !e.Type.IsAuto() && !e.Type.Ref {
			t := e.Type
			t.Const = false
			return t, true
		}
	case ir.OpCall:
		if strings.HasPrefix(e.Name, "make_") && e.Qual == "" {
			return ir.Type{Base: strings.TrimPrefix(e.Name, "make_")}, true
		}
	case ir.OpBinary:
		a, okA := c.infer(e.Kids[0])
		b, okB := c.infer(e.Kids[1])
		wide := map[string]bool{"int": true, "unsigned int": true, "unsigned": true, "float": true, "double": true}
		if okA && okB && a == b && wide[a.Base] && a.Ptr == 0 && strings.Contains("+-*/", e.Tok) {
			return a, true
		}
	}
	return none, false
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

// constant reports whether a declaration makes compile-time constants, which
// need no guard and may size arrays.
func (c *cutter) constant(s *ir.Stmt) bool {
	if is, known := c.constants[s]; known {
		return is
	}
	is := c.isConstant(s)
	if c.constants == nil {
		c.constants = map[*ir.Stmt]bool{}
	}
	c.constants[s] = is // constants are made of constants: each is asked for again and again
	return is
}

func (c *cutter) isConstant(s *ir.Stmt) bool {
	if s.Op != ir.StmtDecl || s.Macro {
		return false
	}
	for _, v := range s.Vars {
		if v.Kind != ir.VarLocal || !v.Type.Const || v.Type.Ref || v.Type.Ptr > 0 || len(v.Dims) > 0 || !c.compileTime(v.Init) {
			return false
		}
	}
	return true
}

func (c *cutter) compileTime(e *ir.Expr) bool {
	if e == nil {
		return false
	}
	switch e.Op {
	case ir.OpInt, ir.OpLiteral, ir.OpSizeof:
		return true
	case ir.OpIdent:
		if v := e.Var; v != nil {
			return v.Kind == ir.VarTemplateValue || v.Kind == ir.VarEnumerator || v.Decl != nil && c.constant(v.Decl)
		}
		return e.Name != "blockDim" && e.Name != "gridDim" && c.k().Uniformity(c.fn, e) == analysis.GridUniform
	case ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpCast:
		for _, kid := range e.Kids {
			if !c.compileTime(kid) {
				return false
			}
		}
		return true
	}
	return false
}

// sizes reports whether a declared constant sizes an array of the function.
func (c *cutter) sizes(s *ir.Stmt) bool {
	found := false
	for _, v := range c.fn.Vars {
		for _, d := range v.Dims {
			d.Walk(func(e *ir.Expr) bool {
				found = found || e.Op == ir.OpIdent && e.Var != nil && e.Var.Decl == s
				return !found
			})
		}
	}
	return found
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

// barrierCall handles a statement in which a call holds a barrier: all v-TBs
// make the call in every turn, and only the one whose turn it is takes its
// result.
func (c *cutter) barrierCall(s *ir.Stmt, e *ir.Expr, v *ir.Var, top bool) {
	f := c.fn.File
	call, target := e, (*ir.Expr)(nil)
	if v == nil && e.Op == ir.OpAssign {
		target, call = e.Kids[0], e.Kids[1]
	}
	if call == nil || call.Op != ir.OpCall || !c.k().BarrierHere(c.fn, call) || s.Macro || e.Macro {
		c.refuse(f, s.Range.Start, CodeBarrierCall, "a barrier deep inside an expression")
		return
	}
	if target != nil && c.k().Touches(c.fn, target) || target != nil && !c.k().IsPure(c.fn, target) {
		c.refuse(f, s.Range.Start, CodeBarrierCall, "the result of a call that holds a barrier goes to memory")
		return
	}
	c.safeArguments(call)
	if v == nil && target == nil {
		return
	}
	tmp := c.temporary("r")
	if v != nil {
		d, ok := c.declaration(v)
		if !ok || c.captures(v) {
			return
		}
		if top && c.region != nil {
			c.hoisted = append(c.hoisted, d)
		} else {
			c.into(func() { c.insertBefore(f, s.Outer.Start, d) })
		}
		c.buf.Replace(s.Range.Start, call.Range.Start, "const auto "+tmp+" = ")
		c.buf.Insert(s.Range.End, " if ("+c.mine+") "+v.Name+" = "+tmp+";")
		return
	}
	c.buf.Replace(s.Range.Start, call.Range.Start, "{ const auto "+tmp+" = ")
	c.buf.Insert(s.Range.End, " if ("+c.mine+") "+text(f, target.Range)+" "+e.Tok+" "+tmp+"; }")
}

// safeArguments checks that v-TBs whose turn it is not can evaluate a call's
// arguments, too: they may hold variables that these have not set yet, so no
// address may be followed. The predicate of a barrier that votes is masked.
func (c *cutter) safeArguments(call *ir.Expr) {
	if form := intrinsic.Of(call.Name).Forms.Block; form.Act == intrinsic.Masked && c.k().IsVote(c.fn, call) {
		mask := c.mine + " && ("
		if form.Text == "true" {
			mask = "!(" + c.mine + ") || ("
		}
		c.buf.Insert(call.ArgsRange.Start+1, mask)
		c.buf.Insert(call.ArgsRange.End-1, ")")
		return
	}
	for i, a := range call.Args() {
		if !c.safeArgument(a, c.bindsReference(call, i)) {
			c.refuse(c.fn.File, a.Range.Start, CodeBarrierCall, "an argument of a call that holds a barrier reads memory")
		}
	}
}

// safeArgument is safeArguments for one of them; bound says that its address alone
// is taken.
func (c *cutter) safeArgument(a *ir.Expr, bound bool) bool {
	safe := true
	a.Walk(func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec, ir.OpDeref, ir.OpIndex, ir.OpAsm, ir.OpLambda, ir.OpUnknown, ir.OpNew:
			safe = false
		case ir.OpMember:
			safe = safe && !e.Arrow
		case ir.OpIdent:
			// Another v-TB may write it meanwhile, or hold it in its own turn alone.
			s := c.k().SharedVar(c.fn, e)
			value := s != nil && len(s.Var.Dims) == 0 && !s.Dynamic
			value = value || e.Var != nil && e.Var.Type.Ref && c.k().MayPoint(e.Var)
			safe = safe && (!value || bound && e == a)
		case ir.OpAddr, ir.OpSizeof:
			return false // an address is computed, not followed
		case ir.OpCall:
			safe = safe && c.k().IsPureCall(c.fn, e)
		}
		return safe
	})
	return safe
}

// bindsReference reports whether all functions that a call may mean take an
// argument by reference.
func (c *cutter) bindsReference(call *ir.Expr, arg int) bool {
	callees := c.k().Callees(c.fn, call)
	for _, f := range callees {
		if arg >= len(f.Params) || !f.Params[arg].Type.Ref {
			return false
		}
	}
	return len(callees) > 0
}
