package acc

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// dropUnused takes out declarations of variables that only compute constructs mentioned and
// the host mentions no more: a compiler would warn of them. So it does with static variables of the
// file without a first value, which now only the device has.
func (t *translation) dropUnused() {
	gone := map[*parser.Node][]*variable{}
	drop := func(root *parser.Node, text string, is func(*variable) bool) {
		words := map[string]bool{}
		for _, w := range identifier.FindAllString(text, -1) {
			words[w] = true
		}
		for _, v := range t.vars {
			if v.src == t.source && v.declarator.Kind != parser.KindInitDeclarator && !words[v.name] && is(v) && t.onlyInConstructs(root, v) {
				gone[v.decl] = append(gone[v.decl], v)
			}
		}
	}
	for f, text := range t.generated {
		if f != nil {
			drop(f.Body, text, func(v *variable) bool {
				return !v.param && !v.global && within(v.decl, f.Body) && v.decl.Kind == parser.KindDeclaration && !t.inCompute(v.decl)
			})
		}
	}
	all := strings.Join(slices.Collect(maps.Values(t.generated)), "\n")
	drop(t.tree.Root, all, func(v *variable) bool { return v.global && v.isStatic })
	for d, vars := range gone {
		t.dropFrom(d, vars)
	}
}

// onlyInConstructs reports whether a variable is mentioned, and by compute constructs alone.
func (t *translation) onlyInConstructs(root *parser.Node, v *variable) (inside bool) {
	for n := range t.usesIn(root, v) {
		if !t.inCompute(n) {
			return false
		}
		inside = true
	}
	return inside
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
	src := t.file.Src
	if len(all) == len(gone) {
		from, to := t.rangeOf(d)
		if end := bytes.IndexByte(src[to:], '\n'); end >= 0 && t.lineBefore(from) == t.lineStart(from) && strings.TrimSpace(string(src[to:to+end])) == "" {
			from, to = t.lineStart(from), to+end+1
		}
		t.edits.Replace(from, to, "")
		return
	}
	var kept []string
	for _, n := range all {
		if !t.isExact(n) {
			return
		}
		if !slices.ContainsFunc(gone, func(v *variable) bool { return v.declarator == n }) {
			from, to := t.rangeOf(n)
			kept = append(kept, string(src[from:to]))
		}
	}
	from, _ := t.rangeOf(all[0])
	_, to := t.rangeOf(all[len(all)-1])
	t.edits.Replace(from, to, strings.Join(kept, ", "))
}
