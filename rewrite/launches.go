package rewrite

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// launchProof is the proof for everything outside kernels that names them:
// launches, declarations, instantiations. Kernels of one name are looked at
// together, since a launch may mean any of them.
type launchProof struct {
	run      *run
	name     string
	proofs   []Proof
	reasons  []diag.Message
	launches []launchChange
	declared []declared // what follows the kernels' new signature
	// elsewhere says that something launches the kernels that is no launch in view.
	elsewhere bool
}

func (l *launchProof) refuse(f *parser.File, at int, code diag.Code, format string, args ...any) {
	l.reasons = append(l.reasons, diag.Message{Pos: f.Position(at), Code: code, Text: fmt.Sprintf(format, args...)})
}

// first is what was found of the first kernel of the name.
func (l *launchProof) first() *findings { return l.proofs[0].found() }

// merged is the proof for the first kernel of the name, nil in place.
func (l *launchProof) merged() *mergeProof { return l.proofs[0].merged() }

// inPlace reports whether launches and declarations stay as they are: all that
// is asked then is whether every launch is in view.
func (l *launchProof) inPlace() bool { return l.merged() == nil }

// check proves that every use of the kernels' name in view is one that can be
// rewritten with them, and says how.
func (l *launchProof) check() {
	for _, other := range l.proofs[1:] {
		l.checkAlike(other)
	}
	seen := map[*parser.Launch]bool{}
	elsewhere := l.run.prog.Parsed.Elsewhere[l.name]
	for _, p := range l.proofs {
		k := p.found().Kernel
		if elsewhere != "" {
			l.refuse(k.File, k.View.Start, CodeFile, "the kernel is named in %s, which may launch it and is not part of the program", elsewhere)
		}
		if k.View.ExternC {
			what := "with the wrong arguments"
			if l.inPlace() {
				what = "and may have blocks of another shape"
			}
			l.refuse(k.File, k.View.Start, CodeNoLaunch, "the kernel has C linkage: a launch out of sight would still find it, %s", what)
		}
		for _, launch := range k.Launches {
			if !seen[launch.View] {
				seen[launch.View] = true
				l.launch(p, launch)
			}
		}
	}
	l.mentions(seen)
	l.macros()
	for _, p := range l.proofs {
		if !p.found().Kernel.IsLaunched() && !l.elsewhere {
			l.noLaunch(p)
		}
	}
}

// checkAlike proves that a launch can say the same for another kernel of the name as for
// the first.
func (l *launchProof) checkAlike(other Proof) {
	f, k := other.found(), other.found().Kernel
	refuse := func(why string) { l.refuse(k.File, k.View.Start, CodeOverload, "%s", why) }
	p, q := other.merged(), l.merged()
	if p != nil && (parameterIndex(k.View) != parameterIndex(q.Kernel.View) || p.followed() != q.followed()) {
		refuse("kernels of this name differ in where another parameter can go")
	}
	if f.slotWords != l.first().slotWords {
		refuse("kernels of this name differ in the words per thread that move to dynamic shared memory")
	}
	if p != nil && (p.shape != q.shape || p.multiple != q.multiple) {
		refuse("kernels of this name differ in the blocks that they are launched with, or in whether these must be whole warps")
	}
	if p != nil && p.dynamicSets() != q.dynamicSets() {
		refuse("of the kernels of this name, only some use dynamic shared memory")
	}
}

// noLaunch is a kernel that nothing in view launches. With a block shape from
// the command line its launch is known to be elsewhere: the changed signature
// makes that launch fail to compile or link until it is changed, too, unless
// the kernel has C linkage.
func (l *launchProof) noLaunch(proof Proof) {
	found, p := proof.found(), proof.merged()
	k := found.Kernel
	d, known := k.Instances[0].BlockShape()
	if found.bound > 0 && known && d[0]*d[1]*d[2] <= found.bound {
		found.note(k.File, k.View.Start, CodeBounds, "launch it with no more than %d threads in a block: with more the launch fails", found.bound)
		return
	}
	if !known || p == nil {
		l.refuse(k.File, k.View.Start, CodeNoLaunch, "no launch of it is in view")
		return
	}
	last, call := p.extentArgument("m")+" as the last argument", p.mergeCall()+"(grid, block)"
	if n := p.dynamicSets(); n > 1 {
		last = p.extentArgument("m") + ", m.set as the last arguments"
		call = fmt.Sprintf("smux::sets<%d>(%s, bytes)", n, call)
	}
	p.note(k.File, k.View.Start, CodeLaunchByHand, "launch it with m.grid and m.block of m = %s, and %s", call, last)
}

// launch proves that one k<<<grid, block, …>>>(…) can be rewritten.
func (l *launchProof) launch(proof Proof, launch *analysis.Launch) {
	f, v := launch.File, launch.View
	switch {
	case v.Error != nil:
		l.refuse(f, v.Open, CodeLaunch, "a launch that smux can't parse")
		return
	case len(v.Config) < 2 || v.Args == nil && v.Packed == nil:
		l.refuse(f, v.Open, CodeLaunch, "a launch without a block size")
		return
	}
	e, host := launch.Expr(l.run.prog)
	if e == nil {
		l.refuse(f, v.Open, CodeLaunch, "a launch outside of a function")
		return
	}
	if v.Function.IsKernel() || v.Function.IsDevice() {
		l.refuse(f, v.Open, analysis.CodeDeviceLaunch, "a launch from the device")
		return
	}
	p := proof.merged()
	if v.Call != "" && !l.launchCall(proof.found(), p, launch) {
		return
	}
	if p == nil {
		if proof.found().slotWords > 0 {
			l.slotBytes(proof.found(), launch, e, host)
		}
		return
	}
	c := launchChange{Launch: launch, kernel: p, named: statementOf(launch) != nil}
	if v.Settings == nil && !l.repeats(&c, e, host) {
		return
	}
	if p.dynamicSets() > 1 {
		l.checkSetBytes(launch, e, host)
	}
	if !p.fixed() {
		l.tryLaunch(&c)
	}
	if p.persistent() {
		l.checkResident(&c)
	}
	l.launches = append(l.launches, c)
}

// repeats proves that what a launch says is the same where its merged form asks for it: before the
// launch, or several times.
func (l *launchProof) repeats(c *launchChange, e *ir.Expr, host *ir.Func) bool {
	p, f, v := c.kernel, c.File, c.View
	if grid := e.Kids[0]; !l.run.prog.Effect(host, grid).Repeatable() && !canNameGrid(p, c.Launch, e, host) {
		l.refuse(f, grid.Range.Start, CodeLaunch, "the grid expression may have side effects or change, and would be evaluated twice")
		return false
	}
	if block := e.Kids[1]; (!c.named || !p.fixed()) && !l.run.prog.Effect(host, block).Repeatable() {
		l.refuse(f, block.Range.Start, CodeLaunch, "the block expression may have side effects or change, and would be evaluated twice")
		return false
	}
	if !c.named && !l.standsBeside(host, e, len(v.Config)) {
		l.refuse(f, v.Open, CodeLaunch, "another part of the configuration may change what the grid's expression says, which would be evaluated twice")
		return false
	}
	return true
}

// configText is the text of an argument of a launch's configuration, "" where it is left out.
func configText(launch *analysis.Launch, i int) string {
	return launch.View.ConfigText(launch.File, i)
}

// insertArgument adds an argument to a list "( … )" as its i-th.
func insertArgument(b *edit.Buffer, list *parser.Node, i int, arg string) {
	n := list.FirstNamed()
	var last *parser.Node
	for ; n != nil && i > 0; n = n.NextNamed() {
		last = n
		i--
	}
	switch {
	case n != nil:
		b.Insert(int(n.Start), arg+", ")
	case last != nil:
		b.Insert(int(last.End), ", "+arg)
	default:
		b.Insert(int(list.End)-1, arg)
	}
}

// sees reports whether a file and the kernels' files have to do with each other.
func (l *launchProof) sees(f *parser.File) bool {
	return slices.ContainsFunc(l.proofs, func(p Proof) bool { return l.run.prog.Related(f, p.found().Kernel.File) })
}

// declaration lets a forward declaration, explicit instantiation or friend
// follow the kernel's new signature.
func (l *launchProof) declaration(f *parser.File, fn *parser.Function) {
	if !l.sees(f) {
		return
	}
	if l.inPlace() {
		if !l.run.editable[f] {
			l.refuse(f, fn.Start, CodeNoLaunch, "the kernel is declared here for other files, which may launch it")
		}
		return
	}
	if !l.run.editable[f] {
		l.refuse(f, fn.Start, CodeFile, "the kernel is declared here, in a file that was not named for rewriting")
		return
	}
	if fn.ParamList == nil || fn.Error != nil {
		l.refuse(f, fn.Start, CodeSignature, "a declaration of the kernel that smux can't parse")
		return
	}
	if !fn.Friend && !fn.Instantiation && len(fn.Params) == len(l.first().Kernel.View.Params) && parameterIndex(fn) != parameterIndex(l.first().Kernel.View) {
		l.refuse(f, fn.Start, CodeSignature, "a declaration of the kernel whose default arguments are not those of its definition: another parameter would go elsewhere")
		return
	}
	l.declared = append(l.declared, declared{f, fn})
}

func (l *launchProof) files() []*parser.File {
	return append(append([]*parser.File{}, l.run.prog.Parsed.Files...), l.run.headers...)
}
