// Package restrict tells the compiler that what a kernel reads through a pointer is written by nobody meanwhile.
package restrict

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// The codes of what restrict refuses.
const (
	CodeNothing diag.Code = "nothing-to-restrict" // a kernel without a parameter that could be __restrict__
	CodeWrites  diag.Code = "may-overlap"         // a write that may be to memory which the kernel reads
)

// Check proves that parameters of a kernel may be __restrict__.
//
//	__global__ void k(const float *a, float *__restrict__ b)   -->   __global__ void k(const float *__restrict__ a, float *__restrict__ b)
//
// The compiler may then load what lies behind a at any time, and once, through a cache that stores don't reach. So
// nothing behind it may be written while the kernel runs: not through other pointers, which holds where they are
// __restrict__ already (kit.Elsewhere), nor by others whom the kernel hears of, by volatile reads, fences or atomics.
// What a launch passes is no fact of the kernel's text: pointers that are the same in another
// launch would give other results.
func Check(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &proof{Findings: kit.NewFindings(k, variant.Restrict, opt)}
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	for i, v := range k.Func.Params {
		if v.Type.Ptr != 1 || !v.Type.PtrConst || v.Type.Restrict || i >= len(k.View.Params) {
			continue
		}
		if code, why, fn, at := p.against(v); why != "" {
			p.Refuse(fn.File, at, code, "%s can't be __restrict__: %s", v.Name, why)
		} else if at, ok := p.before(k.View.Params[i]); ok {
			p.at = append(p.at, at)
		} else {
			p.Refuse(k.File, v.Range.Start, CodeNothing, "%s is not written as a pointer with a name after it", v.Name)
		}
	}
	switch {
	case len(p.at) > 0:
		p.Reasons = nil // what is against one parameter is nothing against another
	case len(p.Reasons) == 0:
		p.Refuse(k.File, k.View.Start, CodeNothing, "the kernel has no parameter that points to const and is not __restrict__")
	}
	return p, p.Reasons
}

// against says why a parameter can't be __restrict__, and where; why is "" where it can.
func (p *proof) against(v *ir.Var) (code diag.Code, why string, fn *ir.Func, at int) {
	k := p.Kernel
	own := func(code diag.Code, why string) (diag.Code, string, *ir.Func, int) {
		return code, why, k.Func, v.Range.Start
	}
	switch {
	case v.Type.Volatile:
		return own(CodeNothing, "it is volatile")
	case len(v.Writes) > 0 || v.AddrTaken:
		return own(CodeNothing, "it changes, or its address is taken")
	}
	if fn, at := kit.Hears(k); fn != nil {
		return CodeWrites, "the kernel may hear here of what others write", fn, at
	}
	if fn, e := (kit.Elsewhere{K: k, V: v}).Write(); e != nil {
		return CodeWrites, "this may write what it points to", fn, e.Range.Start
	}
	return "", "", nil, 0
}

// before returns the place for a qualifier: before the name, after the * or what qualifies the pointer.
func (p *proof) before(param parser.Param) (at int, ok bool) {
	f := p.Kernel.File
	param.Node.Walk(func(n *parser.Node) bool {
		if !ok && n.Kind == parser.KindIdentifier && f.Text(n) == param.Name {
			text := strings.TrimSpace(string(f.Src[param.Node.Start:n.Start]))
			at, ok = int(n.Start), strings.HasSuffix(text, "*") || strings.HasSuffix(text, "*const") || strings.HasSuffix(text, "* const")
		}
		return !ok
	})
	return at, ok
}

// proof says where __restrict__ goes.
type proof struct {
	kit.Findings
	at []int
}

// String lists the places.
func (p *proof) String() string {
	var b strings.Builder
	b.WriteString(p.Title())
	for _, at := range p.at {
		b.WriteString("\n\t__restrict__ at " + p.At(at))
	}
	return b.String()
}

// Apply qualifies the parameters.
func (p *proof) Apply() *kit.Edits {
	w := kit.NewEmitter(p.Kernel)
	for _, at := range p.at {
		w.Buffer(p.Kernel.File).Insert(at, "__restrict__ ")
	}
	w.AtTop(w.Checks(&p.Findings))
	return w.Done()
}
