package named

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// What a kernel names may be another thing where macros are others: a class or a macro that a condition at namespace scope
// chooses. Types and macros that are numbers under every condition are left out: what rests on their sizes and
// values is checked as such.

// chosen are the conditions that decide about the classes, types and macros that the kernel's functions name, directly
// or through others of them.
func chosen(k *analysis.Kernel) (out []decidedAt) {
	files := k.Prog.Unit(k.File).Files
	if !slices.ContainsFunc(files, func(f *parser.File) bool {
		return slices.ContainsFunc(branchings(k.Prog, f), func(b branching) bool { return b.decided })
	}) {
		return nil
	}
	seen := map[string]bool{}
	var names []string
	use := func(text []byte) {
		for _, name := range parser.Names(string(text)) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	for _, fn := range k.Functions {
		if fn.View.Node != nil {
			use(fn.File.Src[fn.View.Node.Start:fn.View.Node.End])
		}
	}
	for i := 0; i < len(names); i++ {
		for _, f := range files {
			for _, d := range declaredAs(k.Prog, f)[names[i]] {
				use(d.text)
				if len(d.conditions) > 0 && !isNumberEverywhere(files, names[i]) {
					out = append(out, d.conditions...)
				}
			}
		}
	}
	return out
}

// declared is a class, another name for a type, or a macro.
type declared struct {
	text       []byte
	conditions []decidedAt // in it and around it
}

// declaredAs are the classes, types and macros of a file outside of functions, by name.
func declaredAs(p *analysis.Program, f *parser.File) map[string][]declared {
	type key struct{ f *parser.File }
	return analysis.Once(&p.Memo, key{f}, func() map[string][]declared {
		out := map[string][]declared{}
		add := func(name string, text []byte, start, end int) {
			out[name] = append(out[name], declared{text, conditionsOf(p, f, start, end, true)})
		}
		f.Declared(func(name string, d *parser.Node) { add(name, f.Src[d.Start:d.End], int(d.Start), int(d.End)) })
		for _, m := range f.Macros.All() {
			if m.File == f.Name {
				add(m.Name, []byte(m.Body), m.Pos, m.Pos)
			}
		}
		return out
	})
}

// isNumberEverywhere reports whether the files' texts say what a name is, and wherever they do it is a type of numbers, or a
// number.
func isNumberEverywhere(files []*parser.File, name string) bool {
	q := regexp.QuoteMeta(name)
	says := regexp.MustCompile(`(?m)\btypedef\s+([^;{}]*?)\s*\b` + q + `\s*;|\busing\s+` + q + `\s*=([^;]*);|^\s*#\s*define\s+` + q + `\b(.*)$|\b(?:class|struct|union|enum)\s+(` + q + `)\b|\}\s*(` + q + `)\s*;`)
	said := false
	for _, f := range files {
		for _, m := range says.FindAllSubmatch(f.Src, -1) {
			means := strings.TrimSpace(string(slices.Concat(m[1], m[2], m[3])))
			if m[4] != nil || m[5] != nil || !isNumberText(means) {
				return false
			}
			said = true
		}
	}
	return said
}

// isNumberText reports whether a text is a type of numbers, or a literal.
func isNumberText(text string) bool {
	if _, _, ok := ir.PartsOf(text); ok {
		return true
	}
	text = strings.TrimRight(strings.Trim(text, "()"), "uUlLfF")
	_, err := strconv.ParseFloat(text, 64)
	_, inInt := strconv.ParseInt(text, 0, 64)
	return err == nil || inInt == nil
}
