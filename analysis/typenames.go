package analysis

import (
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// typeNames returns the named types of a file's unit.
func (p *Program) typeNames(f *parser.File) *effect.TypeNames {
	type key struct{ f *parser.File }
	return Once(&p.Memo, key{f}, func() *effect.TypeNames { return effect.NewTypeNames(effect.Files(p.Parsed, f)) })
}

// arithmetic returns the arithmetic type that a name stands for in a function of
// a class ("" for none), ok false where it is none or may be a function.
func (p *Program) arithmetic(f *parser.File, class, name string) (base string, ok bool) {
	t := p.typeNames(f)
	for range maxTypeDepth {
		if IsArithmetic(name) {
			return name, true
		}
		if name, ok = t.Lookup(class, name); !ok {
			return "", false
		}
	}
	return "", false
}

// isTypeName reports whether a name stands for some type.
func (p *Program) isTypeName(f *parser.File, class, name string) bool {
	_, ok := p.typeNames(f).Lookup(class, name)
	return ok
}

func text(f *parser.File, n *parser.Node) string {
	if n == nil {
		return ""
	}
	return f.Text(n)
}
