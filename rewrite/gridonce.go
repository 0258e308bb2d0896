package rewrite

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// A grid whose expression may do something, or say something else when it is asked
// again, is evaluated once and gets a name. So is a long one, which nobody wants to read twice:
//
//	k<<<next(), 64>>>(a);
//	--> {
//	        const dim3 smux_grid = next();
//	        k<<<smux::grid<2>(smux_grid), smux::block<2, 64>(64)>>>(a, smux::dim(smux_grid).x);
//	    }
//
// The launch must be a statement by itself, so that nothing else is evaluated before the
// grid. C++ evaluates the configuration before the kernel's arguments, but leaves open in
// which order its parts are. So that it does not matter which compilers chose, the other
// parts must be made of numbers and of local variables that the grid's expression doesn't
// name and nothing else can reach.

// gridName is the variable that holds a grid.
const gridName = "smux_grid"

// canNameGrid reports whether a launch's grid can be proved to be the same when it is
// evaluated before the launch.
func canNameGrid(p *mergeProof, launch *analysis.Launch, e *ir.Expr, host *ir.Func) bool {
	if !standsAsStatement(launch) {
		return false
	}
	v := launch.View
	grid := e.Kids[0]
	named := map[*ir.Var]bool{}
	name := func(t *ir.Expr) bool {
		if t.Var != nil {
			named[t.Var] = true
		}
		return true
	}
	grid.Walk(name)
	host.Body.WalkExprs(func(t *ir.Expr) bool {
		if t.Op == ir.OpLambda { // it may hold a variable by reference, and be called from anywhere
			t.Lambda.WalkExprs(name)
		}
		return true
	})
	for i := 1; i < len(v.Config); i++ {
		if i == 1 && hasConstantBlock(p, launch) {
			continue // numbers, whatever they are called
		}
		if !standsAlone(e.Kids[i], named) {
			return false
		}
	}
	return true
}

// standsAsStatement reports whether a launch is a statement by itself.
func standsAsStatement(launch *analysis.Launch) bool {
	statement := launch.View.Node.Parent
	return statement != nil && statement.Kind == parser.KindExpressionStatement && statement.Start == launch.View.Node.Start && launch.File.Src[statement.End-1] == ';'
}

// longGrid is from how many bytes on an expression is long.
const longGrid = 24

// nameGrid gives the launch's grid a name.
func (c launchChange) nameGrid(b *edit.Buffer) {
	f, statement := c.File, c.View.Node.Parent
	open, closing, end := " ", " }", int(statement.End)
	if firstOnLine(f, int(statement.Start)) && endOfLine(f, end) == lineEnd(f, end) {
		open = f.Newline() + indentAt(f, int(statement.Start)) // which setIn sets in
		closing, end = open+"}", endOfLine(f, end)
	}
	b.Insert(int(statement.Start), "{"+open+"const dim3 "+gridName+" = "+configText(c.Launch, 0)+";"+open)
	b.Insert(end, closing)
}

// longLine is how many columns of a line a person sees side by side with another.
const longLine = 120

// breakLine puts the arguments of a launch on a line of their own where its line became too long.
func (c launchChange) breakLine(b *edit.Buffer, before int) {
	f, args := c.File, c.View.Args
	start, end := lineStart(f, int(args.Start)), lineEnd(f, int(args.Start))
	columns := end - start
	for _, e := range b.Edits()[before:] {
		if e.Start < start || e.End > end {
			continue
		}
		text := e.New
		if i := strings.LastIndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
		columns += len(text) - (e.End - e.Start)
	}
	first := args.FirstNamed()
	if columns <= longLine || first == nil || !firstOnLine(f, int(c.View.Node.Start)) || lineStart(f, int(first.Start)) != start || int(first.Start) != int(args.Start)+1 {
		return
	}
	b.Insert(int(first.Start), f.Newline()+indentAt(f, start)+unitOf(f.Src))
}

// hasConstantBlock reports whether the block of a launch is known from the program's text.
func hasConstantBlock(p *mergeProof, launch *analysis.Launch) bool {
	for _, in := range p.Kernel.InstancesOf(launch) {
		if _, known := in.BlockShape(); !known || in.Told {
			return false
		}
	}
	return true
}

// standsAlone reports whether an expression depends on nothing but numbers and on
// variables that nobody else can reach, and none of those that are named elsewhere.
func standsAlone(e *ir.Expr, named map[*ir.Var]bool) bool {
	alone := true
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpInt, ir.OpLiteral, ir.OpBinary, ir.OpUnary, ir.OpCast, ir.OpCond, ir.OpSizeof, ir.OpInitList:
		case ir.OpMember:
			alone = alone && !t.Arrow
		case ir.OpIdent:
			if t.Var == nil || named[t.Var] || t.Var.AddrTaken || t.Var.Static || t.Var.Type.Ref || t.Var.Kind != ir.VarLocal && t.Var.Kind != ir.VarParam {
				alone = false
			}
		case ir.OpCall: // dim3(x, y)
			_, member := t.IsMemberCall()
			alone = alone && !member && intrinsic.Of(t.Name).Kind == intrinsic.Cast
			for _, a := range t.Args() {
				alone = alone && standsAlone(a, named)
			}
			return false
		default:
			alone = false
		}
		return alone
	})
	return alone
}
