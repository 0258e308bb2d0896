package merge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// A launch in blocks of another shape takes them where they have the same threads, which it sees when the program runs:
//
//	k<<<g, b>>>(a);  -->  const auto smux_launch = smux::reshape<32, 8>(k, g, b);
//	                      k<<<smux_launch.grid, smux_launch.block>>>(a);

// defined reports whether a declaration is of a kernel whose definition is proved.
func defined(proofs []kit.Proof, f *parser.File, fn *parser.Function) bool {
	return fn.Instantiation || slices.ContainsFunc(proofs, func(p kit.Proof) bool {
		k := p.Found().Kernel
		return parameterTypes(k.File, k.View) == parameterTypes(f, fn)
	})
}

// parameterTypes is the text of a function's parameters without their names and defaults.
func parameterTypes(f *parser.File, fn *parser.Function) string {
	var out []string
	for _, q := range fn.Params {
		text := f.Text(q.Node)
		if q.Default != nil {
			text = strings.TrimSuffix(strings.TrimSpace(text[:q.Default.Start-q.Node.Start]), "=")
		}
		if at := kit.WordOffsets(text, q.Name); q.Name != "" && len(at) > 0 {
			last := at[len(at)-1]
			text = text[:last] + text[last+len(q.Name):]
		}
		out = append(out, strings.Join(strings.Fields(strings.ReplaceAll(text, "__restrict__", "")), ""))
	}
	return strings.Join(out, ",")
}

// reshapes proves that a launch can ask for blocks of another shape.
func (l *LaunchProof) reshapes(p *kit.Findings, launch *analysis.Launch, e *ir.Expr, host *ir.Func) {
	f, v := launch.File, launch.View
	c := launchChange{Launch: launch, named: statementOf(launch) != nil, shape: p.Extents}
	switch {
	case !l.Editable[f]:
		l.Refuse(f, v.Open, kit.CodeFile, "the launch must change, in a file that was not named for rewriting")
	case v.Call != "":
		l.Refuse(f, v.Open, CodeLaunchCall, "a launch by a call of the CUDA runtime, whose blocks keep their shape")
	case l.declaredAt(f, v):
		l.Refuse(f, v.Open, CodeLaunch, "%s may be a variable here: which kernel it launches can't be seen", v.Kernel)
	case evaluate.RuntimeCall(e.Kids[1]) != nil:
		l.Refuse(f, v.Open, kit.CodeAlready, "smux has changed the blocks of this launch before")
	case l.repeats(&c, p.Kernel, false, e, host):
		var ok bool
		if c.most, ok = l.kernelName(launch); !ok {
			if slices.ContainsFunc(l.Proofs, func(q kit.Proof) bool { return q.Found().Kernel.View.LaunchBounds != nil }) {
				l.Refuse(f, v.Open, kit.CodeBounds, "this launch's arguments decide which kernel it starts, so it can't ask for launch bounds")
				return
			}
			c.most = strconv.Itoa(hardware.ThreadsOfAnyKernel)
		}
		l.launches = append(l.launches, c)
	}
}

// reshape lets a launch ask for its blocks.
func (c launchChange) reshape(b *edit.Buffer) {
	before := b.Len()
	shaped := "smux::reshape<" + strings.ReplaceAll(c.shape, ",", ", ") + ">(" + c.most + ", " + c.config(0) + ", " + c.config(1) + ")"
	if c.named {
		shaped = c.nameLaunch(b, shaped)
	}
	c.configure(b, shaped, "")
	c.breakLine(b, before)
}
