package acc

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/acc/words"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// A kernel stands outside of its function. Types that the function defines are moved above it, and structures without a name get one.

func (t *translation) localTypes() {
	for _, f := range t.tree.Functions {
		if f.Body == nil {
			continue
		}
		var needed []string
		for _, p := range lists.Filter(computing(t.pragmas), func(p *pragma) bool { return p.fn == f }) {
			needed = append(needed, parser.Names(t.text(p.stmt))...)
			for _, v := range t.variablesIn(p.stmt) {
				needed = append(needed, parser.Names(v.base+v.extents(0))...)
			}
		}
		for _, d := range slices.Backward(definitionsIn(f.Body)) { // what a later one needs stands before it
			if !t.inCompute(d) && slices.ContainsFunc(t.definedBy(d), func(name string) bool { return slices.Contains(needed, name) }) {
				needed = append(needed, parser.Names(t.text(d))...)
				t.moveAbove(f, d)
			}
		}
	}
}

// definitionsIn are the definitions of types in a function, but for those in a typedef.
func definitionsIn(body *parser.Node) (out []*parser.Node) {
	body.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindTypeDefinition || isTag(n) && n.Child(parser.FieldBody) != nil {
			out = append(out, n)
		}
		return n.Kind != parser.KindTypeDefinition && !isTag(n)
	})
	return out
}

// isTag reports whether a node names, or defines, a structure, a union or an enumeration.
func isTag(n *parser.Node) bool {
	return n.Kind == parser.KindStructSpecifier || n.Kind == parser.KindUnionSpecifier || n.Kind == parser.KindEnumSpecifier
}

// definedBy are the names that a definition, or one in it, defines: of a type, and of constants.
func (s *source) definedBy(d *parser.Node) (out []string) {
	for n := range d.All() {
		out = append(out, s.defined(n)...)
	}
	return out
}

// defined is the name that a node itself defines, if it does.
func (s *source) defined(n *parser.Node) []string {
	typedef := n.Ancestor(parser.KindTypeDefinition)
	switch {
	case n.Kind == parser.KindEnumerator:
		return []string{s.text(n.FirstNamed())}
	case n.Kind == parser.KindTypeIdentifier && (n.Field == parser.FieldName && n.Parent.Child(parser.FieldBody) != nil ||
		typedef != nil && slices.ContainsFunc(declarators(typedef), func(d *parser.Node) bool { return within(n, d) })):
		return []string{s.text(n)}
	}
	return nil
}

func (t *translation) moveAbove(f *parser.Function, d *parser.Node) {
	names := t.definedBy(d)
	refuse := func(why string) {
		panic(refusal(t.place(d), CodeCPlusPlus, fmt.Sprintf("%s, which a function defines for itself and a kernel needs, %s", strings.Join(names, ", "), why), "define it outside of functions"))
	}

	whole := d.Kind == parser.KindTypeDefinition || d.Parent.Kind == parser.KindCompoundStatement || d.Parent.Kind == parser.KindDeclaration && d.Parent.Child(parser.FieldDeclarator) == nil
	if !t.isExact(d) {
		refuse("comes from a macro")
	}
	for _, name := range names {
		if t.definedElsewhere(name, d) {
			refuse("is the name of something else, too")
		}
	}
	for _, v := range t.variablesIn(d) {
		if !v.global {
			refuse("depends on the variable " + v.name)
		}
	}
	from, to := t.rangeOf(d)
	text := strings.Join(layout.Dedent(string(t.file.Src[from:to]), t.indentAt(from)), "\n")
	t.ahead(t.above(f), strings.TrimSuffix(text, ";")+";\n\n")
	if !whole {
		t.edits.Replace(from, to, bareType(t.source, d)) // struct pair { … } p;
		return
	}
	from, to = t.wholeLines(from, to+len(t.file.Src[to:])-len(bytes.TrimLeft(t.file.Src[to:], " ;")))
	t.edits.Replace(from, to, "")
}

// definedElsewhere reports whether a name is declared outside of a definition.
func (u *unit) definedElsewhere(name string, d *parser.Node) bool {
	elsewhere := func(s *source, n *parser.Node) bool { return s != u.source || !within(n, d) }
	return u.functionNamed(name) != nil || slices.ContainsFunc(u.byName[name], func(v *variable) bool { return elsewhere(v.src, v.decl) }) ||
		slices.ContainsFunc(u.sources(), func(s *source) bool {
			return s.tree.Root.Any(func(n *parser.Node) bool { return elsewhere(s, n) && slices.Contains(s.defined(n), name) })
		})
}

func (t *translation) nameStructures() {
	named := map[*parser.Node]string{}
	for _, p := range computing(t.pragmas) {
		for _, v := range t.variablesIn(p.stmt) {
			if v.src != t.source || v.decl == nil || v.path != "" {
				continue
			}
			n := v.decl.Child(parser.FieldType)
			if n == nil || !isTag(n) || n.Kind == parser.KindEnumSpecifier || n.Child(parser.FieldBody) == nil || n.Child(parser.FieldName) != nil {
				continue
			}
			word := t.text(n.First)
			if named[n] == "" {
				named[n] = t.unused(v.name + "_" + word)
				_, at := t.rangeOf(n.First)
				t.edits.Insert(at, " "+named[n])
			}
			for _, w := range t.vars {
				if w.decl == v.decl {
					w.base, w.resolved = word+" "+named[n], word+" "+named[n]
				}
			}
		}
	}
}

// wordsOfHeaders defines words of C that headers have and C++ does not, before the first of them.
func (t *translation) wordsOfHeaders() {
	first := slices.IndexFunc(t.file.Includes, func(i parser.Include) bool {
		return !t.file.Macros.Dead(i.Pos) && slices.ContainsFunc(t.headers, func(h *source) bool { return h.file.Name == i.File })
	})
	if first < 0 {
		return
	}
	all := maps.Clone(words.OfC)
	all["restrict"], all["_Bool"] = "__restrict__", "bool"
	for _, h := range t.headers {
		for _, k := range h.file.Tokens() {
			if w := string(h.file.Src[k.Start:k.End]); all[w] != "" && !h.file.Macros.Dead(k.Start) {
				t.edits.Insert(t.file.Includes[first].Pos, fmt.Sprintf("#define %s %s // for %s\n", w, all[w], filepath.Base(h.file.Name)))
				all[w] = ""
			}
		}
	}
}
