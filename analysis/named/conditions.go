package named

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
)

// Condition is one of the preprocessor that macros in view decide: the text that it leaves out is not analysed.
type Condition struct {
	Text  string // such as MODE == 1, defined(FAST)
	Holds bool
	Seen  bool // it is decided alike at the top of the kernel
}

var conditional = regexp.MustCompile(`^\s*#\s*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(.*)`)

// Conditions returns the decided conditions that stand in the kernel and in the functions that it calls, those around
// these functions, and those that choose classes and macros that they name, each once.
func Conditions(k *analysis.Kernel) []Condition {
	type key struct{}
	return analysis.Once(&k.Memo, key{}, func() []Condition { return conditions(k) })
}

func conditions(k *analysis.Kernel) (out []Condition) {
	add := func(decided []decidedAt) {
		for _, c := range decided {
			if c.Seen = decidesAlike(k, c); !slices.ContainsFunc(out, func(o Condition) bool { return o == c.Condition }) {
				out = append(out, c.Condition)
			}
		}
	}
	for _, fn := range k.Functions {
		if fn.View.Node != nil {
			add(conditionsOf(k.Prog, fn.File, int(fn.View.Node.Start), int(fn.View.Node.End), fn != k.Func))
		}
	}
	add(chosen(k))
	return out
}

// decidedAt is a condition and where it stands.
type decidedAt struct {
	Condition
	file *parser.File
	at   int
}

// branching is a directive that decides which text is compiled.
type branching struct {
	decidedAt
	word    string // if, ifdef, ifndef, elif, elifdef, elifndef, else, endif
	decided bool
}

// branchings are those of a file, by position.
func branchings(p *analysis.Program, f *parser.File) []branching {
	type key struct{ f *parser.File }
	return analysis.Once(&p.Memo, key{f}, func() []branching {
		var out []branching
		directives := parser.Directives(f.Src)
		for i, d := range directives {
			m := conditional.FindStringSubmatch(plainDirective(f.Src[d[0]:d[1]]))
			if m == nil {
				continue
			}
			b := branching{word: m[1]}
			if b.decidedAt, b.decided = conditionAt(f, m[1], strings.TrimSpace(m[2]), d[0]); m[1] == "ifndef" && i+1 < len(directives) {
				b.decided = b.decided && !isGuard(f, m[2], directives[i+1])
			}
			b.at = d[0]
			out = append(out, b)
		}
		return out
	})
}

// conditionsOf are the decided conditions between two places of a file and, where around is set, of the groups that
// the first one is in.
func conditionsOf(p *analysis.Program, f *parser.File, start, end int, around bool) (out []decidedAt) {
	var open [][]decidedAt // groups around the place
	for _, b := range branchings(p, f) {
		switch {
		case b.at >= end:
		case b.at >= start:
			if b.decided {
				out = append(out, b.decidedAt)
			}
		case b.word == "endif":
			open = open[:max(0, len(open)-1)]
		default:
			if strings.HasPrefix(b.word, "if") {
				open = append(open, nil)
			}
			if last := len(open) - 1; last >= 0 && b.decided {
				open[last] = append(open[last], b.decidedAt)
			}
		}
	}
	if around {
		out = append(out, slices.Concat(open...)...)
	}
	return out
}

// conditionAt is the condition of a directive; decided is false if nothing in view decides it, or only the compiler does.
func conditionAt(f *parser.File, directive, text string, at int) (c decidedAt, decided bool) {
	holds, known := f.Macros.Decided(at)
	switch strings.TrimPrefix(directive, "el") {
	case "ifdef":
		text = "defined(" + text + ")"
	case "ifndef":
		text, holds = "defined("+text+")", !holds
	case "if":
	default:
		return c, false
	}
	ofProgram := func(name string) bool { return name != "defined" && !strings.HasPrefix(name, "__") }
	return decidedAt{Condition{Text: text, Holds: holds}, f, at}, known && slices.ContainsFunc(parser.Names(text), ofProgram)
}

// isGuard reports whether a directive defines a name: #ifndef in front of it has the file read once, or gives a default.
func isGuard(f *parser.File, name string, d [2]int) bool {
	words := strings.Fields(strings.Replace(plainDirective(f.Src[d[0]:d[1]]), "#", "# ", 1))
	return len(words) >= 3 && words[1] == "define" && words[2] == strings.TrimSpace(name)
}

// decidesAlike reports whether the macros of a condition are the same at the top of the kernel.
func decidesAlike(k *analysis.Kernel, c decidedAt) bool {
	seen := map[string]bool{}
	var alike func(text string) bool
	alike = func(text string) bool {
		for _, name := range parser.Names(text) {
			if seen[name] {
				continue
			}
			seen[name] = true
			m, _ := c.file.Macros.Lookup(name, c.at)
			top, _ := k.File.Macros.Lookup(name, int(k.View.Body.Start))
			if !analysis.SameMacro(m, top) || m != nil && !alike(m.Body) {
				return false
			}
		}
		return true
	}
	return alike(c.Text)
}

// plainDirective is a directive on one line, without comments.
func plainDirective(text []byte) string {
	return comment.ReplaceAllString(strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(string(text)), " ")
}

var comment = regexp.MustCompile(`/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|//.*`)
