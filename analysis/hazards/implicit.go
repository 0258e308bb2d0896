package hazards

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// FindImplicit refuses kernels that may run code which no call in them names: constructors, destructors, operators
// and conversions that use a built-in whose value changes, a barrier or shared memory, or hold another hazard. The
// test is lexical and errs on the safe side.
func FindImplicit(k *analysis.Kernel) {
	findDefaults(k)
	findLocalClasses(k)
	r := kernelReach(k)
	var first string
	for _, c := range implicitCode(k.Prog, k.Prog.Unit(k.File)) {
		if name := c.Name(); (c.Fn == nil && (r.all || r.words[c.Class]) || c.Fn != nil && mayRun(k, r, c.FuncIn)) && (first == "" || name < first) {
			first = name
		}
	}
	if first != "" {
		k.Hazards = append(k.Hazards, diag.Message{
			Pos: k.File.Position(k.View.Start), Code: analysis.CodeUnknownCall,
			Text: first + " uses a barrier, shared memory or a built-in whose value changes, and can run without a call that names it",
		})
	}
	findImplicitFunctions(k, r)
	for _, fn := range k.Implicit {
		findHazardsIn(k, fn)
	}
}

// findDefaults refuses default arguments that use a built-in: they are written
// outside of the function that evaluates them, if nothing is shadowed.
func findDefaults(k *analysis.Kernel) {
	for _, fn := range k.Functions {
		for _, q := range fn.View.Params {
			if q.Default == nil {
				continue
			}
			for _, word := range parser.Words(fn.File.Text(q.Default)) {
				called := false
				for _, c := range k.Prog.Unit(fn.File).ByName[word] {
					called = called || analysis.OnDevice(c.Fn)
				}
				if called || intrinsic.IsMergedVariable(word) {
					k.Hazards = append(k.Hazards, diag.Message{
						Pos: fn.File.Position(int(q.Default.Start)), Code: analysis.CodeUnknownCall,
						Text: "a default argument that uses a built-in or calls a function",
					})
				}
			}
		}
	}
}

// findLocalClasses refuses classes that are local to a function and use its shared arrays: in members, which
// are functions of their own, or in what members begin with.
func findLocalClasses(k *analysis.Kernel) {
	for _, fn := range k.Functions {
		for s := range fn.Body.All() {
			if s.Op != ir.StmtEmpty && s.Op != ir.StmtDecl {
				continue
			}
			for _, class := range fn.File.Classes {
				if class.Body == nil || int(class.Body.Start) < s.Range.Start || int(class.Body.End) > s.Range.End {
					continue
				}
				body := fn.File.Src[class.Body.Start:class.Body.End]
				if !bytes.ContainsAny(body, "(=") {
					continue // members alone, of which one may be called like an array
				}
				for _, v := range fn.Vars {
					if v.Kind == ir.VarShared && analysis.Mentions(body, v.Name) {
						k.Hazards = append(k.Hazards, diag.Message{
							Pos: fn.File.Position(s.Range.Start), Code: analysis.CodeUnknownCall,
							Text: "a class that is local to the function uses shared " + v.Name + ", and can run without a call that names it",
						})
					}
				}
			}
		}
	}
}

// ImplicitCode returns such code of a unit.
func implicitCode(p *analysis.Program, u *analysis.Unit) []analysis.ImplicitCode {
	if u.ImplicitFound {
		return u.Implicit
	}
	u.ImplicitFound = true
	for _, c := range u.Members {
		if usesBlock(p, u, c) {
			u.Implicit = append(u.Implicit, analysis.ImplicitCode{FuncIn: c})
		}
	}
	for _, f := range u.Files {
		for _, c := range f.Classes {
			if c.Body != nil && initialises(f, c) {
				u.Implicit = append(u.Implicit, analysis.ImplicitCode{Class: c.Name})
			}
		}
	}
	return u.Implicit
}

// initialises reports whether a class names a built-in outside of its member functions: in the initialiser of
// a member. What a comment says, or a member is called, is none.
func initialises(f *parser.File, c *parser.Class) (found bool) {
	isFunction := func(n *parser.Node) bool {
		return slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool { return fn.Body != nil && fn.Node == n })
	}
	c.Body.Walk(func(n *parser.Node) bool {
		switch {
		case isFunction(n):
			return false
		case n.Kind == parser.KindIdentifier:
			name := f.Text(n)
			found = found || name == "this_thread_block" || intrinsic.IsMergedVariable(name)
		case n.Kind == parser.KindError:
			found = found || slices.ContainsFunc(intrinsic.Merged, func(name string) bool { return analysis.Mentions(f.Src[n.Start:n.End], name) })
		}
		return !found
	})
	return found
}

// UsesBlock reports whether a function's text, or that of one that it names,
// holds a word that a merged block gives another meaning.
func usesBlock(p *analysis.Program, u *analysis.Unit, c analysis.FuncIn) bool {
	return textUsesBlock(p, u, c, c.Text())
}

// textUsesBlock is UsesBlock of a text in a function.
func textUsesBlock(p *analysis.Program, u *analysis.Unit, c analysis.FuncIn, text string) bool {
	uses, names := blockWords(p, u, c, text)
	return uses || slices.ContainsFunc(names, func(name string) bool { return name != c.Fn.Name && namesThatUseBlock(p, u)[name] })
}

// blockWords reports whether a text itself holds a word that a merged block gives another meaning, or a macro that
// leads to one; if not, names are the device functions that it names.
func blockWords(p *analysis.Program, u *analysis.Unit, c analysis.FuncIn, text string) (uses bool, names []string) {
	rest := strings.NewReplacer("threadIdx.x", "", "threadIdx.y", "", "blockDim.x", "", "blockDim.y", "").Replace(text)
	seen := map[string]bool{}
	for _, word := range parser.Words(rest) {
		if seen[word] {
			continue
		}
		seen[word] = true
		if word == "__shared__" && u.SharedClasses(p)[c.Fn.Class] == nil || slices.Contains(intrinsic.Merged, word) {
			return true, nil
		}
		if slices.ContainsFunc(u.ByName[word], func(callee analysis.FuncIn) bool { return analysis.OnDevice(callee.Fn) }) {
			names = append(names, word)
		}
	}
	macros := p.MacroWords(c.File)
	for _, name := range intrinsic.Merged {
		if slices.ContainsFunc(macros[name], func(m *parser.Macro) bool { return seen[m.Name] }) {
			return true, nil
		}
	}
	return false, names
}

// namesThatUseBlock are the names of device functions of a unit of which one uses the block, or names one that does.
func namesThatUseBlock(p *analysis.Program, u *analysis.Unit) map[string]bool {
	if u.UsesBlock != nil {
		return u.UsesBlock
	}
	u.UsesBlock = map[string]bool{}
	by := map[string][]string{} // the names of functions, by those that their texts hold
	var todo []string
	for name, list := range u.ByName {
		for _, c := range list {
			if !analysis.OnDevice(c.Fn) {
				continue
			}
			uses, names := blockWords(p, u, c, c.Text())
			if uses {
				todo = append(todo, name)
			}
			for _, other := range names {
				by[other] = append(by[other], name)
			}
		}
	}
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !u.UsesBlock[name] {
			u.UsesBlock[name] = true
			todo = append(todo, by[name]...)
		}
	}
	return u.UsesBlock
}
