package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// inLibrary reports whether a call by a name that no file in view defines is of a library's function, of a
// constructor of its classes or of what such a class declares, and so runs in the thread alone (intrinsic.Library).
func (p *Program) inLibrary(f *parser.File, qualifier, name string) bool {
	of, _, _ := strings.Cut(strings.TrimPrefix(qualifier, "::"), "<")
	if of == "" {
		l := p.libraryIncluded(f, name)
		return l.HasFunction(name) || l.HasClass(name)
	}
	l := intrinsic.LibraryOf(of)
	return l.HasFunction(name) || l.HasClass(name) || p.isLibraryClass(f, of) || p.typeNames(f).Uses(name)
}

// isLibraryClass reports whether a name is that of a library's class whose members run in the thread alone.
func (p *Program) isLibraryClass(f *parser.File, name string) bool {
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "::"), "<")
	if i := strings.LastIndex(name, "::"); i >= 0 {
		return intrinsic.LibraryOf(name[:i]).HasClass(name[i+2:])
	}
	return p.libraryIncluded(f, name).HasClass(name)
}

// libraryIncluded is the library that a name is of where it is not qualified, nil for none, as where a file in
// view defines it.
func (p *Program) libraryIncluded(f *parser.File, name string) *intrinsic.Library {
	u := p.unit(f)
	if u.classNames()[name] || slices.ContainsFunc(u.byName[name], func(c funcIn) bool { return c.fn.Class == "" }) {
		return nil
	}
	return p.typeNames(f).Library(name)
}

// isOfLibrary reports whether an object is of a class of a library whose members run in the thread alone.
func (k *Kernel) isOfLibrary(fn *ir.Func, obj *ir.Expr) bool {
	t := k.TypeOf(fn, obj)
	return t.Levels == 0 && t.Kind == effect.Library && k.Prog.isLibraryClass(fn.File, t.Base)
}
