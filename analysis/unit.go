package analysis

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// ImplicitCode is code that uses the thread block and runs without a call: a
// function, or the initialisers of a class's members (fn nil).
type ImplicitCode struct {
	FuncIn
	Class string
}

// Name returns the class or the function, as messages spell it.
func (c ImplicitCode) Name() string {
	if c.Fn == nil {
		return "class " + c.Class
	}
	return strings.TrimPrefix(c.Fn.Class+"::"+c.Fn.Name, "::")
}

// implicitMember reports whether a member function can run without a call that names it.
func implicitMember(fn *parser.Function) bool {
	return fn.Class != "" && fn.Name == fn.Class || strings.HasPrefix(fn.Name, "~") || strings.HasPrefix(fn.Name, "operator")
}

// OnDevice reports whether a definition can be called from a kernel.
func OnDevice(fn *parser.Function) bool {
	return fn.Body != nil && !fn.IsKernel() && fn.Quals&(parser.QualDevice|parser.QualConstexpr) != 0
}

// Text returns the function as it is written.
func (c FuncIn) Text() string { return string(c.File.Src[c.Fn.Start:c.Fn.Body.End]) }

// Mentions reports whether a word occurs in a text.
func Mentions(text []byte, word string) bool {
	return bytes.Contains(text, []byte(word)) && slices.Contains(parser.Words(string(text)), word)
}

// ClassNames are the classes and type aliases that the unit defines.
func (u *Unit) ClassNames() map[string]bool {
	if u.names == nil {
		u.names = map[string]bool{}
		for _, f := range u.Files {
			for _, c := range f.Classes {
				u.names[c.Name] = true
			}
		}
	}
	return u.names
}

// InLibrary reports whether a call by a name that no file in view defines is of a library's function, of a
// constructor of its classes or of what such a class declares, and so runs in the thread alone (intrinsic.Library).
func (p *Program) InLibrary(f *parser.File, qualifier, name string) bool {
	of, _, _ := strings.Cut(strings.TrimPrefix(qualifier, "::"), "<")
	if of == "" {
		l := p.LibraryIncluded(f, name)
		return l.HasFunction(name) || l.HasClass(name)
	}
	l := intrinsic.LibraryOf(of)
	return l.HasFunction(name) || l.HasClass(name) || p.isLibraryClass(f, of) || p.TypeNames(f).Uses(name)
}

// isLibraryClass reports whether a name is that of a library's class whose members run in the thread alone.
func (p *Program) isLibraryClass(f *parser.File, name string) bool {
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "::"), "<")
	if i := strings.LastIndex(name, "::"); i >= 0 {
		return intrinsic.LibraryOf(name[:i]).HasClass(name[i+2:])
	}
	return p.LibraryIncluded(f, name).HasClass(name)
}

// LibraryIncluded is the library that a name is of where it is not qualified, nil for none, as where a file in
// view defines it.
func (p *Program) LibraryIncluded(f *parser.File, name string) *intrinsic.Library {
	u := p.Unit(f)
	if u.ClassNames()[name] || slices.ContainsFunc(u.ByName[name], func(c FuncIn) bool { return c.Fn.Class == "" }) {
		return nil
	}
	return p.TypeNames(f).Library(name)
}

// IsOfLibrary reports whether an object is of a class of a library whose members run in the thread alone.
func (k *Kernel) IsOfLibrary(fn *ir.Func, obj *ir.Expr) bool {
	t := k.TypeOf(fn, obj)
	return t.Levels == 0 && t.Kind == effect.Library && k.Prog.isLibraryClass(fn.File, t.Base)
}

// TypeNames returns the named types of a file's unit.
func (p *Program) TypeNames(f *parser.File) *effect.TypeNames {
	type key struct{ f *parser.File }
	return Once(&p.Memo, key{f}, func() *effect.TypeNames { return effect.NewTypeNames(effect.Files(p.Parsed, f)) })
}

// arithmetic returns the arithmetic type that a name stands for in a function of
// a class ("" for none), ok false where it is none or may be a function.
func (p *Program) arithmetic(f *parser.File, class, name string) (base string, ok bool) {
	t := p.TypeNames(f)
	for range MaxTypeDepth {
		if IsArithmetic(name) {
			return name, true
		}
		if name, ok = t.Lookup(class, name); !ok {
			return "", false
		}
	}
	return "", false
}

// IsTypeName reports whether a name stands for some type.
func (p *Program) IsTypeName(f *parser.File, class, name string) bool {
	_, ok := p.TypeNames(f).Lookup(class, name)
	return ok
}

// Text returns what a node of a file spells, "" for no node.
func Text(f *parser.File, n *parser.Node) string {
	if n == nil {
		return ""
	}
	return f.Text(n)
}

// MacroWords returns, for the macros in view of a file, which of them hold which identifier in their body.
// Those that make names have the word ##.
func (p *Program) MacroWords(f *parser.File) map[string][]*parser.Macro {
	type key struct{ f *parser.File }
	return Once(&p.Memo, key{f}, func() map[string][]*parser.Macro {
		w := map[string][]*parser.Macro{}
		for _, m := range f.Macros.All() {
			words := parser.Words(m.Body)
			if strings.Contains(m.Body, "##") {
				words = append(words, "##")
			}
			slices.Sort(words)
			for _, word := range slices.Compact(words) {
				w[word] = append(w[word], m)
			}
		}
		return w
	})
}

// Definition is a function in view: a definition or a declaration.
type Definition struct {
	File *parser.File
	Func *parser.Function
}

// Named returns the functions of a name that a file can see, declarations without a body included.
func (p *Program) Named(f *parser.File, name string) []Definition {
	return lists.Map(p.Unit(f).ByName[name], func(c FuncIn) Definition { return Definition{c.File, c.Fn} })
}

// View returns the files that a file sees and is seen by.
func (p *Program) View(f *parser.File) []*parser.File { return p.Unit(f).Files }

// Related reports whether two files can be part of one translation unit: one includes the other, a third includes
// both, or one forward-declares a kernel that the other defines.
func (p *Program) Related(a, b *parser.File) bool {
	if a == b {
		return true
	}
	key := [2]*parser.File{a, b}
	if r, ok := p.relation[key]; ok {
		return r
	}
	r := slices.Contains(p.Unit(a).Files, b) || slices.Contains(p.Unit(b).Files, a) || p.declares(a, b) || p.declares(b, a)
	p.relation[key] = r
	return r
}

// declares reports whether a forward-declares a kernel that b defines.
func (p *Program) declares(a, b *parser.File) bool {
	for _, d := range a.Functions {
		if !d.IsKernel() || d.Body != nil {
			continue
		}
		for _, fn := range b.Functions {
			if fn.Name == d.Name && fn.IsKernel() && fn.Body != nil {
				return true
			}
		}
	}
	return false
}
