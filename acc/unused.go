package acc

import (
	"bytes"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// dropUnused takes out declarations of variables that only compute constructs mentioned and
// the host mentions no more: a compiler would warn of them. generated is the text that stands
// for the constructs of a function.
func (t *translation) dropUnused(generated map[*parser.Function]string) {
	for _, f := range t.tree.Functions {
		text, ok := generated[f]
		if !ok {
			continue
		}
		words := map[string]bool{}
		for _, w := range identifier.FindAllString(text, -1) {
			words[w] = true
		}
		byDecl := map[*parser.Node][]*variable{}
		var order []*parser.Node
		for _, v := range t.vars {
			if v.src == t.source && !v.param && !v.global && within(v.decl, f.Body) && v.decl.Kind == parser.KindDeclaration && v.declarator.Kind != parser.KindInitDeclarator &&
				!t.inCompute(v.decl) && !words[v.name] && t.onlyInConstructs(f, v) {
				if byDecl[v.decl] == nil {
					order = append(order, v.decl)
				}
				byDecl[v.decl] = append(byDecl[v.decl], v)
			}
		}
		for _, d := range order {
			t.dropFrom(d, byDecl[d])
		}
	}
}

// dropStatic does the same for static variables of the file without a first value, which now
// only the device has.
func (t *translation) dropStatic() {
	words := map[string]bool{}
	for _, text := range t.generated {
		for _, w := range identifier.FindAllString(text, -1) {
			words[w] = true
		}
	}
	byDecl := map[*parser.Node][]*variable{}
	for _, v := range t.vars {
		if v.src != t.source || !v.global || !v.isStatic || words[v.name] || v.declarator.Kind == parser.KindInitDeclarator {
			continue
		}
		inside, outside := false, false
		t.tree.Root.Walk(func(n *parser.Node) bool {
			if n.Kind == parser.KindIdentifier && t.variableOf(n) == v && !t.declares(n) {
				inside, outside = inside || t.inCompute(n), outside || !t.inCompute(n)
			}
			return !outside
		})
		if inside && !outside {
			byDecl[v.decl] = append(byDecl[v.decl], v)
		}
	}
	for d, gone := range byDecl {
		t.dropFrom(d, gone)
	}
}

// onlyInConstructs reports whether a variable is mentioned, and by compute constructs alone.
func (t *translation) onlyInConstructs(f *parser.Function, v *variable) bool {
	inside, outside := false, false
	f.Body.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindIdentifier && t.variableOf(n) == v && !t.declares(n) {
			if t.inCompute(n) {
				inside = true
			} else {
				outside = true
			}
		}
		return !outside
	})
	return inside && !outside
}

// dropFrom takes variables out of a declaration, all of it where none is left.
func (t *translation) dropFrom(d *parser.Node, gone []*variable) {
	if !t.isExact(d) {
		return
	}
	var all []*parser.Node
	for c := d.First; c != nil; c = c.Next {
		if c.Field == parser.FieldDeclarator {
			all = append(all, c)
		}
	}
	isGone := func(n *parser.Node) bool {
		for _, v := range gone {
			if v.declarator == n {
				return true
			}
		}
		return false
	}
	src := t.file.Src
	if len(all) == len(gone) {
		from, to := t.rangeOf(d)
		start := bytes.LastIndexByte(src[:from], '\n') + 1
		if end := bytes.IndexByte(src[to:], '\n'); end >= 0 && strings.TrimSpace(string(src[start:from])) == "" && strings.TrimSpace(string(src[to:to+end])) == "" {
			from, to = start, to+end+1
		}
		t.edits.Replace(from, to, "")
		return
	}
	var kept []string
	for _, n := range all {
		if !t.isExact(n) {
			return
		}
		if !isGone(n) {
			from, to := t.rangeOf(n)
			kept = append(kept, string(src[from:to]))
		}
	}
	from, _ := t.rangeOf(all[0])
	_, to := t.rangeOf(all[len(all)-1])
	t.edits.Replace(from, to, strings.Join(kept, ", "))
}
