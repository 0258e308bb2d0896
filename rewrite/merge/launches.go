package merge

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// LaunchProof is the proof for everything outside kernels that names them: launches, declarations, instantiations.
// Kernels of one name are looked at together, since a launch may mean any of them.
type LaunchProof struct {
	*kit.Sources
	Name     string
	Proofs   []kit.Proof
	Reasons  []diag.Message
	launches []launchChange
	declared []kit.Declared // what follows the kernels' new signature
	// elsewhere says that something launches the kernels that is no launch in view.
	elsewhere bool
}

func (l *LaunchProof) Refuse(f *parser.File, at int, code diag.Code, format string, args ...any) {
	l.Reasons = append(l.Reasons, diag.Message{Pos: f.Position(at), Code: code, Text: fmt.Sprintf(format, args...)})
}

// first returns the findings on the first kernel of the name.
func (l *LaunchProof) first() *kit.Findings { return l.Proofs[0].Found() }

// merged is the proof for the first kernel of the name, nil in place.
func (l *LaunchProof) merged() *mergeProof { return MergedBy(l.Proofs[0]) }

// inPlace reports whether launches and declarations stay as they are: all that
// is asked then is whether every launch is in view.
func (l *LaunchProof) inPlace() bool { return l.merged() == nil }

// check proves that every use of the kernels' name in view is one that can be rewritten with them, and says how.
func (l *LaunchProof) check() {
	for _, other := range l.Proofs[1:] {
		l.checkAlike(other)
	}
	seen := map[*parser.Launch]bool{}
	elsewhere, stays := l.Prog.Parsed.Elsewhere[l.Name], l.first().Extents != "" // a launch that is not in view stays as it is, and right
	for _, p := range l.Proofs {
		k := p.Found().Kernel
		if elsewhere != "" && !stays {
			l.Refuse(k.File, k.View.Start, kit.CodeFile, "the kernel is named in %s, which may launch it and is not part of the program", elsewhere)
		}
		if k.View.ExternC && !stays {
			what := "with the wrong arguments"
			if l.inPlace() {
				what = "and may have blocks of another shape"
			}
			l.Refuse(k.File, k.View.Start, kit.CodeNoLaunch, "the kernel has C linkage: a launch out of sight would still find it, %s", what)
		}
		for _, launch := range k.Launches {
			if !seen[launch.View] {
				seen[launch.View] = true
				l.launch(p, launch)
			}
		}
	}
	l.mentions(seen)
	if !stays {
		l.macros()
	}
	for _, p := range l.Proofs {
		if !launches.IsLaunched(p.Found().Kernel) && !l.elsewhere {
			l.noLaunch(p)
		}
	}
	if k := l.first().Kernel; stays && len(l.launches)+len(l.Reasons) == 0 {
		l.Refuse(k.File, k.View.Start, kit.CodeNoLaunch, "it is launched through variables alone, which may mean other kernels, too")
	}
}

// checkAlike proves that a launch can say the same for another kernel of the name as for the first.
func (l *LaunchProof) checkAlike(other kit.Proof) {
	f, k := other.Found(), other.Found().Kernel
	refuse := func(why string) { l.Refuse(k.File, k.View.Start, kit.CodeOverload, "%s", why) }
	p, q := MergedBy(other), l.merged()
	if p != nil && (parameterIndex(k.View) != parameterIndex(q.Kernel.View) || p.followed() != q.followed()) {
		refuse("kernels of this name differ in where another parameter can go")
	}
	if f.Extents != l.first().Extents {
		refuse("kernels of this name differ in the axes along which they have threads")
	}
	if f.SlotWords != l.first().SlotWords {
		refuse("kernels of this name differ in the words per thread that move to dynamic shared memory")
	}
	if p != nil && (p.shape != q.shape || p.multiple != q.multiple) {
		refuse("kernels of this name differ in the blocks that they are launched with, or in whether these must be whole warps")
	}
	if p != nil && p.dynamicSets() != q.dynamicSets() {
		refuse("of the kernels of this name, only some use dynamic shared memory")
	}
}

// noLaunch is a kernel that nothing in view launches. With a block shape from the command line its launch is known to
// be elsewhere: the changed signature makes that launch fail to compile or link until it is changed, too, unless the
// kernel has C linkage.
func (l *LaunchProof) noLaunch(proof kit.Proof) {
	found, p := proof.Found(), MergedBy(proof)
	k := found.Kernel
	d, known := k.Instances[0].BlockShape()
	if p != nil && p.coarse {
		known = false
	}
	if found.Bound > 0 && known && d[0]*d[1]*d[2] <= found.Bound {
		found.Note(k.File, k.View.Start, kit.CodeBounds, "launch it with no more than %d threads in a block: with more the launch fails", found.Bound)
		return
	}
	if !known || p == nil {
		l.Refuse(k.File, k.View.Start, kit.CodeNoLaunch, "no launch of it is in view")
		return
	}
	last, call := p.extentArgument("m")+" as the last argument", p.mergeCall()+"(grid, block)"
	if n := p.dynamicSets(); n > 1 {
		last = p.extentArgument("m") + ", m.set as the last arguments"
		call = fmt.Sprintf("smux::sets<%d>(%s, bytes)", n, call)
	}
	p.Note(k.File, k.View.Start, CodeLaunchByHand, "launch it with m.grid and m.block of m = %s, and %s", call, last)
}

// launch proves that one k<<<grid, block, …>>>(…) can be rewritten.
func (l *LaunchProof) launch(proof kit.Proof, launch *analysis.Launch) {
	f, v := launch.File, launch.View
	switch {
	case v.Error != nil:
		l.Refuse(f, v.Open, CodeLaunch, "a launch that smux can't parse")
		return
	case len(v.Config) < 2 || v.Args == nil && v.Packed == nil:
		l.Refuse(f, v.Open, CodeLaunch, "a launch without a block size")
		return
	}
	e, host := hostcode.Expr(launch, l.Prog)
	if e == nil {
		l.Refuse(f, v.Open, CodeLaunch, "a launch outside of a function")
		return
	}
	if v.Function.IsKernel() || v.Function.IsDevice() {
		l.Refuse(f, v.Open, analysis.CodeDeviceLaunch, "a launch from the device")
		return
	}
	p := MergedBy(proof)
	if v.Call != "" && !l.launchCall(proof.Found(), p, launch) {
		return
	}
	switch found := proof.Found(); {
	case found.Extents != "":
		l.reshapes(found, launch, e, host)
		return
	case p == nil && found.SlotWords > 0:
		l.slotBytes(found, launch, e, host)
		return
	case p == nil:
		return
	}
	c := launchChange{Launch: launch, kernel: p, named: statementOf(launch) != nil}
	if p.coarse && !l.coarsens(&c, e, host) {
		return
	}
	if v.Settings == nil && !l.repeats(&c, p.Kernel, p.fixed(), e, host) {
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
// launch, or several times. once says that the block's shape is not asked for.
func (l *LaunchProof) repeats(c *launchChange, k *analysis.Kernel, once bool, e *ir.Expr, host *ir.Func) bool {
	f, v := c.File, c.View
	if grid := e.Kids[0]; !l.Prog.Effect(host, grid).Repeatable() && !canName(0, k, c.Launch, e, host) {
		l.Refuse(f, grid.Range.Start, CodeLaunch, "the grid expression may have side effects or change, and would be evaluated twice")
		return false
	}
	named := c.named && once && (c.kernel == nil || c.kernel.part() == 0 || canName(1, k, c.Launch, e, host))
	if block := e.Kids[1]; !named && !l.Prog.Effect(host, block).Repeatable() {
		l.Refuse(f, block.Range.Start, CodeLaunch, "the block expression may have side effects or change, and would be evaluated twice")
		return false
	}
	if !c.named && !l.standsBeside(host, e, len(v.Config)) {
		l.Refuse(f, v.Open, CodeLaunch, "another part of the configuration may change the grid's value, which would be evaluated twice")
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
func (l *LaunchProof) sees(f *parser.File) bool {
	return slices.ContainsFunc(l.Proofs, func(p kit.Proof) bool { return l.Prog.Related(f, p.Found().Kernel.File) })
}

// Declaration lets a forward declaration, explicit instantiation or friend follow the kernel's new signature.
func (l *LaunchProof) Declaration(f *parser.File, fn *parser.Function) {
	if !l.sees(f) {
		return
	}
	if l.inPlace() {
		switch stays := l.first().Extents != ""; {
		case stays && !defined(l.Proofs, f, fn):
			l.Refuse(f, fn.Start, kit.CodeOverload, "a kernel of this name is declared here whose definition is not in view: a launch may mean it")
		case !stays && !l.Editable[f]:
			l.Refuse(f, fn.Start, kit.CodeNoLaunch, "the kernel is declared here for other files, which may launch it")
		}
		return
	}
	if !l.Editable[f] {
		l.Refuse(f, fn.Start, kit.CodeFile, "the kernel is declared here, in a file that was not named for rewriting")
		return
	}
	if fn.ParamList == nil || fn.Error != nil {
		l.Refuse(f, fn.Start, CodeSignature, "a declaration of the kernel that smux can't parse")
		return
	}
	if !fn.Friend && !fn.Instantiation && len(fn.Params) == len(l.first().Kernel.View.Params) && parameterIndex(fn) != parameterIndex(l.first().Kernel.View) {
		l.Refuse(f, fn.Start, CodeSignature, "a declaration of the kernel whose default arguments are not those of its definition: another parameter would go elsewhere")
		return
	}
	l.declared = append(l.declared, kit.Declared{File: f, Fn: fn})
}

func (l *LaunchProof) Files() []*parser.File {
	return append(append([]*parser.File{}, l.Prog.Parsed.Files...), l.Headers...)
}

// Beside are the reasons of launches that a kernel has which could not be merged anyway: whoever asks for
// another rewriter, because this one finds no shared memory, should know of them.
func (l *LaunchProof) Beside() []diag.Message {
	return lists.Filter(l.Reasons, func(m diag.Message) bool { return m.Code == CodeLaunchCall || m.Code == kit.CodeKernelAddress })
}

// CheckGuarded is check, of which a defect keeps the rewriter from these kernels alone.
func (l *LaunchProof) CheckGuarded() {
	defer func() {
		if v := recover(); v != nil {
			l.Reasons = append(l.Reasons, kit.Defect(l.first().Kernel, v)...)
		}
	}()
	l.check()
}
