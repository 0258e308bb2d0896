package merge

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// access is one use of the split array: an element, by the array's name and all its subscripts.
type access struct {
	element, name *ir.Expr
	// In text, the name stands at nameAt and the first subscript, inside of its
	// brackets, at [rowAt, rowEnd); the element ends at tail. text is the element's, which
	// stands in the file at begin, or what the macro stands for of which it is a part.
	text                        string
	begin                       int
	nameAt, rowAt, rowEnd, tail int
	use                         ir.Range // of the macro, empty if there is none
	side                        int      // on which it lies, see sideOf
	waits                       bool     // it is a store that waits, see delay
}

// row is the first subscript.
func (a *access) row() *ir.Expr { return a.index().Kids[1] }

// index is the array by its first subscript alone.
func (a *access) index() *ir.Expr {
	e := a.element
	for e.Kids[0] != a.name {
		e = e.Kids[0]
	}
	return e
}

// findAccesses finds all uses of the array and proves that each is one that can be told private or public.
func (c *partition) findAccesses() {
	k := c.Kernel
	for _, fn := range k.Functions[1:] {
		for e := range fn.Body.AllExprs() {
			if evaluate.SharedVar(k, fn, e) == c.array || e.Op == ir.OpIdent && e.Var != nil && pointers.MayPoint(k, e.Var, c.array) {
				c.Refuse(fn.File, e.Range.Start, CodePartition, "%s may hold an address in %s, which becomes two arrays", e.Name, c.array.Name)
			}
		}
	}
	for s := range k.Func.Body.All() {
		for _, v := range s.Vars {
			if v.Init != nil {
				c.uses(v.Init, nil, v.Type.Ref)
			}
			for _, d := range v.Dims {
				c.uses(d, nil, false)
			}
			if v != c.array.Var && pointers.MayPoint(k, v, c.array) {
				c.Refuse(k.File, v.Range.Start, CodePartition, "%s may hold an address in %s, which becomes two arrays", v.Name, c.array.Name)
			}
		}
		for _, e := range []*ir.Expr{s.Cond, s.Expr, s.Post} {
			c.uses(e, nil, false)
		}
	}
	if len(c.Reasons) == 0 {
		c.checkMentions()
		c.checkMacroUses()
	}
}

// uses goes through an expression; above are the expressions around it, the
// nearest last. ref says that the whole is bound to a reference.
func (c *partition) uses(e *ir.Expr, above []*ir.Expr, ref bool) {
	if e == nil {
		return
	}
	k := c.Kernel
	switch {
	case e.Op == ir.OpLambda && e.Lambda != nil:
		for t := range e.Lambda.AllExprs() {
			if evaluate.SharedVar(k, k.Func, t) == c.array {
				c.Refuse(k.File, e.Range.Start, CodePartition, "a lambda uses %s, which becomes two arrays", c.array.Name)
			}
		}
	case e.Op == ir.OpSizeof && e.Type.Base == c.array.Name:
		c.Refuse(k.File, e.Range.Start, CodePartition, "the size of %s is asked for, which becomes two arrays", c.array.Name)
	case e.Op == ir.OpIdent && evaluate.SharedVar(k, k.Func, e) == c.array:
		c.use(e, above, ref)
	}
	above = append(above[:len(above):len(above)], e)
	for _, kid := range e.Kids {
		c.uses(kid, above, ref)
	}
	for _, kid := range e.TArgs {
		c.uses(kid, above, ref)
	}
}

// use looks at one mention of the array's name.
func (c *partition) use(name *ir.Expr, above []*ir.Expr, ref bool) {
	f := c.Kernel.File
	element := name
	i := len(above)
	for range c.dims {
		if i == 0 || above[i-1].Op != ir.OpIndex || above[i-1].Kids[0] != element {
			c.Refuse(f, name.Range.Start, CodePartition, "%s is used here by other than an element: it becomes two arrays", name.Name)
			return
		}
		i--
		element = above[i]
	}
	if why := c.addressUse(element, above[:i], ref); why != "" {
		c.Refuse(f, name.Range.Start, CodePartition, "%s: %s becomes two arrays", why, name.Name)
		return
	}
	subs := c.subs[element]
	for d := 1; d < len(subs); d++ {
		if s := subs[d]; s.Known && (s.Min < 0 || s.Max >= int64(c.dims[d])) {
			c.Refuse(f, element.Range.Start, CodePartition, "a subscript reaches from one row of %s into another", name.Name)
			return
		}
	}
	a := &access{element: element, name: name, side: c.sideOf(element)}
	if c.locate(a) {
		c.accesses = append(c.accesses, a)
	}
}

// addressUse says where the address of an element goes to where it can't be followed, "" where only its value is used
// or changed. An atomic operation may have the address.
func (c *partition) addressUse(e *ir.Expr, above []*ir.Expr, ref bool) string {
	for i := len(above) - 1; i >= 0; i-- {
		p := above[i]
		same := false // p names the element, too, or a part of it
		switch p.Op {
		case ir.OpMember:
			if i > 0 && above[i-1].Op == ir.OpCall && above[i-1].Kids[0] == p {
				return "a member function is called on an element"
			}
			same = !p.Arrow
		case ir.OpCond:
			same = p.Kids[0] != e
		case ir.OpComma:
			same = p.Kids[1] == e
		case ir.OpAssign:
			same = p.Kids[0] == e
		case ir.OpIncDec:
			same = !p.Postfix
		case ir.OpAddr:
			if i > 0 && above[i-1].Op == ir.OpCall && strings.HasPrefix(above[i-1].Name, "atomic") && len(c.Kernel.Callees(c.Kernel.Func, above[i-1])) == 0 {
				return ""
			}
			return "the address of an element is taken"
		case ir.OpCall:
			callees := c.Kernel.Callees(c.Kernel.Func, p)
			if len(callees) == 0 && !c.Kernel.IsPureCall(c.Kernel.Func, p) || c.byReference(p, e) {
				return "an element may be passed by reference"
			}
			return ""
		case ir.OpCast:
			if p.Type.Ref || p.Type.Ptr > 0 {
				return "an element is cast to something else"
			}
			return ""
		case ir.OpIndex:
			if p.Kids[0] == e {
				same = true // of an array that is a part of the element
			}
		case ir.OpUnary, ir.OpBinary:
		case ir.OpInitList:
			same = true
		default:
			return "an element is used in a way that can't be followed"
		}
		if !same {
			return ""
		}
		e = p
	}
	if ref {
		return "an element is bound to a reference"
	}
	return ""
}

// locate finds the name and the first subscript of an access in the text.
func (c *partition) locate(a *access) bool {
	f := c.Kernel.File
	row := a.index()
	refuse := func(why string) bool {
		c.Refuse(f, a.element.Range.Start, CodePartition, "%s, and %s becomes two arrays", why, c.array.Name)
		return false
	}
	if !a.element.Macro {
		// The name may be a macro for it.
		if row.Macro || a.name.Macro && strings.Trim(c.macroText(a.name.Range), "() ") != c.array.Name {
			return refuse("a part of an element is named by a macro")
		}
		a.text, a.begin = kit.Text(f, a.element.Range), a.element.Range.Start
		a.nameAt = a.name.Range.Start - a.begin
		open, end := kit.Brackets(a.text[:row.Range.End-a.begin], a.name.Range.End-a.begin)
		if open < 0 || end != row.Range.End-a.begin {
			return refuse("the subscript is not right after the name")
		}
		a.rowAt, a.rowEnd, a.tail = open+1, end-1, len(a.text)
		for range c.dims[1:] {
			if end > 0 {
				_, end = kit.Brackets(a.text, end)
			}
		}
		if end != a.tail {
			return refuse("the subscripts are not right after each other")
		}
		return true
	}
	a.use, a.text = a.element.Range, c.macroText(a.element.Range)
	words := kit.WordOffsets(a.text, c.array.Name)
	if len(words) != 1 || !kit.OneLine(a.text) {
		return refuse("an element is named by a macro that can't be written out")
	}
	a.nameAt = words[0]
	open, end := kit.Brackets(a.text, a.nameAt+len(c.array.Name))
	a.rowAt, a.rowEnd = open+1, end-1
	for range c.dims[1:] {
		if end > 0 {
			_, end = kit.Brackets(a.text, end)
		}
	}
	if a.tail = end; open < 0 || end < 0 {
		return refuse("an element is named by a macro that can't be written out")
	}
	return true
}

// checkMentions proves that the array's name stands in the kernel's text where it was looked at, and nowhere else.
func (c *partition) checkMentions() {
	k := c.Kernel
	known := map[int]bool{c.array.Var.Range.Start: true}
	for _, a := range c.accesses {
		known[a.name.Range.Start] = true
	}
	for n := range k.View.Body.All() {
		if n.Kind == parser.KindIdentifier || n.Kind == parser.KindTypeIdentifier {
			if at := int(n.Start); k.File.Text(n) == c.array.Name && !known[at] {
				c.Refuse(k.File, at, CodePartition, "%s is named here in a way that can't be followed, and becomes two arrays", c.array.Name)
			}
		}
	}
}

// checkMacroUses proves that each macro that stands for an element is that of one access alone, and in the text once.
func (c *partition) checkMacroUses() {
	seen := map[ir.Range]bool{}
	for _, a := range c.accesses {
		if a.use.End == 0 {
			continue
		}
		if seen[a.use] {
			c.Refuse(c.Kernel.File, a.use.Start, CodePartition, "a macro names elements of %s twice", c.array.Name)
		}
		seen[a.use] = true
	}
	for _, a := range c.accesses {
		for _, o := range c.accesses {
			if a != o && o.use.End > 0 && o.use.Contains(a.element.Range) && a.element.Range != o.use {
				c.Refuse(c.Kernel.File, a.element.Range.Start, CodePartition, "an element of %s is an argument of a macro that must be written out", c.array.Name)
			}
		}
	}
}
