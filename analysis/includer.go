package analysis

import (
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// findIncluderMacros refuses code in a file that another one in view includes
// where a word of it is a macro that the file itself doesn't know, or knows as
// another: it would be taken for something else. The parser reads a file under
// the macros of all that include it, so that what is left are includes that go
// round in a circle.
func (k *Kernel) findIncluderMacros() {
	for _, fn := range k.Functions {
		includers := k.Prog.includes(fn.File)
		if len(includers) == 0 {
			continue
		}
		h := &hazards{k: k, fn: fn}
		text := string(fn.File.Src[fn.View.Start:fn.View.Body.End])
		seen := map[string]bool{}
		for _, word := range parser.Words(text) {
			if seen[word] {
				continue
			}
			seen[word] = true
			for _, i := range includers {
				if k.Prog.overrides(i, fn.File, word, fn.View.Start) {
					h.add(ir.Range{Start: fn.View.Start}, CodeMacroContext, "macro %s is defined otherwise in %s, which includes this", word, filepath.Base(i.file.Name))
				}
			}
		}
	}
}

// includer is a file and the offset at which it includes another.
type includer struct {
	file *parser.File
	at   int
}

// includes are the places where files of the program include one themselves.
func (p *Program) includes(header *parser.File) (out []includer) {
	self := filepath.ToSlash(filepath.Clean(header.Name))
	for _, f := range p.Parsed.Including(header) {
		for _, inc := range f.Includes {
			if inc.File == self {
				out = append(out, includer{f, inc.Pos})
			}
		}
	}
	return out
}

// overrides reports whether a macro is in force at an #include that the header
// does not know, or knows with another meaning.
func (p *Program) overrides(i includer, header *parser.File, name string, at int) bool {
	m, ok := i.file.Macros.Lookup(name, i.at)
	if !ok {
		return false
	}
	if !m.Ambiguous {
		return !p.knows(header, m, at)
	}
	return slices.ContainsFunc(p.macrosNamed(i.file, name), func(o *parser.Macro) bool { return !p.knows(header, o, at) })
}

// knows reports whether a definition is one that the header itself sees: the
// one in force there, or one of several that conditions choose among, which
// the analyses then all look at.
func (p *Program) knows(header *parser.File, m *parser.Macro, at int) bool {
	own, ok := header.Macros.Lookup(m.Name, at)
	if !ok {
		return false
	}
	if own.Body == m.Body && own.FunctionLike == m.FunctionLike {
		return true
	}
	if !own.Ambiguous {
		return false
	}
	return slices.ContainsFunc(p.macrosNamed(header, m.Name), func(o *parser.Macro) bool { return o.Body == m.Body && o.FunctionLike == m.FunctionLike })
}

// macrosNamed returns the definitions of a macro that are in force somewhere
// in a file.
func (p *Program) macrosNamed(f *parser.File, name string) []*parser.Macro {
	type key struct{ f *parser.File }
	return Once(&p.Memo, key{f}, func() map[string][]*parser.Macro {
		byName := map[string][]*parser.Macro{}
		for _, m := range f.Macros.All() {
			byName[m.Name] = append(byName[m.Name], m)
		}
		return byName
	})[name]
}
