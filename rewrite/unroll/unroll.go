// Package unroll puts unroll factors before loops that have none.
package unroll

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CodeNothing is a kernel without a loop that gets a factor.
const CodeNothing diag.Code = "nothing-to-unroll"

const (
	shortTrips = 8   // of a loop around others that gets a factor
	mostTrips  = 256 // of a loop that is unrolled fully
)

// Check finds the loops that get a factor.
//
//	for (…) …   -->   #pragma unroll 4
//	                  for (…) …
//
// A compiler that unrolls a loop keeps its meaning, and one that can't leaves it. So there is
// nothing to prove but that the pragma stands before a loop of the kernel's own (demotion.NotUnrolled),
// and that no copy of its body defines a label or a name of PTX again.
func Check(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &proof{Findings: kit.NewFindings(k, variant.Unroll, opt)}
	for _, h := range k.Hazards {
		if h.Code == analysis.CodeSyntax {
			return nil, []diag.Message{h}
		}
	}
	if kit.AlreadyMultiplexed(k) {
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "smux has rewritten this kernel before")
		return nil, p.Reasons
	}
	file, at, why := k.File, k.View.Start, "there is none"
	for _, fn := range k.Functions {
		for s := range fn.Body.All() {
			if !s.IsLoop() {
				continue
			}
			l := demotion.LoopOf(k, fn, s, nil)
			if not := p.leaves(l); not == "" {
				p.loops = append(p.loops, l)
			} else {
				file, at, why = fn.File, s.Range.Start, not
			}
		}
	}
	if len(p.loops) == 0 {
		p.Refuse(file, at, CodeNothing, "no loop gets an unroll factor: %s", why)
		return nil, p.Reasons
	}
	return p, nil
}

// leaves says why a loop is left as it is, "" where it gets the factor.
func (p *proof) leaves(l demotion.Loop) string {
	inner := !l.Stmt.Body.Any(func(s *ir.Stmt) bool { return s.IsLoop() && !p.disappears(l.Func, s) })
	switch not := demotion.NotUnrolled(p.Kernel, l.Func, l.Stmt); {
	case not != "":
		return not
	case l.Factor != 0:
		return "it has a pragma of its own"
	case l.Stmt.Op != ir.StmtFor || l.Stmt.Cond == nil || l.Stmt.Post == nil:
		return "it does not count"
	case l.Trips == 1:
		return "it runs once"
	case !inner && (l.Trips == 0 || l.Trips > shortTrips):
		return "it holds other loops, and is not known to be short"
	case p.Factor == variant.Full && (l.Trips == 0 || l.Trips > mostTrips):
		return fmt.Sprintf("it is not known to run %d times or less", mostTrips)
	case p.names(l.Func, l.Stmt.Body, map[*ir.Func]bool{}):
		return "inline assembly in it defines a label or a name, which a copy would define again"
	}
	return ""
}

// disappears reports whether a loop is unrolled to its end by a pragma of its own, as one over the copies of a block is.
func (p *proof) disappears(fn *ir.Func, loop *ir.Stmt) bool {
	l := demotion.LoopOf(p.Kernel, fn, loop, nil)
	return l.Factor == variant.Full && 0 < l.Trips && l.Trips <= shortTrips
}

// names reports whether inline assembly that a statement runs defines a label or a name of PTX.
func (p *proof) names(fn *ir.Func, s *ir.Stmt, seen map[*ir.Func]bool) bool {
	return s.AnyExpr(func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAsm:
			return e.Name == "" || strings.Contains(strings.ReplaceAll(e.Name, "::", ""), ":") || directive.MatchString(e.Name)
		case ir.OpLambda:
			return e.Lambda != nil && p.names(fn, e.Lambda, seen)
		case ir.OpCall:
			for _, c := range p.Kernel.Callees(fn, e) {
				if !seen[c] {
					seen[c] = true
					if p.names(c, c.Body, seen) {
						return true
					}
				}
			}
		}
		return false
	})
}

// directive matches what declares a name in PTX, such as .reg, after a blank, a brace or the end of an instruction.
var directive = regexp.MustCompile(`(^|[\s;{"]|\\[nrt])\.[a-z]`)

// proof says which loops get the factor.
type proof struct {
	kit.Findings
	loops []demotion.Loop
}

// String lists the loops.
func (p *proof) String() string {
	var b strings.Builder
	b.WriteString(p.Title())
	for _, l := range p.loops {
		fmt.Fprintf(&b, "\n\tbefore the loop at %s", kit.LineColumn(l.Func.File, l.Stmt.Range.Start))
	}
	return b.String()
}

// Apply puts the pragmas.
func (p *proof) Apply() *kit.Edits {
	w := kit.NewEmitter(p.Kernel)
	for _, l := range p.loops {
		w.PutPragma(l.Func.File, l.Stmt, kit.Unrolled(p.Factor))
	}
	return w.Done()
}

func (p *proof) Files() []*parser.File {
	return lists.Map(p.loops, func(l demotion.Loop) *parser.File { return l.Func.File })
}
