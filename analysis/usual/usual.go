package usual

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// Counted returns the instances of the kernel as occupancy and time are counted for them, in
// the order of Instances: each itself where its block shape and its dynamic shared memory are
// known, else a copy with what the launch usually has as far as the program tells. blockSize in
//
//	int blockSize = 256;                 // -block=N changes it
//	k<<<(n + blockSize - 1) / blockSize, blockSize>>>(a, n);
//
// is 256 usually. Assumed of a copy says what was taken. It is a guess: nothing that has to
// be right may be decided by it, so that no instance in Instances has it.
func Counted(k *analysis.Kernel) []*analysis.Instance {
	type key struct{}
	return analysis.Once(&k.Memo, key{}, func() (counted []*analysis.Instance) {
		for _, in := range k.Instances {
			counted = append(counted, usually(k, in))
		}
		return counted
	})
}

func usually(k *analysis.Kernel, in *analysis.Instance) *analysis.Instance {
	config, scope := configuration(k, in)
	u := &guess{kernel: k, busy: map[any]bool{}}
	out := *in
	said := parser.UsualLaunch{}
	if k.Prog.Parsed.Usual != nil {
		said = k.Prog.Parsed.Usual(k.Name)
	}
	if !in.Shape.Known() {
		s, by := analysis.Shape{X: said.Block[0], Y: said.Block[1], Z: said.Block[2]}, "as "+said.BlockBy+" says"
		if !s.Known() && len(config) > 1 {
			if d, ok := u.extents(scope, config[1]); ok {
				s, by = analysis.Shape{X: d[0], Y: d[1], Z: d[2]}, begun
			}
		}
		if s.Known() && s.Threads() <= hardware.MaxThreadsPerBlock {
			out.Shape, out.Told = s, true
			assume(&out, out.String()+" threads", by)
		}
	}
	if in.DynamicBytes == 0 && out.Shape.Known() && dynamicOpen(k, in) {
		b, by := int64(said.Shared), "as "+said.SharedBy+" says"
		if b == 0 && len(config) > 2 {
			b, _ = u.number(scope, config[2])
			by = begun
		}
		if b > 0 && b <= maxUsualBytes {
			out.DynamicBytes = int(b)
			assume(&out, fmt.Sprintf("%d bytes of dynamic shared memory", b), by)
		}
	}
	if _, known := launches.Grid(k, in); !known && said.Grid[0] > 0 && out.Shape.Known() {
		out.UsualGrid = said.Grid
		assume(&out, fmt.Sprintf("a grid of %dx%dx%d", said.Grid[0], said.Grid[1], said.Grid[2]), "as "+said.GridBy+" says")
	}
	if _, exact := launches.SharedBytes(k, &out); !exact && out.Shape.Known() && in.Launch != nil {
		assumeTypes(k, &out)
	}
	if out.Assumed == "" {
		return in
	}
	return &out
}

// assumeTypes takes the types that a launch gives and nothing in view tells for what a macro around it makes of their
// names first, or for float, if the size of the shared arrays follows.
func assumeTypes(k *analysis.Kernel, in *analysis.Instance) {
	e, _ := hostcode.Expr(in.Launch, k.Prog)
	types, what := map[string]string{}, ""
	for i, tp := range k.Func.TParams {
		if tp.Pack || e == nil || i >= len(e.TArgs) {
			break
		}
		if tp.Kind != ir.VarTemplateType || evaluate.FactsOf(k, in).SizeOf(k.Func, ir.Type{Base: tp.Name}) > 0 {
			continue
		}
		types[tp.Name] = "float"
		for _, m := range k.Prog.MacroWords(in.Launch.File)[e.TArgs[i].Name] {
			if _, after, ok := strings.Cut(m.Body, "using "+e.TArgs[i].Name+" ="); ok {
				after, _, _ = strings.Cut(after, ";")
				types[tp.Name] = strings.TrimSpace(after)
				break
			}
		}
		what += ", " + types[tp.Name] + " for " + tp.Name
	}
	in.Types = types
	if _, exact := launches.SharedBytes(k, in); !exact {
		in.Types = nil
		return
	}
	assume(in, strings.TrimPrefix(what, ", "), "which is usual: the launch may give other types")
}

// passedScope is the scope of a function that got a kernel, with what was passed with it.
func passedScope(p *analysis.Program, fn *ir.Func, by *analysis.Passing) guessScope {
	s := guessScope{prog: p, fn: fn}
	if by != nil {
		caller := passedScope(p, by.Caller, by.Outer)
		s.caller, s.args = &caller, map[*ir.Var]*ir.Expr{}
		for i, a := range by.Call.Args() {
			if i < len(by.Params) {
				s.args[by.Params[i]] = a
			}
		}
	}
	return s
}

// begun says that a guess comes from the program's initial value.
const begun = "which the program begins with: other launches may differ"

// assume notes what the thread blocks of an instance were taken to have, and who says so.
func assume(in *analysis.Instance, what, by string) {
	before, same := strings.CutSuffix(in.Assumed, ", "+by)
	switch {
	case in.Assumed == "":
		in.Assumed = "thread blocks have " + what
	case same:
		in.Assumed = before + " and " + what
	default:
		in.Assumed += "; they have " + what
	}
	in.Assumed += ", " + by
}

// dynamicOpen reports whether a launch may give dynamic shared memory whose size it doesn't tell.
func dynamicOpen(k *analysis.Kernel, in *analysis.Instance) bool {
	if in.Launch == nil {
		return slices.ContainsFunc(k.Shared, func(s *analysis.Shared) bool { return s.Dynamic })
	}
	return len(in.Launch.View.Config) > 2
}

// maxUsualBytes is more than any GPU gives a thread block: a larger number is no usual one.
const maxUsualBytes = 256 << 10

// configuration returns what stands between <<< and >>> in the launch of an instance, or
// what another call that launches the kernel has in that order: grid, block, bytes.
func configuration(k *analysis.Kernel, in *analysis.Instance) ([]*ir.Expr, guessScope) {
	if in.Launch == nil {
		return otherLaunch(k)
	}
	l := in.Launch
	if l.Indirect {
		return l.Expr.Kids[:len(l.View.Config)], passedScope(k.Prog, l.Host, l.By)
	}
	if l.View.Function == nil || l.View.Function.Body == nil || l.View.Error != nil {
		return nil, guessScope{}
	}
	host := k.Prog.WholeHost(l.File, l.View.Function)
	e := hostcode.LaunchIn(k.Prog, host, l.View)
	if e == nil {
		return nil, guessScope{}
	}
	return e.Kids[:len(l.View.Config)], guessScope{prog: k.Prog, fn: host}
}

// otherLaunch finds the first launch of the kernel that is none of its Launches: by a node of a
// graph, through a variable of the function that names the kernel, or by its name in a string.
func otherLaunch(k *analysis.Kernel) (config []*ir.Expr, scope guessScope) {
	for _, use := range k.Prog.KernelUses(k.Name) {
		if !launches.VisibleFrom(k, use.File) {
			continue
		}
		for _, n := range use.Mentions {
			fn := use.Within(n)
			if fn == nil || fn.Body == nil {
				continue
			}
			host := k.Prog.WholeHost(use.File, fn)
			if config := launchByNode(host, n); config != nil {
				return config, guessScope{prog: k.Prog, fn: host}
			}
			if config := launchByMacro(k, host, n); config != nil {
				return config, guessScope{prog: k.Prog, fn: host}
			}
			if config := launchThrough(host, n); config != nil {
				return config, guessScope{prog: k.Prog, fn: host}
			}
		}
	}
	if config, scope := launchByName(k.Prog, k.Name); config != nil {
		return config, scope
	}
	return launchByName(k.Prog.Beside(), k.Name)
}

// launchByMacro returns the configuration of the launch that a macro's use makes of the kernel, whose name it is given.
func launchByMacro(k *analysis.Kernel, host *ir.Func, n *parser.Node) []*ir.Expr {
	use := n.Ancestor(parser.KindCallExpression)
	if use == nil {
		return nil
	}
	texts, err := host.File.Macros.Alternatives(host.File.Text(use), int(use.Start))
	if err != nil || len(texts) != 1 {
		return nil
	}
	return k.Prog.Cache.LaunchIn(host, k.Name, texts[0])
}

// launchByName finds the first launch by cuLaunchKernel in a file that has the name of the kernel in
// a string: what is loaded by its name at run time is launched so.
func launchByName(p *analysis.Program, kernel string) (config []*ir.Expr, scope guessScope) {
	if p == nil {
		return nil, scope
	}
	for _, f := range p.Parsed.Files {
		if !bytes.Contains(f.Src, []byte(`"`+kernel+`"`)) {
			continue
		}
		for _, fn := range f.Functions {
			if fn.Body == nil || !bytes.Contains(f.Src[fn.Body.Start:fn.Body.End], []byte("cuLaunchKernel")) {
				continue
			}
			host := p.WholeHost(f, fn)
			for e := range host.Body.AllExprs() {
				if a := e.Args(); e.Op == ir.OpCall && e.Name == "cuLaunchKernel" && len(a) >= 8 && config == nil {
					list := func(kids []*ir.Expr) *ir.Expr { return &ir.Expr{Op: ir.OpInitList, Kids: kids} }
					config, scope = []*ir.Expr{list(a[1:4]), list(a[4:7]), a[7]}, guessScope{prog: p, fn: host}
				}
			}
		}
	}
	return config, scope
}

// launchByNode returns grid, block and bytes of the node of a CUDA graph that launches the kernel
// which a node of the tree names: what the same function gives to the members of its parameters.
func launchByNode(host *ir.Func, n *parser.Node) []*ir.Expr {
	var params *ir.Var
	eachMemberAssigned(host, func(v *ir.Var, member string, to *ir.Expr) {
		if member == "func" && to.Range.Start <= int(n.Start) && int(n.End) <= to.Range.End {
			params = v
		}
	})
	given := map[string]*ir.Expr{}
	eachMemberAssigned(host, func(v *ir.Var, member string, to *ir.Expr) {
		if v == params {
			given[member] = to
		}
	})
	extents := func(member string) *ir.Expr {
		if e := given[member]; e != nil {
			return e
		}
		list := &ir.Expr{Op: ir.OpInitList}
		for _, d := range []string{".x", ".y", ".z"} {
			if e := given[member+d]; e != nil {
				list.Kids = append(list.Kids, e)
			}
		}
		return list
	}
	if params == nil {
		return nil
	}
	return []*ir.Expr{extents("gridDim"), extents("blockDim"), given["sharedMemBytes"]}
}

// eachMemberAssigned calls f for the assignments to members of variables of a function, such as
// blockDim.x. In the parameters of all kinds of nodes those of kernels are a member of their own.
func eachMemberAssigned(fn *ir.Func, f func(v *ir.Var, member string, to *ir.Expr)) {
	for e := range fn.Body.AllExprs() {
		if e.Op != ir.OpAssign || e.Tok != "=" || e.Kids[0].Op != ir.OpMember {
			continue
		}
		of, path := e.Kids[0], ""
		for of.Op == ir.OpMember {
			of, path = of.Kids[0], "."+of.Name+path
		}
		if of.Op == ir.OpIdent && of.Var != nil {
			f(of.Var, strings.TrimPrefix(strings.TrimPrefix(path, ".kernel"), "."), e.Kids[1])
		}
	}
}

// launchThrough returns the configuration of a launch through a variable: one of a function that names a kernel
// elsewhere in it. Which of several is launched does not matter where all are launched alike.
func launchThrough(host *ir.Func, n *parser.Node) (config []*ir.Expr) {
	for e := range host.Body.AllExprs() {
		if e.Op == ir.OpLaunch && config == nil && int(n.End) <= e.Range.Start && isVariable(host, e.Launch.Kernel) {
			config = e.Kids[:len(e.Launch.Config)]
		}
	}
	return config
}

// isVariable reports whether a function declares a variable, or a parameter, of that name.
func isVariable(fn *ir.Func, name string) bool {
	for _, vars := range [][]*ir.Var{fn.Params, fn.Vars} {
		for _, v := range vars {
			if v.Name == name {
				return true
			}
		}
	}
	return false
}
