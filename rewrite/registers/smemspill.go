package registers

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CodeSpill is a kernel in which the compiler may not spill to shared memory.
const CodeSpill diag.Code = "shared-spill"

// spillLines let the compiler spill to shared memory (PTX ISA 9.0, .pragma "enable_smem_spilling"). Older toolkits,
// which do not know it, compile nothing of it.
var spillLines = []string{
	"#if __CUDACC_VER_MAJOR__ >= 13",
	`asm volatile(".pragma \"enable_smem_spilling\";");`,
	"#endif",
}

// checkSpill proves that the compiler can spill to shared memory. It may do so only in a kernel with launch bounds,
// that has no dynamic shared memory and calls nothing that the compiler doesn't see the whole of (PTX ISA 9.0). Flags
// that exclude it, -rdc and -G, are not in the text.
func (p *demoteProof) checkSpill(r variant.Recipe) {
	if !r.Spill {
		return
	}
	k := p.Kernel
	if k.View.LaunchBounds == nil && r.Threads == 0 {
		p.Refuse(k.File, k.View.Start, CodeSpill, "the kernel has no launch bounds: the compiler would keep shared memory for a block of %d threads", hardware.MaxThreadsPerBlock)
	}
	for _, s := range k.Shared {
		if s.Dynamic {
			p.Refuse(s.Var.File, s.Var.Range.Start, CodeSpill, "%s is dynamic shared memory, which spills can't stand beside", s.Name)
		}
	}
	for _, fn := range k.Recursive {
		p.Refuse(fn.File, fn.View.Start, CodeSpill, "%s may call itself", fn.View.Name)
	}
	for _, h := range k.Hazards {
		if h.Code == analysis.CodeDeviceLaunch || h.Code == analysis.CodeUnknownCall {
			p.Reasons = append(p.Reasons, diag.Message{Pos: h.Pos, Code: CodeSpill, Text: h.Text})
		}
	}
	p.noDynamicBytes()
	p.noOwnLimits()
}

// noDynamicBytes proves that no launch gives the kernel dynamic shared memory.
func (p *demoteProof) noDynamicBytes() {
	p.Closed = true
	k := p.Kernel
	for _, l := range k.Launches {
		if len(l.View.Config) < 3 {
			continue
		}
		e, _ := hostcode.Expr(l, k.Prog)
		if e == nil {
			continue // refused by LaunchProof.check
		}
		if bytes := e.Kids[2]; bytes.Op != ir.OpInt || bytes.Int != 0 {
			p.Refuse(l.File, e.Kids[2].Range.Start, CodeSpill, "this launch gives the kernel dynamic shared memory")
		}
	}
	p.Assumes("give the kernel no dynamic shared memory")
}

// noOwnLimits refuses kernels that change their registers while they run, and calls through pointers.
func (p *demoteProof) noOwnLimits() {
	k := p.Kernel
	for _, fn := range k.Functions {
		for e := range fn.Body.AllExprs() {
			switch {
			case e.Op == ir.OpAsm && strings.Contains(e.Name, "setmaxnreg"):
				p.Refuse(fn.File, e.Range.Start, CodeSpill, "the kernel changes its number of registers (setmaxnreg)")
			case e.Op == ir.OpCall && len(e.Kids) > 0 && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var != nil && e.Kids[0].Var.Type.Function:
				p.Refuse(fn.File, e.Range.Start, CodeSpill, "a call through a pointer")
			}
		}
	}
}
