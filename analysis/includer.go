package analysis

import (
	"bytes"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// findIncluderMacros refuses code in a header that a file in view includes with
// other macros in force than the header itself defines: smux reads a header
// once, by itself, and would take such a word for something else.
func (k *Kernel) findIncluderMacros() {
	for _, fn := range k.Functions {
		includers := k.Prog.Parsed.Including(fn.File)
		if len(includers) == 0 {
			continue
		}
		h := &hazards{k: k, fn: fn}
		text := string(fn.File.Src[fn.View.Start:fn.View.Body.End])
		seen := map[string]bool{}
		for _, word := range strings.FieldsFunc(text, notInName) {
			if seen[word] {
				continue
			}
			seen[word] = true
			for _, f := range includers {
				if k.Prog.overrides(f, fn.File, word, fn.View.Start) {
					h.add(ir.Range{Start: fn.View.Start}, CodeMacroContext, "macro %s is defined otherwise in %s, which includes this", word, baseName(f))
				}
			}
		}
	}
}

// overrides reports whether a file defines a macro that its header does not
// know, or knows with another meaning.
func (p *Program) overrides(f, header *parser.File, name string, at int) bool {
	for _, m := range p.macrosNamed(f, name) {
		if m.File == f.Name && m.Pos > includedAt(f, header) {
			continue // defined later
		}
		if !p.knows(header, m, at) {
			return true
		}
	}
	return false
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
	for _, o := range p.macrosNamed(header, m.Name) {
		if o.Body == m.Body && o.FunctionLike == m.FunctionLike {
			return true
		}
	}
	return false
}

// includedAt is the offset of the last #include in a file that names a header,
// or the file's end where none does, since another header includes it then.
func includedAt(f, header *parser.File) int {
	at := len(f.Src)
	for _, line := range [...]string{"/" + baseName(header), "\"" + baseName(header), "<" + baseName(header)} {
		if i := bytes.LastIndex(f.Src, []byte(line)); i >= 0 && (at == len(f.Src) || i > at) {
			at = i
		}
	}
	return at
}

// macrosNamed returns the definitions of a macro that are in force somewhere
// in a file.
func (p *Program) macrosNamed(f *parser.File, name string) []*parser.Macro {
	byName := p.macros[f]
	if byName == nil {
		byName = map[string][]*parser.Macro{}
		for _, m := range f.Macros.All() {
			byName[m.Name] = append(byName[m.Name], m)
		}
		p.macros[f] = byName
	}
	return byName[name]
}
