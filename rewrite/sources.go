package rewrite

import (
	"sort"
	"strings"

	"github.com/smux-cuda/smux/analysis"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// sources are the files of a program that a run changes, and those that it looks at.
type sources struct {
	prog     *analysis.Program
	headers  []*parser.File // files for context
	editable map[*parser.File]bool
	used     map[*parser.File]map[string]bool // see usedNames
}

func newSources(prog *analysis.Program) *sources {
	r := &sources{prog: prog, editable: map[*parser.File]bool{}, used: map[*parser.File]map[string]bool{}}
	for _, f := range prog.Parsed.Files {
		r.editable[f] = true
	}
	for _, h := range prog.Parsed.Headers {
		r.headers = append(r.headers, h)
	}
	sort.Slice(r.headers, func(i, j int) bool { return r.headers[i].Name < r.headers[j].Name })
	return r
}

// usedNames are the names that using declarations bring into view of a file.
func (r *sources) usedNames(f *parser.File) map[string]bool {
	if used := r.used[f]; used != nil {
		return used
	}
	used := map[string]bool{}
	for _, f := range r.prog.View(f) {
		f.Root.Walk(func(n *parser.Node) bool {
			if n.Kind != parser.KindUsingDeclaration {
				return true
			}
			words := strings.Fields(strings.NewReplacer("::", " ", ";", " ").Replace(f.Text(n)))
			if len(words) > 1 && words[1] == "namespace" {
				used[everyName] = true
			} else {
				used[words[len(words)-1]] = true
			}
			return false
		})
	}
	r.used[f] = used
	return used
}

// isLocal reports whether a mention is of a local variable or parameter that
// happens to have the kernel's name.
func (r *sources) isLocal(f *parser.File, n *parser.Node) bool {
	name := f.Text(n)
	for _, fn := range f.Functions {
		if fn.Body == nil || fn.Error != nil || n.Start < fn.Body.Start || n.End > fn.Body.End {
			continue
		}
		lowered := r.prog.Lower(f, fn)
		for _, v := range append(append([]*ir.Var{}, lowered.Vars...), lowered.Params...) {
			if v.Name == name && v.Range.Start <= int(n.Start) {
				return true
			}
		}
	}
	return false
}

// inDeclarator reports whether an identifier names something else that is
// declared here: a variable, a parameter, a field.
func inDeclarator(n *parser.Node) bool {
	return n.Field == parser.FieldDeclarator && n.Parent != nil && n.Parent.Kind != parser.KindArgumentList
}

// everyName stands for the names of a namespace that a using directive names.
const everyName = "*"
