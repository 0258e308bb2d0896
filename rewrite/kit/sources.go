package kit

import (
	"slices"
	"sort"
	"strings"

	"github.com/smux-cuda/smux/analysis"

	"github.com/smux-cuda/smux/parser"
)

// Sources are the files of a program that a run changes, and those that it looks at.
type Sources struct {
	Prog     *analysis.Program
	Headers  []*parser.File // files for context
	Editable map[*parser.File]bool
	used     map[*parser.File]map[string]bool // see UsedNames
}

// NewSources returns the files of a program: those that were named may change.
func NewSources(prog *analysis.Program) *Sources {
	r := &Sources{Prog: prog, Editable: map[*parser.File]bool{}, used: map[*parser.File]map[string]bool{}}
	for _, f := range prog.Parsed.Files {
		r.Editable[f] = true
	}
	for _, h := range prog.Parsed.Headers {
		r.Headers = append(r.Headers, h)
	}
	sort.Slice(r.Headers, func(i, j int) bool { return r.Headers[i].Name < r.Headers[j].Name })
	return r
}

// UsedNames are the names that using declarations bring into view of a file.
func (r *Sources) UsedNames(f *parser.File) map[string]bool {
	if used := r.used[f]; used != nil {
		return used
	}
	used := map[string]bool{}
	for _, f := range r.Prog.View(f) {
		f.Root.Walk(func(n *parser.Node) bool {
			if n.Kind != parser.KindUsingDeclaration {
				return true
			}
			words := strings.Fields(strings.NewReplacer("::", " ", ";", " ").Replace(f.Text(n)))
			if len(words) > 1 && words[1] == "namespace" {
				used[EveryName] = true
			} else {
				used[words[len(words)-1]] = true
			}
			return false
		})
	}
	r.used[f] = used
	return used
}

// IsLocal reports whether a mention is of a local variable or parameter that happens to have the kernel's name.
func (r *Sources) IsLocal(f *parser.File, n *parser.Node) bool {
	name := f.Text(n)
	for _, fn := range f.Functions {
		if fn.Body == nil || fn.Error != nil || n.Start < fn.Body.Start || n.End > fn.Body.End {
			continue
		}
		lowered := r.Prog.Lower(f, fn)
		for _, v := range slices.Concat(lowered.Vars, lowered.Params, lowered.TParams) {
			if v.Name == name && v.Range.Start <= int(n.Start) {
				return true
			}
		}
	}
	return false
}

// InDeclarator reports whether an identifier names something else that is
// declared here: a variable, a parameter, a field.
func InDeclarator(n *parser.Node) bool {
	return n.Field == parser.FieldDeclarator && n.Parent != nil && n.Parent.Kind != parser.KindArgumentList
}

// EveryName stands for the names of a namespace that a using directive names.
const EveryName = "*"
