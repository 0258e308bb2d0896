package sizes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
)

// variable is a name in a function, or outside of all where that is nil.
type variable struct {
	in   *parser.Function
	name string
}

// scope is a function with what its body says of variables.
type scope struct {
	file *parser.File
	fn   *parser.Function
	from map[string][]string // texts that a variable is made or assigned from
	call []call
}

type call struct {
	of   string
	args []string
}

// flow tells of a program's host code where a variable has its value from. It does not follow the order of
// statements, nor objects: what may be the source of a value is one.
type flow struct {
	scopes []*scope
	byName map[string][]*scope
	of     map[*parser.Function]*scope
}

func newFlow(p *parser.Program) *flow {
	out := &flow{byName: map[string][]*scope{}, of: map[*parser.Function]*scope{}}
	for _, f := range p.Files {
		for _, fn := range f.Functions {
			if fn.Body == nil || fn.IsKernel() {
				continue
			}
			s := &scope{file: f, fn: fn, from: map[string][]string{}}
			for n := range fn.Body.All() {
				s.read(n)
			}
			out.scopes = append(out.scopes, s)
			out.byName[fn.Name] = append(out.byName[fn.Name], s)
			out.of[fn] = s
		}
	}
	return out
}

// read takes a node into account.
func (s *scope) read(n *parser.Node) {
	made := func(to, from *parser.Node) {
		if name := word.FindString(s.file.Text(to)); name != "" && from != nil {
			s.from[name] = append(s.from[name], s.file.Text(from))
		}
	}
	switch n.Kind {
	case parser.KindInitDeclarator:
		made(n.Child(parser.FieldDeclarator), n.Child(parser.FieldValue))
	case parser.KindFunctionDeclarator: // dim3 block(x, y);
		made(n.Child(parser.FieldDeclarator), n.Child(parser.FieldParameters))
	case parser.KindAssignmentExpression:
		made(n.Child(parser.FieldLeft), n.Child(parser.FieldRight))
	case parser.KindCallExpression:
		callee, list := n.Child(parser.FieldFunction), n.Child(parser.FieldArguments)
		if callee == nil || list == nil {
			return
		}
		name := s.file.Text(callee)
		if at := strings.IndexByte(name, '<'); at >= 0 {
			name = name[:at]
		}
		names := word.FindAllString(name, -1)
		if len(names) == 0 {
			return
		}
		c := call{of: names[len(names)-1]}
		for a := list.FirstNamed(); a != nil; a = a.NextNamed() {
			c.args = append(c.args, s.file.Text(a))
		}
		s.call = append(s.call, c)
	}
}

// sources are all variables that the value of a text in a function may come from, through
// other variables, arguments, and parameters that a called function writes.
func (w *flow) sources(fn *parser.Function, text string) map[variable]bool {
	out := map[variable]bool{}
	var open []variable
	add := func(fn *parser.Function, text string) {
		for _, name := range word.FindAllString(text, -1) {
			if v := (variable{fn, name}); !out[v] {
				out[v] = true
				open = append(open, v)
			}
		}
	}
	add(fn, text)
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		s := w.of[v.in]
		if s == nil {
			continue
		}
		for _, text := range s.from[v.name] {
			add(v.in, text)
		}
		if i := slices.IndexFunc(v.in.Params, func(p parser.Param) bool { return p.Name == v.name }); i >= 0 {
			for _, caller := range w.scopes {
				for _, c := range caller.call {
					if c.of == v.in.Name && i < len(c.args) {
						add(caller.fn, c.args[i])
					}
				}
			}
		}
		for _, c := range s.call {
			for i, arg := range c.args {
				if strings.TrimLeft(arg, "& ") != v.name {
					continue
				}
				for _, called := range w.byName[c.of] {
					if called.writes(i) {
						add(called.fn, called.fn.Params[i].Name)
					}
				}
			}
		}
	}
	return out
}

// writes reports whether a function can change what its caller gives for a parameter.
func (s *scope) writes(i int) bool {
	if i >= len(s.fn.Params) || s.fn.Params[i].Name == "" {
		return false
	}
	text := s.file.Text(s.fn.Params[i].Node)
	return strings.ContainsAny(text, "&*") && !strings.Contains(text, "const")
}

// followed tells where the sizes of a kernel come from in the host code.
type followed struct {
	what    string
	from    map[variable]bool
	offered []int64 // values among which the program chooses, nil for any
}

// follow returns where the block shape, the dynamic shared memory and the template
// arguments of a kernel's launches come from.
func (w *flow) follow(k *analysis.Kernel) (out []followed) {
	for _, l := range k.Launches {
		fn := l.View.Function
		if fn == nil {
			continue
		}
		for i, what := range []string{1: "block shape", 2: "dynamic shared memory"} {
			if what != "" && i < len(l.View.Config) {
				out = append(out, followed{what: what, from: w.sources(fn, l.View.ConfigText(l.File, i))})
			}
		}
		if condition, numbers := choice(l.File, l.View); condition != "" {
			out = append(out, followed{"template argument", w.sources(fn, condition), numbers})
		}
	}
	return out
}

// choice returns the condition by which a program chooses between launches of a kernel with
// other template arguments, and the numbers that it compares with and gives: the innermost if or
// switch around two of them. "" where there is none.
func choice(f *parser.File, l *parser.Launch) (condition string, numbers []int64) {
	if l.TemplateArgs == nil {
		return "", nil
	}
	for n := l.Node.Parent; n != nil; n = n.Parent {
		if n.Kind != parser.KindIfStatement && n.Kind != parser.KindSwitchStatement {
			continue
		}
		differ := false
		for _, other := range f.Launches {
			if other.Kernel == l.Kernel && other.TemplateArgs != nil && n.Start <= other.Node.Start && other.Node.End <= n.End {
				differ = differ || f.Text(other.TemplateArgs) != f.Text(l.TemplateArgs)
				numbers = append(numbers, numerals(f.Text(other.TemplateArgs))...)
			}
		}
		if at := n.Child(parser.FieldCondition); differ && at != nil {
			slices.Sort(numbers)
			return f.Text(at), slices.Compact(numbers)
		}
		numbers = nil
	}
	return "", nil
}

// numerals are the numbers in a text.
func numerals(text string) (out []int64) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'z') }) {
		if n, err := strconv.ParseInt(w, 10, 32); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// named reports whether a constant is among some variables: one of a function only there, others by their name.
func (c *Constant) named(among map[variable]bool) bool {
	at := uint32(c.Places[0][0])
	for _, fn := range c.File.Functions {
		if fn.Node.Start <= at && at < fn.Node.End {
			return among[variable{fn, c.name}]
		}
	}
	for v := range among {
		if v.name == c.name {
			return true
		}
	}
	return false
}
