package ir

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// alignText is an alignment as a declaration asks for it: __align__(16), alignas(16).
var alignText = regexp.MustCompile(`\balign\w*\s*\(\s*(\d+)\s*\)|__(?:builtin_)?align__\s*\(\s*(\d+)\s*\)`)

// Member returns the member of a name, nil if there is none.
func (r *Record) Member(name string) *Var {
	return lists.Find(r.Members, func(m *Var) bool { return m.Name == name })
}

// record lowers the members of a struct or union that is written out; nil for any other type.
func (l *lowerer) record(c *source, n *parser.Node) *Record {
	body := n.Child(parser.FieldBody)
	if body == nil || n.Kind != parser.KindStructSpecifier && n.Kind != parser.KindUnionSpecifier && n.Kind != parser.KindClassSpecifier {
		return nil
	}
	r := &Record{Union: n.Kind == parser.KindUnionSpecifier}
	for k := n.First; k != nil; k = k.Next {
		r.Unclear = r.Unclear || k.Kind == parser.KindBaseClassClause
	}
	end := int(body.Start) + 1
	for k := body.FirstNamed(); k != nil; k = k.NextNamed() {
		if k.Kind == parser.KindComment {
			continue
		}
		if k.Kind != parser.KindFieldDeclaration {
			r.Unclear = true
			continue
		}
		align, clear := l.alignment(c, end, int(k.End))
		r.Unclear = r.Unclear || !clear
		end = int(k.End)
		base := l.typeOf(c, k)
		for d := k.First; d != nil; d = d.Next {
			if d.Field != parser.FieldDeclarator {
				continue
			}
			v := &Var{Kind: VarLocal, Type: base, File: c.file, Range: c.rng(d), Macro: c.frag != nil}
			l.declarator(c, d, v)
			r.Unclear = r.Unclear || v.Name == "" || v.Type.Function || v.Type.Ref
			r.Members, r.Align = append(r.Members, v), append(r.Align, align)
		}
	}
	return r
}

// LowerClass lowers the data members of a class, nil where it has no body. Variables of functions are unknown in it.
func LowerClass(cache *Cache, f *parser.File, c *parser.Class) *Record {
	return outside(cache, f).record(&source{text: f.Src, file: f}, c.Node)
}

// alignment returns the alignment that a stretch of text asks for, 0 for none; clear is false where that
// is not a number.
func (l *lowerer) alignment(c *source, start, end int) (bytes int, clear bool) {
	if start > end {
		return 0, false
	}
	text := string(c.text[start:end])
	if !strings.Contains(text, "align") {
		return 0, true
	}
	m := alignText.FindAllStringSubmatch(text, -1)
	if len(m) != 1 || strings.Count(text, "align") != strings.Count(m[0][0], "align") {
		return 0, false
	}
	bytes, err := strconv.Atoi(m[0][1] + m[0][2])
	return bytes, err == nil
}
