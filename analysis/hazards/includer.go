package hazards

import (
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// FindIncluderMacros refuses code in a file that another one in view includes where a word of it is a macro that the
// file itself doesn't know, or knows as another: it would be taken for something else. The parser reads a file under
// the macros of all that include it, so that what is left are includes that go round in a circle.
func FindIncluderMacros(k *analysis.Kernel) {
	for _, fn := range k.Functions {
		includers := includes(k.Prog, fn.File)
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
				if overrides(i, fn.File, word, fn.View.Start) {
					h.add(ir.Range{Start: fn.View.Start}, analysis.CodeMacroContext, "macro %s is defined otherwise in %s, which includes this", word, filepath.Base(i.file.Name))
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
func includes(p *analysis.Program, header *parser.File) (out []includer) {
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
func overrides(i includer, header *parser.File, name string, at int) bool {
	m, ok := i.file.Macros.Lookup(name, i.at)
	if !ok {
		return false
	}
	if !m.Ambiguous {
		return !knows(header, m, at)
	}
	return slices.ContainsFunc(i.file.Macros.Named(name), func(o *parser.Macro) bool { return !knows(header, o, at) })
}

// knows reports whether a definition is one that the header itself sees: the one in force there, or one of several
// that conditions choose among, which the analyses then all look at.
func knows(header *parser.File, m *parser.Macro, at int) bool {
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
	return slices.ContainsFunc(header.Macros.Named(m.Name), func(o *parser.Macro) bool { return o.Body == m.Body && o.FunctionLike == m.FunctionLike })
}
