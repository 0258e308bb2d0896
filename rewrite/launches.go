package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// launchPlan is the proof for everything outside kernels that names them:
// launches, declarations, instantiations. Kernels of one name are looked at
// together, since a launch may mean any of them.
type launchPlan struct {
	run      *run
	name     string
	proofs   []Proof
	reasons  []diag.Message
	launches []launchChange
	declared []declared // what follows the kernels' new signature
	// elsewhere says that something launches the kernels that is no launch in view.
	elsewhere bool
}

func (l *launchPlan) refuse(f *parser.File, at int, code diag.Code, format string, args ...any) {
	l.reasons = append(l.reasons, diag.Message{Pos: f.Position(at), Code: code, Text: fmt.Sprintf(format, args...)})
}

// first is what was found of the first kernel of the name.
func (l *launchPlan) first() *findings { return l.proofs[0].found() }

// merged is the plan of the first kernel of the name, nil in place.
func (l *launchPlan) merged() *mergeProof { return l.proofs[0].merged() }

// inPlace reports whether launches and declarations stay as they are: all that
// is asked then is whether every launch is in view.
func (l *launchPlan) inPlace() bool { return l.merged() == nil }

// check proves that every use of the kernels' name in view is one that can be
// rewritten with them, and says how.
func (l *launchPlan) check() {
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
		if len(p.found().Kernel.Launches) == 0 && !l.elsewhere {
			l.noLaunch(p)
		}
	}
}

// checkAlike proves that a launch can say the same for another kernel of the name as for
// the first.
func (l *launchPlan) checkAlike(other Proof) {
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
func (l *launchPlan) noLaunch(proof Proof) {
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
	last := p.extentArgument("grid") + " as the last argument"
	sets := ""
	if n := p.dynamicSets(); n > 1 {
		last = p.extentArgument("grid") + ", smux::set_bytes(bytes) as the last arguments"
		sets = fmt.Sprintf(", smux::sets<%d>(bytes)", n)
	}
	p.note(k.File, k.View.Start, CodeLaunchByHand, "launch it with %s(grid), %s(block)%s and %s", p.gridCall(), p.blockCall(), sets, last)
}

// launch proves that one k<<<grid, block, …>>>(…) can be rewritten.
func (l *launchPlan) launch(proof Proof, launch *analysis.Launch) {
	f, v := launch.File, launch.View
	switch {
	case v.Error != nil:
		l.refuse(f, v.Open, CodeLaunch, "a launch that smux can't parse")
		return
	case len(v.Config) < 2 || v.Args == nil:
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
	if p == nil {
		if proof.found().slotWords > 0 {
			l.slotBytes(proof.found(), launch, e, host)
		}
		return
	}
	c := launchChange{Launch: launch, plan: p}
	if grid := e.Kids[0]; !l.run.prog.Repeatable(host, grid) {
		if !canNameGrid(p, launch, e, host) {
			l.refuse(f, grid.Range.Start, CodeLaunch, "the grid expression may have side effects or change, and would be evaluated twice")
			return
		}
		c.gridNamed = true
	}
	if p.dynamicSets() > 1 {
		l.checkSetBytes(launch, e, host)
	}
	if !p.fixed() && !l.tryLaunch(&c, e, host) {
		return
	}
	l.launches = append(l.launches, c)
}

// configText is the text of an argument of a launch's configuration, "" where it is left out.
func configText(launch *analysis.Launch, i int) string {
	if i >= len(launch.View.Config) {
		return ""
	}
	c := launch.View.Config[i]
	return string(launch.File.Src[c.Start:c.End])
}

// gridCall is the function that makes the merged grid of the original one.
func (p *mergeProof) gridCall() string {
	if p.GridAxis != "" {
		return fmt.Sprintf("smux::grid<%d, %s>", p.Factor, p.along())
	}
	return fmt.Sprintf("smux::grid<%d>", p.Factor)
}

// blockCall is the function that makes the merged block of one of the shape that
// all launches have.
func (p *mergeProof) blockCall() string {
	return "smux::block" + templateArguments(append([]int{p.Factor}, shapeArguments(p.shape)...))
}

// insertArgument adds an argument to a list "( … )" as its i-th.
func insertArgument(b *Buffer, list *parser.Node, i int, arg string) {
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

// harmless are calls that take a kernel's address and are right for the merged
// kernel as well. What they answer (registers, a block size that fits well, how many
// blocks fit) is of the kernel that runs, and differs from GPU to GPU and from compiler to
// compiler anyway: a program has to be right whatever it is.
var harmless = map[string]bool{
	"cudaFuncSetCacheConfig": true, "cudaFuncSetSharedMemConfig": true, "cudaFuncSetAttribute": true, "cudaFuncGetAttributes": true,
	"cudaOccupancyMaxPotentialBlockSize": true, "cudaOccupancyMaxPotentialBlockSizeWithFlags": true, "cudaOccupancyMaxPotentialBlockSizeVariableSMem": true,
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor": true, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": true,
}

// byName are calls that find a kernel by its name in a string.
var byName = map[string]bool{"cuModuleGetFunction": true, "cuLibraryGetKernel": true, "dlsym": true, "nvrtcAddNameExpression": true}

// mentions goes through every use of the kernels' name: launches are planned,
// declarations follow the new signature, anything else is refused.
func (l *launchPlan) mentions(launches map[*parser.Launch]bool) {
	callees := map[*parser.Node]bool{}
	declared := map[*parser.Node]bool{}
	uses := l.run.prog.KernelUses(l.name)
	for _, u := range uses {
		for _, v := range u.Launches {
			if v.Callee == nil {
				continue
			}
			if !launches[v] && l.sees(u.File) {
				l.refuse(u.File, v.Open, CodeLaunch, "a launch that reaches no kernel in view for certain")
			}
			v.Callee.Walk(func(n *parser.Node) bool {
				callees[n] = true
				return true
			})
		}
		for _, fn := range u.Functions {
			if fn.Declared == nil {
				continue
			}
			fn.Declared.Walk(func(n *parser.Node) bool {
				declared[n] = true
				return n != fn.ParamList
			})
			if fn.Body == nil && fn.IsKernel() {
				l.declaration(u.File, fn)
			}
		}
	}
	for _, u := range uses {
		if !l.sees(u.File) {
			continue
		}
		for _, n := range u.Mentions {
			if !callees[n] && !declared[n] {
				l.mention(u.File, n)
			}
		}
	}
}

// mention looks at a use of the kernels' name that is no launch and no declaration.
func (l *launchPlan) mention(f *parser.File, n *parser.Node) {
	if call := n.Ancestor(parser.KindCallExpression); call != nil {
		c := call.Child(parser.FieldFunction)
		if c == n {
			return // a kernel can't be called: another function of that name is
		}
		if n.Kind == parser.KindStringContent && (c == nil || !byName[f.Text(c)]) {
			return // a message
		}
		if c != nil && (harmless[f.Text(c)] || strings.HasPrefix(f.Text(c), "smux::try_")) {
			l.attribute(f, call)
			l.slotAttribute(f, call)
			return
		}
	}
	if inDeclarator(n) || n.Kind == parser.KindStringContent && n.Ancestor(parser.KindCallExpression) == nil {
		return
	}
	if l.run.isLocal(f, n) {
		return
	}
	switch callee := calleeOf(f, n); {
	case strings.HasPrefix(callee, "cudaLaunch"):
		l.elsewhere = true
		l.refuse(f, int(n.Start), CodeKernelAddress, "%s launches the kernel here, which smux neither follows nor changes", callee)
	case l.launchingMacro(f, callee, int(n.Start)):
		l.elsewhere = true
		l.refuse(f, int(n.Start), CodeMacro, "macro %s launches the kernel here", callee)
	default:
		l.refuse(f, int(n.Start), CodeKernelAddress, "the kernel's address is taken here: who launches it through that can't be seen")
	}
}

// calleeOf is the name of the function or macro whose argument a node is, "" for none.
func calleeOf(f *parser.File, n *parser.Node) string {
	call := n.Ancestor(parser.KindCallExpression)
	if call == nil || call.Child(parser.FieldFunction) == nil {
		return ""
	}
	return f.Text(call.Child(parser.FieldFunction))
}

// launchingMacro reports whether a macro in force somewhere launches a kernel.
func (l *launchPlan) launchingMacro(f *parser.File, name string, at int) bool {
	m, ok := f.Macros.Lookup(name, at)
	return ok && m.FunctionLike && strings.Contains(m.Body, "<<<")
}

// isLocal reports whether a mention is of a local variable or parameter that
// happens to have the kernel's name.
func (r *run) isLocal(f *parser.File, n *parser.Node) bool {
	name := f.Text(n)
	for _, fn := range f.Functions {
		if fn.Body == nil || fn.Error != nil || n.Start < fn.Body.Start || n.End > fn.Body.End {
			continue
		}
		lowered := r.prog.Lower(f, fn)
		for _, v := range append(append([]*ir.Var{}, lowered.Vars...), lowered.Params...) {
			if v.Name == name && v.Range.Start <= int(n.Start) {
				return true
			}
		}
	}
	return false
}

// inDeclarator reports whether an identifier names something else that is
// declared here: a variable, a parameter, a field.
func inDeclarator(n *parser.Node) bool {
	return n.Field == parser.FieldDeclarator && n.Parent != nil && n.Parent.Kind != parser.KindArgumentList
}

// sees reports whether a file and the kernels' files have to do with each other.
func (l *launchPlan) sees(f *parser.File) bool {
	return slices.ContainsFunc(l.proofs, func(p Proof) bool { return l.run.prog.Related(f, p.found().Kernel.File) })
}

// declaration lets a forward declaration, explicit instantiation or friend
// follow the kernel's new signature.
func (l *launchPlan) declaration(f *parser.File, fn *parser.Function) {
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

// macros refuses kernels that a macro of the files in view names: what it
// expands to is launched or stored where it can't be edited.
func (l *launchPlan) macros() {
	for _, f := range l.files() {
		if !l.sees(f) {
			continue
		}
		for _, m := range l.run.prog.MacroWords(f)[l.name] {
			what := "named"
			if strings.Contains(m.Body, "<<<") {
				what = "launched"
				l.elsewhere = true
			}
			if m.File == f.Name {
				l.refuse(f, m.Pos, CodeMacro, "the kernel is %s inside macro %s", what, m.Name)
			} else {
				l.refuse(l.first().Kernel.File, l.first().Kernel.View.Start, CodeMacro, "the kernel is %s inside macro %s of %s", what, m.Name, m.File)
			}
		}
	}
	// A launch whose kernel is a macro's parameter can launch anything that is
	// passed to that macro; that pass is a mention of the name and refused there.
}

func (l *launchPlan) files() []*parser.File {
	return append(append([]*parser.File{}, l.run.prog.Parsed.Files...), l.run.headers...)
}
