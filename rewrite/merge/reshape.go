package merge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
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

// checkReshaped proves that launches of the kernels' name mean no kernel that is not in view, and that one of them changes.
func (l *LaunchProof) checkReshaped() {
	k := l.first().Kernel
	if len(l.launches)+len(l.Reasons) == 0 {
		l.Refuse(k.File, k.View.Start, kit.CodeNoLaunch, "no launch of it is in view, or through variables alone, which may mean other kernels, too")
	}
	for _, u := range l.Prog.KernelUses(l.Name) {
		if !l.sees(u.File) {
			continue
		}
		declares := map[*parser.Node]bool{}
		for _, fn := range u.Functions {
			if fn.Declared != nil {
				fn.Declared.Walk(func(n *parser.Node) bool {
					declares[n] = true
					return n != fn.ParamList
				})
			}
			defined := func(p kit.Proof) bool {
				k := p.Found().Kernel
				return parameterTypes(k.File, k.View) == parameterTypes(u.File, fn)
			}
			if fn.Body == nil && !fn.Instantiation && !slices.ContainsFunc(l.Proofs, defined) {
				l.Refuse(u.File, fn.Start, kit.CodeOverload, "a kernel of this name is declared here whose definition is not in view: a launch may mean it")
			}
		}
		for _, n := range u.Mentions {
			if kit.InDeclarator(n) && !declares[n] && u.Within(n) == nil {
				l.Refuse(u.File, int(n.Start), kit.CodeOverload, "a variable of this name is declared here: a launch may mean it")
			}
		}
	}
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
	c := launchChange{Launch: launch, named: statementOf(launch) != nil, shape: p.Shape}
	switch {
	case !l.Editable[f]:
		l.Refuse(f, v.Open, kit.CodeFile, "the launch must change, in a file that was not named for rewriting")
	case v.Call != "":
		l.Refuse(f, v.Open, CodeLaunchCall, "a launch by a call of the CUDA runtime, whose blocks keep their shape")
	case l.declaredAt(f, v):
		l.Refuse(f, v.Open, CodeLaunch, "%s may be a variable here: which kernel it launches can't be seen", v.Kernel)
	case analysis.RuntimeCall(e.Kids[1]) != nil:
		l.Refuse(f, v.Open, kit.CodeAlready, "smux has changed the blocks of this launch before")
	case l.repeats(&c, p.Kernel, false, e, host):
		var ok bool
		if c.most, ok = l.kernelName(launch); !ok {
			if slices.ContainsFunc(l.Proofs, func(q kit.Proof) bool { return q.Found().Kernel.View.LaunchBounds != nil }) {
				l.Refuse(f, v.Open, kit.CodeBounds, "which kernel this starts depends on its arguments, so that its launch bounds can't be asked for")
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
