package rewrite

import (
	"slices"
	"strconv"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// mostThreads is what a launch that decides at run time is told of how many threads a
// block can have: the kernel, which the runtime asks, or a number. Arguments of a launch
// may choose a kernel that its name alone does not: of several, or by deducing template
// arguments. Then it is as many as any kernel can have, or as a block can have where
// launch bounds see to the registers.
func (l *launchProof) mostThreads(launch *analysis.Launch) string {
	if name, ok := l.kernelName(launch); ok {
		return name
	}
	if !slices.ContainsFunc(l.proofs, func(p Proof) bool { return p.found().Kernel.View.LaunchBounds == nil }) {
		return strconv.Itoa(hardware.MaxThreadsPerBlock)
	}
	p := l.merged()
	if slices.ContainsFunc(p.Kernel.InstancesOf(launch), func(in *analysis.Instance) bool {
		d, known := in.BlockShape()
		return !known || p.Factor*d[0]*d[1]*d[2] > hardware.ThreadsOfAnyKernel
	}) {
		p.note(launch.File, launch.View.Open, CodeBounds, "which kernel this starts depends on its arguments, so that its registers can't be asked for: blocks are merged up to %d threads", hardware.ThreadsOfAnyKernel)
	}
	return strconv.Itoa(hardware.ThreadsOfAnyKernel)
}

// kernelName is an expression for the kernel that a launch starts; ok is false where
// its name alone does not say which it is.
func (l *launchProof) kernelName(launch *analysis.Launch) (text string, ok bool) {
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
	space, at := analysis.Namespaces(definition.File, k.Node), analysis.Namespaces(launch.File, v.Node)
	switch used := l.usedNames(launch.File); {
	case used[l.name], len(space) > len(at), !slices.Equal(space, at[:len(space)]):
		return "", false // found by the types of its arguments, maybe, or one of several
	case used[everyName] && len(space) == 0:
		return "::" + text, true
	}
	return text, true
}

// onlyKernel is the definition that the kernels' name stands for, nil where there is
// another function of that name. Explicit specialisations are no further ones.
func (l *launchProof) onlyKernel() *analysis.Kernel {
	var only *analysis.Kernel
	for _, p := range l.proofs {
		switch k := p.found().Kernel; {
		case k.View.Specialization:
		case only != nil:
			return nil
		default:
			only = k
		}
	}
	if only == nil || analysis.ByValue(l.name) {
		return nil
	}
	for _, f := range l.files() {
		for _, fn := range f.Functions {
			if fn.Name == l.name && l.sees(f) && (!fn.IsKernel() || len(fn.Params) != len(only.View.Params)) {
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
