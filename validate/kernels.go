package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// kernelGuarded judges a kernel; what the validator can't cope with is not shown.
func (c judge) kernelGuarded(k *Kernel, a, b *parser.Function) {
	defer func() {
		if v := recover(); v != nil {
			k.doubt(Erasure, c.b.file, b.Start, "%s", diag.Panicked(v))
		}
	}()
	c.kernel(k, a, b)
}

// kernel judges one kernel that differs from the original's.
func (c judge) kernel(k *Kernel, a, b *parser.Function) {
	body := c.namesB.lower(c.b.file, b)
	obj := c.prologue(body.Body)
	if obj == nil {
		if !overlaid(c.comparison, k, a, b) && !staged(c.comparison, k, a, b) && !demoted(c.comparison, k, a, b) {
			unmergedFit(c.comparison, k, a, b)
		}
		if k.doubtful(Erasure) && (k.Variant == "stage-loads" || k.Variant == "overlay") {
			sliced(c.comparison, k, a, b, false)
		}
		return
	}
	mergedFit(c.comparison, k, obj, a, b)
}

// deviceForm notes a device function that differs from the original's. One that is given the v-TB object is judged
// with the kernels that call it.
func (c judge) deviceForm(r *Result, a, b *parser.Function) {
	c.origin[b] = a
	switch {
	case a.Body == nil && b.Body == nil && len(b.Params) > 0 && strings.HasPrefix(c.b.file.Text(b.Params[0].Node), "const smux::"):
		// Its definition is judged with the kernels.
		given := func(g *parser.Function) bool {
			return len(g.Params) > 0 && strings.HasPrefix(c.fileOf[g].Text(g.Params[0].Node), "const smux::")
		}
		if !same(c.a.between(min(a.Start, int(a.Outer.Start)), int(a.Outer.End)), withoutFirst(c.b.between(min(b.Start, int(b.Outer.Start)), int(b.Outer.End)), b)) || !slices.ContainsFunc(c.devices[b.Name], given) {
			r.doubt(Erasure, c.b.file, b.Start, "this declaration of %s is not the original's", b.Name)
		}
	case b.Body == nil:
		r.doubt(Erasure, c.b.file, b.Start, "the device function %s is not the original's", b.Name)
	case len(b.Params) == 0 || !strings.Contains(c.b.file.Text(b.Params[0].Node), "smux::") && !(len(b.Params) > len(a.Params) && strings.HasPrefix(c.b.file.Text(b.Params[0].Node), "bool ")):
		c.apart[b] = true
		c.inner = append(c.inner, func() {
			demotedFunction(c.comparison, r, a, b, func(from *parser.Function, callers []*parser.Function) bool {
				return replayed(c.comparison, r, from, callers)
			})
		})
	}
}
