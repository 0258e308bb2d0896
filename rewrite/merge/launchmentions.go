package merge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// byName are calls that find a kernel by its name in a string.
var byName = map[string]bool{"cuModuleGetFunction": true, "cuLibraryGetKernel": true, "dlsym": true, "nvrtcAddNameExpression": true}

// mentions goes through every use of the kernels' name: launches are planned,
// declarations follow the new signature, anything else is refused.
func (l *LaunchProof) mentions(launches map[*parser.Launch]bool) {
	callees := map[*parser.Node]bool{}
	declared := map[*parser.Node]bool{}
	uses := l.Prog.KernelUses(l.Name)
	for _, u := range uses {
		for _, v := range u.Launches {
			if v.Callee == nil {
				continue
			}
			if !launches[v] && l.sees(u.File) && l.first().Extents == "" {
				l.Refuse(u.File, v.Open, CodeLaunch, "a launch that reaches no kernel in view for certain")
			}
			for n := range v.Callee.All() {
				callees[n] = true
			}
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
				l.Declaration(u.File, fn)
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
func (l *LaunchProof) mention(f *parser.File, n *parser.Node) {
	if l.first().Extents != "" {
		if kit.InDeclarator(n) && n.Ancestor(parser.KindFunctionDefinition) == nil {
			l.Refuse(f, int(n.Start), kit.CodeOverload, "a variable of this name is declared here: a launch may mean it")
		}
		return
	}
	if n.Kind == parser.KindStringContent && f.Text(n) != l.Name { // its symbol, which would be another one
		l.elsewhere = true
		l.Refuse(f, int(n.Start), kit.CodeKernelAddress, "the kernel is looked up by its symbol here: a launch through that can't be seen")
		return
	}
	if call := n.Ancestor(parser.KindCallExpression); call != nil {
		c := call.Child(parser.FieldFunction)
		if c == n {
			return // a kernel can't be called: another function of that name is
		}
		if n.Kind == parser.KindStringContent && (c == nil || !byName[f.Text(c)]) {
			return // a message
		}
		if c != nil && (launches.AsksOfKernel[f.Text(c)] || strings.HasPrefix(f.Text(c), "smux::")) {
			l.attribute(f, call)
			l.slotAttribute(f, call)
			return
		}
	}
	if kit.InDeclarator(n) || n.Kind == parser.KindStringContent && n.Ancestor(parser.KindCallExpression) == nil || l.IsLocal(f, n) {
		return
	}
	if !slices.ContainsFunc(l.Proofs, func(p kit.Proof) bool { return !launches.Follows(p.Found().Kernel, n) }) {
		if !l.inPlace() || l.first().Rewriter == variant.Demote { // what it moves needs room beside what each launch asks for
			l.elsewhere = true
			l.Refuse(f, int(n.Start), kit.CodeKernelAddress, "the kernel's address is taken here: launches through it can't change")
		}
		return
	}
	switch callee := calleeOf(f, n); {
	case strings.HasPrefix(callee, "cudaLaunch"):
		l.elsewhere = true
		l.Refuse(f, int(n.Start), kit.CodeKernelAddress, "%s launches the kernel here, in a form that smux neither follows nor changes", callee)
	case byName[callee]:
		l.elsewhere = true
		l.Refuse(f, int(n.Start), kit.CodeKernelAddress, "%s finds the kernel by its name here: launches by the driver's functions pass a list of their own, and which of them launch it is not followed", callee)
	case l.launchingMacro(f, callee, int(n.Start)):
		l.elsewhere = true
		l.Refuse(f, int(n.Start), kit.CodeMacro, "macro %s launches the kernel here", callee)
	default:
		l.Refuse(f, int(n.Start), kit.CodeKernelAddress, "the kernel's address is taken here: a launch through it can't be seen")
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
func (l *LaunchProof) launchingMacro(f *parser.File, name string, at int) bool {
	m, ok := f.Macros.Lookup(name, at)
	return ok && m.FunctionLike && launchesKernels(m.Body)
}

// pasted matches what ## makes in a macro: a launch's kernel, or all that the macro stands for.
var pasted = regexp.MustCompile(`(\w+(?:\s*##\s*\w+)+)\s*(?:(?:<[^;{}]*>\s*)?(<<<)|$)`)

// pastes reports whether a macro may make a name by ##. The uses of one that makes kernels are written out.
func pastes(m *parser.Macro, name string) bool {
	return !strings.Contains(m.Body, "__global__") && slices.ContainsFunc(pasted.FindAllStringSubmatch(m.Body, -1), func(found []string) bool {
		like := parser.Words(found[1])
		for i, part := range like {
			if slices.Contains(m.Params, part) {
				like[i] = `\w*`
			}
		}
		is, _ := regexp.MatchString("^"+strings.Join(like, "")+"$", name)
		return is && (found[2] != "" || strings.TrimSpace(m.Body) == found[1] && strings.ReplaceAll(strings.Join(like, ""), `\w*`, "") != "") // or it is any name
	})
}

// macros refuses kernels that a macro of the files in view names: what it
// expands to is launched or stored where it can't be edited.
func (l *LaunchProof) macros() {
	for _, f := range l.Files() {
		if !l.sees(f) {
			continue
		}
		words := l.Prog.MacroWords(f)
		macros := slices.Clone(words[l.Name])
		for _, m := range words["##"] {
			if !slices.Contains(macros, m) && pastes(m, l.Name) {
				macros = append(macros, m)
			}
		}
		for _, m := range macros {
			what := "named"
			if launchesKernels(m.Body) {
				what = "launched"
				l.elsewhere = true
			}
			if m.File == f.Name {
				l.Refuse(f, m.Pos, kit.CodeMacro, "the kernel is %s inside macro %s", what, m.Name)
			} else {
				l.Refuse(l.first().Kernel.File, l.first().Kernel.View.Start, kit.CodeMacro, "the kernel is %s inside macro %s of %s", what, m.Name, m.File)
			}
		}
	}
	// A launch whose kernel is a macro's parameter can launch anything that is
	// passed to that macro; that pass is a mention of the name and refused there.
}
