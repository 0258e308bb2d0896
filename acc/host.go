package acc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/words"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// host makes of the C text outside of kernels what C++ takes.
func (t *translation) host() {
	for n := range t.tree.Root.All() {
		if !t.isExact(n) || t.inCompute(n) || t.dropped(n) {
			continue
		}
		if text, ok := t.inC(n); ok {
			t.replace(n, text)
		}
		t.convert(n)
		if open, shut := t.castOf(n); open != "" {
			t.wrap(n, open, shut)
		}
	}
}

// inCompute reports whether a node is in the text that a compute construct replaces.
func (t *translation) inCompute(n *parser.Node) bool {
	return t.isIn(n, func(p *pragma) bool { return p.Compute() })
}

// isIn reports whether a node is in a statement under a directive of which something is true.
func (t *translation) isIn(n *parser.Node, is func(*pragma) bool) bool {
	return slices.ContainsFunc(t.pragmas, func(p *pragma) bool { return is(p) && p.stmt != nil && within(n, p.stmt) })
}

var allocators = map[string]bool{"malloc": true, "calloc": true, "realloc": true, "aligned_alloc": true,
	"acc_malloc": true, "acc_copyin": true, "acc_create": true, "acc_deviceptr": true, "acc_hostptr": true,
	"acc_present_or_copyin": true, "acc_pcopyin": true, "acc_present_or_create": true, "acc_pcreate": true}

// abstract is the type of a pointer without a name.
func (v *variable) abstract() string {
	stars, rest := "", v.derived
	for ; len(rest) > 0 && rest[0].pointer; rest = rest[1:] {
		stars += "*"
	}
	if len(rest) == 0 || v.flat {
		return v.base + " " + stars
	}
	tail := variable{derived: rest}
	return fmt.Sprintf("%s (%s)%s", v.base, stars, tail.extents(0))
}

// dropped reports whether a node is in a declaration that is taken out or written anew.
func (t *translation) dropped(n *parser.Node) bool {
	from, _ := t.rangeOf(n)
	return slices.ContainsFunc(t.edits.Edits(), func(e edit.Edit) bool { return e.Start <= from && from < e.End })
}

// C converts a void pointer to any other by itself, and takes a string for a pointer to
// characters that may be changed; C++ wants both written.

// convert writes a conversion that C does by itself where a value goes to a pointer of another type.
func (t *translation) convert(n *parser.Node) {
	t.convertNumber(n)
	var given *variable
	switch n.Kind {
	case parser.KindCallExpression, parser.KindIdentifier, parser.KindSubscriptExpression, parser.KindFieldExpression, parser.KindCastExpression:
		given = t.typeOf(n)
		if given == nil || len(given.derived) == 0 || !given.isVoidPointer() && !given.isConst {
			return
		}
	case parser.KindStringLiteral, parser.KindConcatenatedString:
	default:
		return
	}
	to := t.target(n)
	if to == nil || !to.isPointer() || to.isVoidPointer() || given == nil && (to.isConst || len(to.derived) > 1 || to.resolved != "char") {
		return
	}
	if given != nil && !given.isVoidPointer() && (to.isConst || len(to.derived) != len(given.derived) || to.resolved != given.resolved) {
		return // what is const stays so, and other pointers are not to be mixed up
	}
	text := strings.TrimSpace(to.abstract())
	if to.isConst {
		text = "const " + text
	}
	t.wrap(n, "("+text+")", "")
}

func (v *variable) isVoidPointer() bool {
	return v != nil && v.resolved == "void" && len(v.derived) == 1 && v.derived[0].pointer
}

// C has one sqrt, for double: what it is called with is converted to that. C++ has others of the
// same name for float, and for integers one that no kernel can call. So the conversion is written.

// mathArguments are the parameters of functions of math.h: d of type double, i an int, - one that needs no conversion.
var mathArguments = func() map[string]string {
	out := map[string]string{"abs": "i", "frexp": "d-", "modf": "d-", "ldexp": "d-", "scalbn": "d-", "scalbln": "d-", "remquo": "dd-", "fma": "ddd"}
	for _, name := range strings.Fields(`acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor ilogb lgamma llrint
		llround log log10 log1p log2 logb lrint lround nearbyint rint round sin sinh sqrt tan tanh tgamma trunc`) {
		out[name] = "d"
	}
	for _, name := range strings.Fields("atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder") {
		out[name] = "dd"
	}
	return out
}()

// mathCast is the conversion that C does with an argument of a function of math.h, as text before and after it.
func (t *translation) mathCast(n *parser.Node) (open, shut string) {
	call := callOf(n)
	if call == nil || !n.Named() || n.Kind == parser.KindComment {
		return "", ""
	}
	name, i := t.callee(call), indexOf(n)
	takes := mathArguments[name]
	if i >= len(takes) || t.functionNamed(name) != nil {
		return "", ""
	}
	given := t.number(n)
	switch {
	case takes[i] == 'd' && given.Name != "double":
		open = "(double)"
	case takes[i] == 'i' && promoted(given) != ir.Int:
		open = "(int)"
	}
	if open == "" || isPrimary(n) {
		return open, ""
	}
	return open + "(", ")"
}

// castOf is the conversion that is written before and after a node, "" for none.
func (t *translation) castOf(n *parser.Node) (open, shut string) {
	if cast := t.rowCast(n); cast != "" {
		return cast, ""
	}
	return t.mathCast(n)
}

// dropUnused takes out declarations of variables that the host mentions no more: a compiler would warn of them.
func (t *translation) dropUnused() {
	gone := map[*parser.Node][]*variable{}
	drop := func(root *parser.Node, text string, is func(*variable) bool) {
		words := parser.Names(text)
		for _, v := range t.vars {
			if v.src != t.source || v.declarator.Kind == parser.KindInitDeclarator || !is(v) || slices.Contains(words, v.name) {
				continue
			}
			if uses := slices.Collect(t.usesIn(root, v)); len(uses) > 0 && lists.All(uses, t.inCompute) {
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

func (t *translation) dropFrom(d *parser.Node, gone []*variable) {
	all := declarators(d)
	switch {
	case !t.isExact(d):
	case len(all) == len(gone):
		from, to := t.wholeLines(t.rangeOf(d))
		t.edits.Replace(from, to, "")
	case lists.All(all, t.isExact):
		kept := lists.Filter(all, func(n *parser.Node) bool {
			return !slices.ContainsFunc(gone, func(v *variable) bool { return v.declarator == n })
		})
		from, to := t.original(int(all[0].Start), int(all[len(all)-1].End))
		t.edits.Replace(from, to, strings.Join(lists.Map(kept, t.spelled), ", "))
	}
}

// linkage gives C's linkage to what the file shares with the C files of its program, if there are others.
func (t *translation) linkage() {
	alone := t.functionNamed("main") != nil
	declares := func(f *parser.Function) bool { return f.Body == nil && f.Class == "" }
	foreign := func(s *source) bool {
		return slices.ContainsFunc(s.tree.Functions, func(f *parser.Function) bool { return declares(f) && t.functionNamed(f.Name) == nil })
	}
	var own []parser.Include // of headers that declare what this file defines
	wrap := func(inc parser.Include) {
		t.edits.Insert(inc.Pos, "extern \"C\" {\n")
		t.edits.Insert(inc.End, "\n}")
	}
	for _, inc := range t.file.Includes {
		for _, h := range t.headers {
			switch {
			case inc.File == "" || h.file.Name != inc.File || len(words.Linkages(h.file.Src)) > 0:
			case foreign(h):
				wrap(inc)
				alone = false
			case slices.ContainsFunc(h.tree.Functions, declares):
				own = append(own, inc)
			}
		}
	}
	if alone && !foreign(t.source) {
		return
	}
	for _, inc := range own {
		wrap(inc)
	}
	for _, f := range t.tree.Functions {
		if f.Quals&parser.QualStatic != 0 || f.Name == "main" || f.Class != "" || f.ExternC || f.Outer.Parent != t.tree.Root {
			continue
		}
		from := t.startOf(f)
		if text := string(t.file.Src[from:]); strings.HasPrefix(text, "extern") {
			t.edits.Insert(from+len("extern"), " \"C\"")
		} else {
			t.edits.Insert(from, "extern \"C\" ")
		}
	}
}
