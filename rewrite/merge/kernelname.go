package merge

import (
	"slices"
	"strconv"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// mostThreads returns what a launch that decides at run time is told of how many threads a block can have: the
// kernel, which the runtime asks, or a number. Arguments of a launch may choose a kernel that its name alone does
// not: of several, or by deducing template arguments. Then it is as many as any kernel can have, or as a block can
// have where launch bounds see to the registers.
func (l *LaunchProof) mostThreads(launch *analysis.Launch) string {
	if name, ok := l.kernelName(launch); ok {
		return name
	}
	if !slices.ContainsFunc(l.Proofs, func(p kit.Proof) bool { return p.Found().Kernel.View.LaunchBounds == nil }) {
		return strconv.Itoa(hardware.MaxThreadsPerBlock)
	}
	p := l.merged()
	if slices.ContainsFunc(launches.InstancesOf(p.Kernel, launch), func(in *analysis.Instance) bool {
		d, known := in.BlockShape()
		return !known || p.Factor*d[0]*d[1]*d[2] > hardware.ThreadsOfAnyKernel
	}) {
		p.Note(launch.File, launch.View.Open, kit.CodeBounds, "this launch's arguments decide which kernel it starts, so it can't ask for registers: blocks are merged up to %d threads", hardware.ThreadsOfAnyKernel)
	}
	return strconv.Itoa(hardware.ThreadsOfAnyKernel)
}

// kernelName is an expression for the kernel that a launch starts; ok is false where
// its name alone does not say which it is.
func (l *LaunchProof) kernelName(launch *analysis.Launch) (text string, ok bool) {
	definition := l.onlyKernel()
	if definition == nil {
		return "", false
	}
	k, v := definition.View, launch.View
	if k.IsTemplate != (v.TemplateArgs != nil) || k.IsTemplate && !allGiven(k, v.TemplateArgs) {
		return "", false
	}
	text = launch.File.Text(v.Callee)
	if v.Callee.Kind == parser.KindQualifiedIdentifier {
		return text, true
	}
	space, at := named.Namespaces(definition.File, k.Node), named.Namespaces(launch.File, v.Node)
	switch used := l.UsedNames(launch.File); {
	case used[l.Name], len(space) > len(at), !slices.Equal(space, at[:len(space)]):
		return "", false // found by the types of its arguments, maybe, or one of several
	case used[kit.EveryName] && len(space) == 0:
		return "::" + text, true
	}
	return text, true
}

// onlyKernel is the definition that the kernels' name stands for, nil where there is
// another function of that name. Explicit specialisations are no further ones.
func (l *LaunchProof) onlyKernel() *analysis.Kernel {
	var only *analysis.Kernel
	for _, p := range l.Proofs {
		switch k := p.Found().Kernel; {
		case k.View.Specialization:
		case only != nil:
			return nil
		default:
			only = k
		}
	}
	if only == nil || analysis.ByValue(l.Name) {
		return nil
	}
	for _, f := range l.Files() {
		for _, fn := range f.Functions {
			if fn.Name == l.Name && l.sees(f) && (!fn.IsKernel() || len(fn.Params) != len(only.View.Params)) {
				return nil
			}
		}
	}
	return only
}

// allGiven reports whether a list gives all template arguments of a kernel.
func allGiven(k *parser.Function, list *parser.Node) bool {
	given := 0
	for n := list.FirstNamed(); n != nil; n = n.NextNamed() {
		given++
	}
	return given == len(k.Template) && !slices.ContainsFunc(k.Template, func(t parser.TemplateParam) bool { return t.Pack })
}
