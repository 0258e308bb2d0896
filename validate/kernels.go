package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/coarsen"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/numbers"
	"github.com/smux-cuda/smux/validate/overlay"
	"github.com/smux-cuda/smux/validate/registers"
	"github.com/smux-cuda/smux/validate/slice"
	"github.com/smux-cuda/smux/validate/stage"
	"github.com/smux-cuda/smux/validate/turns"
	"github.com/smux-cuda/smux/validate/units"
)

// kernelGuarded judges a kernel; what the validator can't cope with is not shown.
// was and now resolve names with nothing hidden.
func (c judge) kernelGuarded(k *Kernel, was, now *kit.Names, a, b *parser.Function) {
	defer func() {
		if v := recover(); v != nil {
			k.Doubt(Erasure, c.New.File, b.Start, "%s", diag.Panicked(v))
		}
	}()
	c.OldNames, c.NewNames = was, now
	if hidden := now.Hide(c.New.File, b); len(hidden) > 0 {
		c.OldNames, c.NewNames = kit.NewNames(was.Prog, hidden), kit.NewNames(now.Prog, hidden)
	}
	clear(c.Low)
	checks := c.shapeChecks(a, b)
	c.kernel(k, a, b)
	c.checksFit(k, b, checks)
	c.unnamedFit(k, c.New.File, b)
	for _, fn := range k.State.Reach {
		kit.Walk(fn.Body, func(e *ir.Expr) bool {
			if e.Op == ir.OpIdent && e.Var == nil && slices.Contains([]string{"__LINE__", "__COUNTER__", "__PRETTY_FUNCTION__"}, e.Name) {
				k.Doubt(Erasure, fn.File, e.Range.Start, "%s is another value in this text", e.Name)
			}
			return !e.Calls("printf") // which may tell where it stands
		})
	}
}

// kernel judges one kernel that differs from the original's.
func (c judge) kernel(k *Kernel, a, b *parser.Function) {
	body := c.NewNames.Lower(c.New.File, b)
	obj := c.Prologue(body.Body)
	if obj == nil && (coarsen.Judge(c.Comparison, k, a, b) || numbers.Swizzled(c.Comparison, k, a, b)) {
		turns.Waits(c.Comparison, k)
		return
	}
	if obj == nil {
		if !overlay.Judge(c.Comparison, k, a, b) && !stage.Judge(c.Comparison, k, a, b) && !registers.Judge(c.Comparison, k, a, b) {
			turns.Unmerged(c.Comparison, k, a, b)
		}
		if k.Doubtful(Erasure) && (k.Variant == "stage-loads" || k.Variant == "overlay") {
			slice.Judge(c.Comparison, k, a, b, false)
		}
		return
	}
	turns.Merged(c.Comparison, k, obj, a, b)
}

// deviceForm notes a device function that differs from the original's. One that is given the v-TB object is judged
// with the kernels that call it.
func (c judge) deviceForm(r *Result, a, b *parser.Function) {
	c.Origin[b] = a
	switch {
	case a.Body == nil && b.Body == nil && len(b.Params) > 0 && strings.HasPrefix(c.New.File.Text(b.Params[0].Node), "const smux::"):
		// Its definition is judged with the kernels.
		given := func(g *parser.Function) bool {
			return len(g.Params) > 0 && strings.HasPrefix(c.FileOf[g].Text(g.Params[0].Node), "const smux::")
		}
		if !units.Same(c.Old.Between(min(a.Start, int(a.Outer.Start)), int(a.Outer.End)), kit.WithoutFirst(c.New.Between(min(b.Start, int(b.Outer.Start)), int(b.Outer.End)), b)) || !slices.ContainsFunc(c.Devices[b.Name], given) {
			r.Doubt(Erasure, c.New.File, b.Start, "this declaration of %s is not the original's", b.Name)
		}
	case b.Body == nil:
		r.Doubt(Erasure, c.New.File, b.Start, "the device function %s is not the original's", b.Name)
	case len(b.Params) == 0 || !strings.Contains(c.New.File.Text(b.Params[0].Node), "smux::") && !(len(b.Params) > len(a.Params) && strings.HasPrefix(c.New.File.Text(b.Params[0].Node), "bool ")):
		c.Apart[b] = true
		c.Inner = append(c.Inner, func() {
			registers.Function(c.Comparison, r, a, b, func(from *parser.Function, callers []*parser.Function) bool {
				return slice.Functions(c.Comparison, r, from, callers)
			})
		})
	}
}
