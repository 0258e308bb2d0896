package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// checkSignature proves that a kernel's parameters and launch bounds can change.
func (p *mergeProof) checkSignature() {
	k := p.Kernel
	if k.View.ParamList == nil {
		p.Refuse(k.File, k.View.Start, CodeSignature, "the parameter list is not in view")
		return
	}
	if lb := k.View.LaunchBounds; lb != nil && lb.Kind == parser.MarkMacro {
		p.Refuse(k.File, lb.Start, kit.CodeMacro, "launch bounds inside macro %s", lb.Name)
	}
	p.checkParameterBytes()
	p.cap = p.boundMerged()
}

// checkParameterBytes refuses parameters that leave no room for another one. A type of unknown size counts
// as a byte. Kernels with more bytes than each toolkit allows are for one that allows more.
func (p *mergeProof) checkParameterBytes() {
	k := p.Kernel
	more := []int{4}
	if p.followed() {
		more[0] = 12
	}
	if p.dynamicSets() > 1 {
		more = append(more, 4)
	}
	for _, in := range k.Instances {
		before, after := 0, 0
		for i, v := range append(slices.Clone(k.Func.Params), nil) {
			if i == parameterIndex(k.View) {
				for _, bytes := range more {
					after = alignedTo(after, 4) + bytes
				}
			}
			if v == nil || v.Pack {
				continue
			}
			bytes, align := evaluate.FactsOf(k, in).SizeOf(k.Func, v.Type), evaluate.FactsOf(k, in).Alignment(k.Func, v.Type)
			if len(v.Dims) > 0 || v.Type.Ref || v.Type.Function {
				bytes, align = 8, 8
			}
			before = alignedTo(before, max(align, 1)) + max(bytes, 1)
			after = alignedTo(after, max(align, 1)) + max(bytes, 1)
		}
		most := hardware.ParameterBytes
		if before > most {
			most = hardware.MaxParameterBytes
		}
		if after > most {
			p.Refuse(k.File, int(k.View.ParamList.Start), CodeSignature, "its parameters take %d bytes, and %d with what launches of merged blocks pass: a kernel can have %d", before, after, most)
			return
		}
	}
}

func alignedTo(n, align int) int { return (n + align - 1) / align * align }

// parameterIndex returns the place of a kernel's extra parameter: last, but before
// default arguments and parameter packs.
func parameterIndex(fn *parser.Function) int {
	for i, q := range fn.Params {
		if q.Variadic || q.Default != nil {
			return i
		}
	}
	return len(fn.Params)
}

// followed reports whether default arguments or a pack stand after the kernel's extra parameter. A launch that was
// left behind, in a file that nobody named, may pass an argument of theirs in its place.
func (p *mergeProof) followed() bool {
	return p.Kernel.View.ParamList != nil && parameterIndex(p.Kernel.View) < len(p.Kernel.View.Params)
}

// extentType is the type of the extra parameter: one number, or where it is followed
// the whole grid, since no number converts to it: such a launch does not compile.
func (p *mergeProof) extentType() string {
	if p.followed() {
		return "uint3"
	}
	return "unsigned"
}

// extentArgument returns the argument that a launch passes for the extra parameter, of what smux::merge said.
func (p *mergeProof) extentArgument(merged string) string {
	if p.followed() {
		return merged + ".whole"
	}
	return merged + ".blocks"
}

// insertParameter adds the extra parameters to a definition or declaration.
func insertParameter(b *edit.Buffer, f *parser.File, fn *parser.Function, param string) {
	list := fn.ParamList
	i := parameterIndex(fn)
	switch end := int(list.End) - 1; {
	case strings.TrimSpace(string(f.Src[int(list.Start)+1:end])) == "void":
		b.Replace(int(list.Start)+1, end, param)
	case len(fn.Params) == 0:
		b.Insert(end, param)
	case i < len(fn.Params):
		b.Insert(int(fn.Params[i].Node.Start), param+", ")
	default:
		// After the last parameter, before white space and comments.
		b.Insert(int(fn.Params[i-1].Node.End), ", "+param)
	}
}

// launchBoundsIn turns (T, M) into (T*N, max(1, M/N)).
func (p *mergeProof) launchBoundsIn(b *edit.Buffer, f *parser.File, lb *parser.Mark) {
	if p.coarse {
		return
	}
	args := kit.SplitArguments(string(f.Src[lb.ArgStart:lb.ArgEnd]))
	out := p.scaledThreads(strings.TrimSpace(args[0]), f, lb)
	if len(args) == 2 {
		m := strings.TrimSpace(args[1])
		var n int
		if _, err := fmt.Sscanf(m, "%d", &n); err == nil && fmt.Sprint(n) == m {
			out += fmt.Sprintf(", %d", max(1, n/p.Factor))
		} else {
			out += fmt.Sprintf(", ((%s) / %d > 0 ? (%s) / %d : 1)", m, p.Factor, m, p.Factor)
		}
	}
	b.Replace(lb.ArgStart, lb.ArgEnd, out)
}

// scaledThreads is the text t of the threads that launch bounds allow, times N. More than
// a block can have would make the compiler save registers for nothing.
func (p *mergeProof) scaledThreads(t string, f *parser.File, lb *parser.Mark) string {
	var v int
	if _, err := fmt.Sscanf(t, "%d", &v); err == nil && fmt.Sprint(v) == t {
		return fmt.Sprint(min(hardware.MaxThreadsPerBlock, v*p.Factor))
	}
	if !kit.IsName(t) {
		t = "(" + t + ")"
	}
	t = fmt.Sprintf("%s * %d", t, p.Factor)
	over := func(in *analysis.Instance) bool {
		n, ok := evaluate.FirstArgument(p.Kernel, in, lb)
		return ok && n*p.Factor > hardware.MaxThreadsPerBlock
	}
	if f == p.Kernel.File && slices.ContainsFunc(p.Kernel.Instances, over) {
		return fmt.Sprintf("(%[1]s < %[2]d ? %[1]s : %[2]d)", t, hardware.MaxThreadsPerBlock)
	}
	return t
}

// infer returns the type of an expression where that is simple enough to be sure.
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
			return ir.Type{Base: ir.Uint.Name}, true
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
		if strings.HasPrefix(e.Name, "make_") && e.Intrinsic().Pure() {
			return ir.Type{Base: strings.TrimPrefix(e.Name, "make_")}, true
		}
	case ir.OpBinary:
		a, okA := c.infer(e.Kids[0])
		b, okB := c.infer(e.Kids[1])
		n, number := ir.NumberOf(a.Base)
		if okA && okB && a == b && number && n.Bytes >= ir.Int.Bytes && a.Ptr == 0 && strings.Contains("+-*/", e.Tok) {
			return a, true
		}
	}
	return none, false
}
