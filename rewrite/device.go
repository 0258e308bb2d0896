package rewrite

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// formKind is what a device function must become for its callers.
type formKind uint8

const (
	// formTurns: called where all v-TBs run at once, in block mode.
	formTurns formKind = iota
	// formOwn: as any function in named and lock mode; its barriers are the v-TB's
	// own.
	formOwn
	// formCut: called inside a region in block mode; all v-TBs run it, the
	// pieces between its barriers only those whose turn it is.
	formCut
)

// form is a device function in one of its forms.
type form struct {
	fn   *ir.Func
	kind formKind
	// vtb is the v-TB type in the parameters, "" where there is none: kernels
	// merged in different ways need overloads of their own. Plans look functions
	// up without it.
	vtb string
	// turns says where v-TBs take turns inside the function, "" for nowhere: two
	// kernels may differ in it.
	turns string
}

// clone is one form of a device function with the edits that make it.
type clone struct {
	form
	param string // the extra first parameter(s)
	arg   string // what a caller passes for it
	edits Buffer
	calls []callSite // calls of forms inside the function
}

// callSite is one edited call: where the callee's name stands and which form
// it now calls.
type callSite struct {
	at   int
	fn   *ir.Func
	form form
}

// needs reports whether a function must be changed for a form at all.
func (p *Plan) needs(f form, seen map[*ir.Func]bool) bool {
	if seen[f.fn] {
		return false
	}
	seen[f.fn] = true
	k := p.Kernel
	if f.kind != formTurns && k.HasBarrier(f.fn) || usesOf(k, f.fn).any() || p.turnsIn(f.fn) != "" {
		return true
	}
	found := false
	f.fn.Body.WalkExprs(func(e *ir.Expr) bool {
		for _, c := range k.Callees(f.fn, e) {
			kind := f.kind
			if kind == formCut && !k.HasBarrier(c) {
				kind = formTurns
			}
			found = found || p.needs(form{fn: c, kind: kind}, seen)
		}
		return !found
	})
	return found
}

// get returns the clone for a form, making it on first use; nil if the
// function can stay as it is.
func (p *Plan) get(f form) *clone {
	if f.kind == formCut && !p.Kernel.HasBarrier(f.fn) {
		f.kind = formTurns
	}
	if c, ok := p.forms[f]; ok {
		return c
	}
	if f.kind == formTurns && p.votes(f.fn, map[*ir.Func]bool{}) {
		p.refuse(f.fn.File, f.fn.View.Start, CodeVote, "%s counts the threads of the block and is called outside a region, where all virtual thread blocks run", f.fn.View.Name)
	}
	if !p.needs(f, map[*ir.Func]bool{}) {
		p.forms[f] = nil
		return nil
	}
	c := &clone{form: f}
	p.forms[f] = c
	p.clones = append(p.clones, c)
	view := f.fn.View
	if view.Class != "" && view.Node.Ancestor(parser.KindFieldDeclarationList) == nil || view.ParamList == nil || strings.HasPrefix(view.Name, "operator") || view.Name == view.Class {
		p.refuse(f.fn.File, view.Start, CodeBarrierCall, "member function %s uses a barrier or built-in that a merged block changes, and can't be given another parameter", view.Name)
		return c
	}
	u := usesOf(p.Kernel, f.fn)
	vtbParam := "const " + p.vtbType() + "& " + p.vtb
	inner := p.innerNeeds(f)
	switch {
	case f.kind != formCut:
		c.param, c.arg = vtbParam, p.vtb
	case u.any() || inner:
		c.param, c.arg = vtbParam+", bool "+p.turnGuard, p.vtb+", "
	default:
		c.param = "bool " + p.turnGuard
	}
	if c.arg != "" {
		c.vtb = p.vtbType()
	}
	c.turns = p.turnsIn(f.fn)
	at := int(view.ParamList.Start) + 1
	sep := ", "
	if len(view.Params) == 0 {
		sep = ""
	}
	c.edits.Insert(at, c.param+sep)
	p.shadowIn(c, u)
	if f.kind == formCut {
		p.cutFunction(c)
	}
	p.rewriteBody(&c.edits, f.fn, f.fn.Body, f.kind, p.turnGuard, &c.calls)
	return c
}

// votes reports whether a function, or one that it calls, holds a barrier that
// votes.
func (p *Plan) votes(fn *ir.Func, seen map[*ir.Func]bool) bool {
	if seen[fn] {
		return false
	}
	seen[fn] = true
	found := false
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		if p.Kernel.IsVote(fn, e) {
			found = true
		}
		for _, c := range p.Kernel.Callees(fn, e) {
			found = found || p.votes(c, seen)
		}
		return !found
	})
	return found
}

// innerNeeds reports whether a function's callees need the v-TB object.
func (p *Plan) innerNeeds(f form) bool {
	found := false
	f.fn.Body.WalkExprs(func(e *ir.Expr) bool {
		for _, c := range p.Kernel.Callees(f.fn, e) {
			if usesOf(p.Kernel, c).any() || p.needs(form{fn: c, kind: formTurns}, map[*ir.Func]bool{}) {
				found = true
			}
		}
		return !found
	})
	return found
}

// shadowIn puts the shadows of built-ins at the top of a device function.
func (p *Plan) shadowIn(c *clone, u uses) {
	f := c.fn.File
	at := int(c.fn.View.Body.Start) + 1
	indent := indentAt(f, c.fn.View.Start) + "    "
	for _, l := range shadows(u, p.vtb) {
		c.edits.Insert(at, f.Newline()+indent+l)
	}
}

// rewriteBody makes the edits that a statement needs wherever it stands: calls
// of functions that have a new form, barriers in named mode, questions to the
// thread-block group.
func (p *Plan) rewriteBody(b *Buffer, fn *ir.Func, s *ir.Stmt, kind formKind, mine string, calls *[]callSite) {
	k := p.Kernel
	whole := map[*ir.Expr]bool{} // macro uses that are a statement of their own
	s.Walk(func(t *ir.Stmt) bool {
		if t.Op == ir.StmtExpr && t.Expr.Macro && !t.Macro {
			whole[t.Expr] = true
		}
		return !t.Macro
	})
	s.WalkExprs(func(e *ir.Expr) bool {
		if e.Op != ir.OpCall {
			return true
		}
		if p.replaced[e] {
			return true
		}
		if kind == formOwn && k.IsBarrier(fn, e) {
			p.nameBarrier(b, fn, e, whole[e])
			return true
		}
		if obj, ok := e.IsMemberCall(); ok && k.IsThreadBlock(fn, obj) && e.Name != "sync" {
			p.groupCall(b, fn, e)
			return true
		}
		if k.IsTileNumber(fn, e) {
			p.tileNumber(b, fn, e)
			return true
		}
		p.call(b, fn, e, kind, mine, calls)
		return true
	})
}

// call passes the v-TB object to a function that needs it.
func (p *Plan) call(b *Buffer, fn *ir.Func, e *ir.Expr, kind formKind, mine string, calls *[]callSite) {
	callees := p.Kernel.Callees(fn, e)
	for _, callee := range callees {
		c := p.get(form{fn: callee, kind: kind})
		if c == nil {
			continue
		}
		switch {
		case len(callees) > 1:
			p.refuse(fn.File, e.Range.Start, CodeBarrierCall, "%s is overloaded: which definition is called is not clear", e.Name)
		case e.Macro:
			p.refuse(fn.File, e.Range.Start, CodeMacro, "a call of %s inside a macro must change", e.Name)
		default:
			arg := c.arg
			if c.kind == formCut {
				arg += mine
			}
			if len(e.Args()) > 0 {
				arg += ", "
			}
			b.Insert(e.ArgsRange.Start+1, arg)
			*calls = append(*calls, callSite{e.Range.Start, fn, c.form})
		}
	}
}

// nameBarrier turns a barrier of the thread block into one of the v-TB; whole says
// that it is a statement of its own, which a macro may stand for.
func (p *Plan) nameBarrier(b *Buffer, fn *ir.Func, e *ir.Expr, whole bool) {
	method := "sync" // of a cooperative group
	if r := intrinsic.Of(e.Name); r.IsBlockBarrier() {
		method = r.Forms.In(p.Sync).Text
	}
	vote := p.Kernel.IsVote(fn, e)
	switch {
	case e.Macro && (vote || !whole):
		p.refuse(fn.File, e.Range.Start, CodeMacro, "a barrier inside a macro must become the v-TB's own")
	case vote:
		b.Replace(e.Range.Start, e.ArgsRange.Start, p.vtb+"."+method)
	default:
		b.Replace(e.Range.Start, e.Range.End, p.vtb+"."+method+"()")
	}
}

// groupCall answers what is asked of the thread-block group with the v-TB's
// own numbers.
func (p *Plan) groupCall(b *Buffer, fn *ir.Func, e *ir.Expr) {
	if e.Macro {
		p.refuse(fn.File, e.Range.Start, CodeMacro, "a use of the thread-block group inside a macro must change")
		return
	}
	m := intrinsic.BlockMember(e.Name)
	if m == nil {
		p.refuse(fn.File, e.Range.Start, analysis.CodeGroup, "thread_block::%s", e.Name)
		return
	}
	b.Replace(e.Range.Start, e.Range.End, p.vtb+"."+m.Method)
}

// tileNumber answers which tile of the v-TB a tile is, and of how many.
func (p *Plan) tileNumber(b *Buffer, fn *ir.Func, e *ir.Expr) {
	obj, _ := e.IsMemberCall()
	if e.Macro {
		p.refuse(fn.File, e.Range.Start, CodeMacro, "a use of a tile's number inside a macro must change")
		return
	}
	what := ".thread_rank()"
	if e.Name == "meta_group_size" {
		what = ".size()"
	}
	b.Replace(e.Range.Start, e.Range.End, "("+p.vtb+what+" / "+text(fn.File, obj.Range)+".size())")
}
