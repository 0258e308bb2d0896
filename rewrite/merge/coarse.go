package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Coarsened is the part of a proof that says what changes outside of a kernel whose thread blocks do the work of N
// with the threads of one, or whose threads do that of N: the grid of its launches, or the block, and a parameter with the
// extent of the original one.
//
//	k<<<grid, 64>>>(a);     -->  k<<<dim3(grid.x > 0x7fffffff ? grid.x : (grid.x + 1) / 2, grid.y, grid.z), 64>>>(a, grid.x);
//	k<<<grid, block>>>(a);  -->  the same for block.x, where block.x * block.y * block.z > 1024
type Coarsened = mergeProof

// Coarse begins the proof, or says why there can be none of any kind.
func Coarse(k *analysis.Kernel, opt kit.Options) (*Coarsened, []diag.Message) {
	p, reasons := beginMerge(k, variant.Coarsen, opt)
	if p == nil {
		return nil, reasons
	}
	p.coarse = true
	if k.View.ParamList == nil {
		p.Refuse(k.File, k.View.Start, CodeSignature, "the parameter list is not in view")
		return nil, p.Reasons
	}
	if p.part() == 1 && (k.View.LaunchBounds != nil || kit.MarkOf(k.File, k.View, "__maxnreg__") != nil) {
		p.Refuse(k.File, k.View.Start, kit.CodeBounds, "the kernel has a cap on its threads, at which launches of more may fail that fewer don't")
	} else if p.part() == 1 {
		p.CapsAgree()
	}
	p.checkParameterBytes()
	return p, nil
}

// AddExtent gives the kernel the parameter, and returns what names the extent along the axis.
func (p *mergeProof) AddExtent(w *kit.Emitter) string {
	name := [2]string{"smux_grid", "smux_block"}[p.part()]
	if !p.followed() {
		name += "_" + p.Axis()
	}
	name = w.Fresh(name)
	insertParameter(w.Buffer(p.Kernel.File), p.Kernel.File, p.Kernel.View, p.extentType()+" "+name)
	if p.followed() {
		return name + "." + p.Axis()
	}
	return name
}

// part is the part of a launch's configuration that becomes smaller: the grid, or the block.
func (p *mergeProof) part() int {
	if p.Of == variant.Threads {
		return 1
	}
	return 0
}

// coarsens proves that a launch can say what its grid, or its block, is twice: it is a variable that nothing of the launch changes,
// or gets a name.
func (l *LaunchProof) coarsens(c *launchChange, e *ir.Expr, host *ir.Func) bool {
	f, v := c.File, c.View
	if v.Call != "" {
		l.Refuse(f, v.Open, CodeLaunchCall, "a launch by a call of the CUDA runtime, whose grid and block smux doesn't change for coarsen")
		return false
	}
	of := e.Kids[c.kernel.part()]
	if of.Op == ir.OpIdent && of.Var != nil && of.Var.Type.Base == "dim3" && of.Var.Type.Ptr == 0 && len(of.Var.Dims) == 0 &&
		!slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return l.Prog.Effect(host, kid).MayWrite(of.Var) }) {
		c.named = false
		return true
	}
	if !c.named {
		l.Refuse(f, v.Open, CodeLaunch, "a %s that is no variable, of a launch in front of which it can't get a name", [2]string{"grid", "block"}[c.kernel.part()])
		return false
	}
	return true
}

// coarsen lets a launch start as many blocks, or threads in each, as there are groups of N.
func (c launchChange) coarsen(b *edit.Buffer) {
	part := c.kernel.part()
	of := c.config(part)
	if c.named {
		list, braces := strings.CutPrefix(of, "{")
		if braces {
			of = strings.TrimSpace(strings.TrimSuffix(list, "}"))
		}
		if inside, end := kit.Parentheses(of, len("dim3")); braces || inside < 0 || end != len(of) || !strings.HasPrefix(of, "dim3(") {
			of = "dim3(" + of + ")"
		}
		of = c.nameLaunch(b, of)
	}
	args := [3]string{of + ".x", of + ".y", of + ".z"}
	at := int(c.kernel.Axis()[0] - 'x')
	extent := args[at]
	args[at] = fmt.Sprintf("%s ? %s : (%s + %d) / %d", c.tooMany(of), extent, extent, c.kernel.Factor-1, c.kernel.Factor)
	if c.kernel.followed() {
		extent = fmt.Sprintf("make_uint3(%s.x, %s.y, %s.z)", of, of, of)
	}
	c.replace(b, part, fmt.Sprintf("dim3(%s, %s, %s)", args[0], args[1], args[2]))
	c.pass(b, []string{extent})
}

// tooMany is the condition under which no GPU takes the grid, or the block, of a launch: it stays one.
func (c launchChange) tooMany(of string) string {
	axis := c.kernel.Axis()
	block := fmt.Sprintf("%[1]s.x * %[1]s.y * %[1]s.z > %[2]d", of, hardware.MaxThreadsPerBlock)
	switch {
	case c.kernel.part() == 1 && axis == "z":
		return fmt.Sprintf("%s.z > %d || %s", of, hardware.MaxBlockDimZ, block)
	case c.kernel.part() == 1:
		return block
	case axis == "x":
		return fmt.Sprintf("%s.x > %#x", of, hardware.MaxGridDimX)
	}
	return fmt.Sprintf("%s.%s > %#x", of, axis, hardware.MaxGridDimY)
}
