package analysis

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// findImplicit refuses kernels that may run code which no call in them names:
// constructors, destructors, operators and conversions that use a built-in
// whose value changes, a barrier or shared memory, or hold another hazard. The
// test is lexical and errs on the safe side.
func (k *Kernel) findImplicit() {
	k.findDefaults()
	k.findLocalClasses()
	r := k.kernelReach()
	var first string
	for _, c := range k.Prog.implicitCode(k.Prog.unit(k.File)) {
		if name := c.name(); (c.fn == nil && (r.all || r.words[c.class]) || c.fn != nil && k.mayRun(r, c.funcIn)) && (first == "" || name < first) {
			first = name
		}
	}
	if first != "" {
		k.Hazards = append(k.Hazards, diag.Message{
			Pos: k.File.Position(k.View.Start), Code: CodeUnknownCall,
			Text: first + " uses a barrier, shared memory or a built-in whose value changes, and can run without a call that names it",
		})
	}
	k.findImplicitFunctions(r)
	for _, fn := range k.Implicit {
		k.findHazardsIn(fn)
	}
}

// implicitCode is code that uses the thread block and runs without a call: a
// function, or the initialisers of a class's members (fn nil).
type implicitCode struct {
	funcIn
	class string
}

func (c implicitCode) name() string {
	if c.fn == nil {
		return "class " + c.class
	}
	return strings.TrimPrefix(c.fn.Class+"::"+c.fn.Name, "::")
}

// findDefaults refuses default arguments that use a built-in: they are written
// outside of the function that evaluates them, if nothing is shadowed.
func (k *Kernel) findDefaults() {
	for _, fn := range k.Functions {
		for _, q := range fn.View.Params {
			if q.Default == nil {
				continue
			}
			for _, word := range parser.Words(fn.File.Text(q.Default)) {
				called := false
				for _, c := range k.Prog.unit(fn.File).byName[word] {
					called = called || onDevice(c.fn)
				}
				if called || intrinsic.IsMergedVariable(word) {
					k.Hazards = append(k.Hazards, diag.Message{
						Pos: fn.File.Position(int(q.Default.Start)), Code: CodeUnknownCall,
						Text: "a default argument that uses a built-in or calls a function",
					})
				}
			}
		}
	}
}

// findLocalClasses refuses classes that are local to a function and use its shared arrays: in members, which
// are functions of their own, or in what members begin with.
func (k *Kernel) findLocalClasses() {
	for _, fn := range k.Functions {
		fn.Body.Walk(func(s *ir.Stmt) bool {
			if s.Op != ir.StmtEmpty && s.Op != ir.StmtDecl {
				return true
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
					if v.Kind == ir.VarShared && mentions(body, v.Name) {
						k.Hazards = append(k.Hazards, diag.Message{
							Pos: fn.File.Position(s.Range.Start), Code: CodeUnknownCall,
							Text: "a class that is local to the function uses shared " + v.Name + ", and can run without a call that names it",
						})
					}
				}
			}
			return true
		})
	}
}

// implicitCode returns such code of a unit.
func (p *Program) implicitCode(u *unit) []implicitCode {
	if u.implicitFound {
		return u.implicit
	}
	u.implicitFound = true
	for _, c := range u.members {
		if p.usesBlock(u, c) {
			u.implicit = append(u.implicit, implicitCode{funcIn: c})
		}
	}
	for _, f := range u.files {
		for _, c := range f.Classes {
			if c.Body != nil && p.initialises(f, c) {
				u.implicit = append(u.implicit, implicitCode{class: c.Name})
			}
		}
	}
	return u.implicit
}

// initialises reports whether a class names a built-in outside of its member functions: in the initialiser of
// a member. What a comment says, or a member is called, is none.
func (p *Program) initialises(f *parser.File, c *parser.Class) (found bool) {
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
			found = found || slices.ContainsFunc(intrinsic.Merged, func(name string) bool { return mentions(f.Src[n.Start:n.End], name) })
		}
		return !found
	})
	return found
}

// implicitMember reports whether a member function can run without a call that
// names it.
func implicitMember(fn *parser.Function) bool {
	return fn.Class != "" && fn.Name == fn.Class || strings.HasPrefix(fn.Name, "~") || strings.HasPrefix(fn.Name, "operator")
}

// onDevice reports whether a definition can be called from a kernel.
func onDevice(fn *parser.Function) bool {
	return fn.Body != nil && !fn.IsKernel() && fn.Quals&(parser.QualDevice|parser.QualConstexpr) != 0
}

// usesBlock reports whether a function's text, or that of one that it names,
// holds a word that a merged block gives another meaning.
func (p *Program) usesBlock(u *unit, c funcIn) bool { return p.textUsesBlock(u, c, c.text()) }

func (c funcIn) text() string { return string(c.file.Src[c.fn.Start:c.fn.Body.End]) }

// textUsesBlock is usesBlock of a text in a function.
func (p *Program) textUsesBlock(u *unit, c funcIn, text string) bool {
	uses, names := p.blockWords(u, c, text)
	return uses || slices.ContainsFunc(names, func(name string) bool { return name != c.fn.Name && p.namesThatUseBlock(u)[name] })
}

// blockWords reports whether a text itself holds a word that a merged block gives another meaning, or a macro that
// leads to one; if not, names are the device functions that it names.
func (p *Program) blockWords(u *unit, c funcIn, text string) (uses bool, names []string) {
	rest := strings.NewReplacer("threadIdx.x", "", "threadIdx.y", "", "blockDim.x", "", "blockDim.y", "").Replace(text)
	seen := map[string]bool{}
	for _, word := range parser.Words(rest) {
		if seen[word] {
			continue
		}
		seen[word] = true
		if word == "__shared__" && u.sharedClasses(p)[c.fn.Class] == nil || slices.Contains(intrinsic.Merged, word) {
			return true, nil
		}
		if slices.ContainsFunc(u.byName[word], func(callee funcIn) bool { return onDevice(callee.fn) }) {
			names = append(names, word)
		}
	}
	macros := p.MacroWords(c.file)
	for _, name := range intrinsic.Merged {
		if slices.ContainsFunc(macros[name], func(m *parser.Macro) bool { return seen[m.Name] }) {
			return true, nil
		}
	}
	return false, names
}

// namesThatUseBlock are the names of device functions of a unit of which one uses the block, or names one that does.
func (p *Program) namesThatUseBlock(u *unit) map[string]bool {
	if u.usesBlock != nil {
		return u.usesBlock
	}
	u.usesBlock = map[string]bool{}
	by := map[string][]string{} // the names of functions, by those that their texts hold
	var todo []string
	for name, list := range u.byName {
		for _, c := range list {
			if !onDevice(c.fn) {
				continue
			}
			uses, names := p.blockWords(u, c, c.text())
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
		if !u.usesBlock[name] {
			u.usesBlock[name] = true
			todo = append(todo, by[name]...)
		}
	}
	return u.usesBlock
}

// mentions reports whether a word occurs in a text.
func mentions(text []byte, word string) bool {
	return bytes.Contains(text, []byte(word)) && slices.Contains(parser.Words(string(text)), word)
}
