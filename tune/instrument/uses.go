package instrument

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/parser"
)

type call struct {
	file   *parser.File
	callee *parser.Node
}

// launchCalls launch a kernel that is their first argument; the prelude has each of them with smux_ in front.
var launchCalls = []string{"cudaLaunchKernel", "cudaLaunchCooperativeKernel"}

// otherUses returns the calls that launch a kernel by its address. The error says that something may launch it unseen.
func otherUses(k *analysis.Kernel) ([]call, error) {
	u := &uses{kernel: k}
	for _, f := range k.Prog.Parsed.Files {
		if !k.Prog.Related(f, k.File) {
			continue
		}
		for _, m := range k.Prog.MacroWords(f)[k.Name] {
			if launches([]byte(m.Body)) {
				return nil, refused(summary.Position(k), "macro %s launches %s, where the launch can't be changed", m.Name, k.Name)
			}
		}
		if err := u.file(f); err != nil {
			return nil, err
		}
	}
	return u.calls, nil
}

func launches(text []byte) bool {
	return bytes.Contains(text, []byte("<<<")) || bytes.Contains(text, []byte("cudaLaunch"))
}

type uses struct {
	kernel *analysis.Kernel
	calls  []call
}

func (u *uses) file(f *parser.File) error {
	callees := map[uint32]bool{} // where the names of launched kernels begin and end
	for _, l := range f.Launches {
		if l.Callee != nil && l.Call == "" {
			for at := l.Callee.Start; at < l.Callee.End; at++ {
				callees[at] = true
			}
		}
	}
	var err error
	f.Root.Walk(func(n *parser.Node) bool {
		if err == nil && n.Kind == parser.KindIdentifier && f.Text(n) == u.kernel.Name && !callees[n.Start] {
			err = u.mention(f, n)
		}
		return err == nil
	})
	return err
}

func (u *uses) mention(f *parser.File, n *parser.Node) error {
	top, c := n, n.Parent // top is the argument that the name is in
	for c != nil && c.Kind != parser.KindArgumentList && c.Kind != parser.KindFunctionDefinition {
		top, c = c, c.Parent
	}
	if isDeclared(n) || u.isLocal(f, n) {
		return nil
	}
	where := f.Position(int(n.Start))
	if c == nil || c.Kind != parser.KindArgumentList || c.Parent == nil || c.Parent.Kind != parser.KindCallExpression {
		if u.launchesPointers() {
			return refused(where, "the address of %s is taken here, and the program launches kernels by their addresses", u.kernel.Name)
		}
		return nil
	}
	callee := c.Parent.Child(parser.FieldFunction)
	if callee == nil {
		return nil
	}
	name := lastName(f.Text(callee))
	switch {
	case slices.Contains(launchCalls, name):
		if c.FirstNamed() == top {
			u.calls = append(u.calls, call{f, callee})
		}
	case strings.HasPrefix(name, "cudaLaunch"), strings.HasPrefix(name, "cudaGraph"), u.isLauncher(name):
		return refused(where, "%s is given to %s, which may launch it where the launch can't be changed", u.kernel.Name, name)
	}
	return nil
}

// lastName returns the name of a function without namespaces and template arguments.
func lastName(text string) string {
	text, _, _ = strings.Cut(text, "<")
	return strings.TrimSpace(text[strings.LastIndexByte(text, ':')+1:])
}

func isDeclared(n *parser.Node) bool {
	for n.Parent != nil && (n.Parent.Kind == parser.KindTemplateFunction || n.Parent.Kind == parser.KindQualifiedIdentifier) {
		n = n.Parent
	}
	return n.Field == parser.FieldDeclarator && n.Parent != nil && n.Parent.Kind != parser.KindArgumentList
}

func (u *uses) isLocal(f *parser.File, n *parser.Node) bool {
	for _, fn := range f.Functions {
		if fn.Body == nil || fn.Error != nil || n.Start < fn.Body.Start || n.End > fn.Body.End {
			continue
		}
		lowered := u.kernel.Prog.Lower(f, fn)
		if slices.ContainsFunc(slices.Concat(lowered.Vars, lowered.Params), func(v *ir.Var) bool { return v.Name == u.kernel.Name }) {
			return true
		}
	}
	return false
}

// launchesPointers reports whether the program launches something that is not a kernel by its name.
func (u *uses) launchesPointers() bool {
	kernels := map[string]bool{}
	for _, k := range u.kernel.Prog.Kernels() {
		kernels[k.Name] = true
	}
	return slices.ContainsFunc(u.kernel.Prog.Parsed.Files, func(f *parser.File) bool {
		return bytes.Contains(f.Src, []byte("cudaLaunch")) || slices.ContainsFunc(f.Launches, func(l *parser.Launch) bool { return !kernels[l.Kernel] })
	})
}

// isLauncher reports whether a function or macro of that name in view launches anything.
func (u *uses) isLauncher(name string) bool {
	for _, f := range u.kernel.Prog.Parsed.Files {
		for _, g := range u.kernel.Prog.Parsed.Reach(f) {
			for _, fn := range g.Functions {
				if fn.Name == name && fn.Body != nil && launches(g.Src[fn.Body.Start:fn.Body.End]) {
					return true
				}
			}
			for _, d := range g.Definitions() {
				if d.Macro.Name == name && launches([]byte(d.Macro.Body)) {
					return true
				}
			}
		}
	}
	return false
}
