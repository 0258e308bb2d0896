package ir

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// Cache holds expanded macros that were parsed before. The zero value is ready
// to use; it must not be used concurrently.
type Cache struct {
	// Trees keeps parsed text beyond this program; it may be nil.
	Trees *parser.Trees

	// Arithmetic returns the arithmetic type that a name stands for in a member
	// function of a class ("" for none); nil knows only what the language does.
	Arithmetic func(f *parser.File, class, name string) (base string, ok bool)

	// Namespace returns the library's namespace that another name stands for in a file, "" for none; nil knows none.
	Namespace func(f *parser.File, name string) string

	// Hidden holds names whose values are not to be known, macros and constants at namespace scope: each
	// stands for a variable that has one value for the whole grid.
	Hidden map[string]*Var
	// Assumes is set where a type that no file in view declares is taken for no class, unless Hidden has it: a check at the top
	// of the rewritten kernel says so.
	Assumes bool

	fragments map[fragmentKey]*parser.Fragment
	macros    map[*parser.File]*parser.Macros // but for hidden ones
}

// Macros returns the macros of a file that are not hidden.
func (c *Cache) Macros(f *parser.File) *parser.Macros {
	if len(c.Hidden) == 0 {
		return f.Macros
	}
	m, ok := c.macros[f]
	if !ok {
		m = f.Macros.Without(func(name string) bool { return c.Hidden[name] != nil })
		if c.macros == nil {
			c.macros = map[*parser.File]*parser.Macros{}
		}
		c.macros[f] = m
	}
	return m
}

// SizeName is the name of the size of a type parameter.
func SizeName(parameter string) string { return "sizeof(" + parameter + ")" }

// OperatorsOf and CopiesOf are the names under which it is hidden that a type of a kernel that no file in view declares is no
// class whose operators, or whose copies, have an effect.
func OperatorsOf(kernel, typ string) string { return "operators " + kernel + " " + typ }
func CopiesOf(kernel, typ string) string    { return "copies " + kernel + " " + typ }

// HidesType reports whether it is not to be used what launches give for a type parameter.
func (c *Cache) HidesType(parameter string) bool { return c.Hidden[SizeName(parameter)] != nil }

// Expression lowers text that stands for one expression in a file, outside of any function; nil where it is none.
func (c *Cache) Expression(f *parser.File, text string) *Expr {
	frag := c.fragment(text, parser.FragmentExpression)
	if frag == nil {
		return nil
	}
	return outside(c, f).expr(&source{text: frag.Src, file: f, frag: frag}, frag.Nodes[0])
}

// outside lowers what stands outside of functions, where a declarator that looks like a function is one.
func outside(c *Cache, f *parser.File) *lowerer {
	l := &lowerer{cache: c, fn: &Func{File: f, Body: &Stmt{Op: StmtCompound}}, file: f}
	l.push()
	return l
}

// LaunchIn lowers the configuration of the one launch of a kernel in expanded text, which stands in a host function; nil where
// there is none, or more.
func (c *Cache) LaunchIn(host *Func, kernel, text string) (config []*Expr) {
	frag := c.fragment(text+";", parser.FragmentStatements)
	if frag == nil {
		return nil
	}
	l := outside(c, host.File)
	for _, v := range slices.Concat(host.TParams, host.Params, host.Vars) {
		l.declare(v)
	}
	src := &source{text: frag.Src, file: host.File, frag: frag}
	launches := 0
	for _, root := range frag.Nodes {
		for n := range root.All() {
			if n.Kind != parser.KindArgumentList || !slices.ContainsFunc(frag.Marks, func(m parser.Mark) bool { return m.Kind == parser.MarkLaunch && m.ArgStart == int(n.Start)+1 }) {
				continue
			}
			launches++
			var of Expr
			l.name(src, n.Parent.Child(parser.FieldFunction).Child(parser.FieldArgument), &of)
			if of.Name == kernel {
				config = l.all(src, n)
			}
		}
	}
	if launches != 1 {
		return nil
	}
	return config
}

type fragmentKey struct {
	text string
	kind parser.FragmentKind
}

// fragment parses expanded text; nil means that it is not of that kind.
func (c *Cache) fragment(text string, kind parser.FragmentKind) *parser.Fragment {
	key := fragmentKey{text, kind}
	if f, ok := c.fragments[key]; ok {
		return f
	}
	f, err := c.Trees.Fragment(text, kind)
	if err != nil || kind == parser.FragmentExpression && len(f.Nodes) != 1 {
		f = nil
	}
	if c.fragments == nil {
		c.fragments = map[fragmentKey]*parser.Fragment{}
	}
	c.fragments[key] = f
	return f
}

// Lower lowers a function definition; fn.Body must not be nil. It never fails:
// what it can't express is listed in Problems.
func Lower(cache *Cache, file *parser.File, fn *parser.Function) *Func {
	return lower(cache, file, fn, hostInterest(file, fn))
}

func lower(cache *Cache, file *parser.File, fn *parser.Function, names interest) *Func {
	l := &lowerer{cache: cache, fn: &Func{File: file, View: fn}, file: file, interest: names}
	for _, v := range file.Launches {
		if int(fn.Body.Start) <= v.Open && v.Open < int(fn.Body.End) {
			l.launches = append(l.launches, v)
		}
	}
	c := &source{text: file.Src, file: file}
	l.push()
	l.classTypes(c, fn)
	for i := range fn.Template {
		tp := &fn.Template[i]
		kind := VarTemplateValue
		if tp.IsType {
			kind = VarTemplateType
		}
		v := &Var{Name: tp.Name, Kind: kind, File: file, Pack: tp.Pack}
		if !tp.IsType && tp.Node != nil {
			v.Type = l.typeOf(c, tp.Node)
		}
		l.fn.TParams = append(l.fn.TParams, v)
		l.declare(v)
	}
	for i := range fn.Params {
		p := &fn.Params[i]
		v := l.param(c, p)
		l.fn.Params = append(l.fn.Params, v)
		l.declare(v)
	}
	l.fn.Body = l.stmt(c, fn.Body, nil)
	l.pop()
	return l.fn
}

// source is the text that nodes refer to: the file, or one macro expansion.
type source struct {
	text []byte
	file *parser.File
	// frag is set for a macro expansion; at is then the range of the macro use
	// in the original, which every node of the expansion reports as its own.
	frag  *parser.Fragment
	at    Range
	depth int
}

func (c *source) str(n *parser.Node) string { return string(c.text[n.Start:n.End]) }

func (c *source) rng(n *parser.Node) Range {
	if c.frag != nil {
		return c.at
	}
	return Range{int(n.Start), int(n.End)}
}

// qualifiers returns the names of the masked qualifiers that stand between two offsets, "__shared__" for instance.
func (c *source) qualifiers(start, end int) (names []string, first int) {
	first = -1
	marks := c.marks(start, end)
	for _, m := range marks {
		if m.Kind == parser.MarkQualifier || m.Kind == parser.MarkMacro {
			if first < 0 {
				first = m.Start
			}
			names = append(names, m.Name)
		}
	}
	return names, first
}

func (c *source) marks(start, end int) []parser.Mark {
	if c.frag == nil {
		return c.file.MarksBetween(start, end)
	}
	return lists.Filter(c.frag.Marks, func(m parser.Mark) bool { return m.Start >= start && m.End <= end })
}

type lowerer struct {
	cache    *Cache
	interest interest        // names that matter, nil: all
	bodies   map[string]bool // bodyNames by macro
	fn       *Func
	file     *parser.File
	scopes   []map[string]*Var
	in       *Stmt                         // that is lowered
	valued   int                           // how many statement expressions are around it
	launches []*parser.Launch              // those in this function
	hole     *hole                         // that waits to be filled, nil for none
	before   map[*parser.Node]*parser.Node // the sibling before each node, of parents in listed
	listed   map[*parser.Node]bool
}

func (l *lowerer) push() { l.scopes = append(l.scopes, nil) }
func (l *lowerer) pop()  { l.scopes = l.scopes[:len(l.scopes)-1] }

func (l *lowerer) declare(v *Var) {
	top := len(l.scopes) - 1
	if l.scopes[top] == nil {
		l.scopes[top] = make(map[string]*Var, 8)
	}
	l.scopes[top][v.Name] = v
}

func (l *lowerer) lookup(name string) *Var {
	for i := len(l.scopes) - 1; i >= 0; i-- {
		if v := l.scopes[i][name]; v != nil {
			return v
		}
	}
	return nil
}

func (l *lowerer) problem(r Range, text string) {
	l.fn.Problems = append(l.fn.Problems, Problem{r, text})
}

// param lowers one function parameter.
func (l *lowerer) param(c *source, p *parser.Param) *Var {
	v := &Var{Name: p.Name, Kind: VarParam, File: c.file, Range: c.rng(p.Node), Pack: p.Variadic}
	quals, _ := c.qualifiers(int(p.Node.Start), int(p.Node.End))
	v.Type = l.typeOf(c, p.Node)
	if d := p.Node.Child(parser.FieldDeclarator); d != nil {
		l.declarator(c, d, v)
	}
	for _, q := range quals {
		if strings.HasPrefix(q, "__restrict") {
			v.Type.Restrict = true
		}
	}
	for _, m := range c.file.MarksBetween(int(p.Node.Start), int(p.Node.End)) {
		if stars := strings.Count(string(c.file.Src[m.Start:m.End]), "*"); m.Kind == parser.MarkFix && m.Name == parser.FixPackPointer {
			v.Type.Ptr += stars
			v.Type.PtrConst, v.Type.Const = v.Type.Const, false
		}
	}
	// An array parameter is a pointer.
	if len(v.Dims) > 0 && !v.Type.Ref {
		if v.Type.Ptr == 0 {
			v.Type.Rows = rowsOf(v.Type, v.Dims[1:])
		}
		if v.Type.Rows != nil && v.Type.Ptr == 1 {
			// To who knows no rows each extent is a level of pointers.
			v.Type.Ptr += len(v.Dims)
			v.Type.PtrConst, v.Type.Const = false, false
			v.Dims = nil
		}
		if len(v.Dims) == 1 {
			v.Type.Ptr++
			v.Type.PtrConst, v.Type.Const = v.Type.Const, false
			v.Dims = nil
		}
	}
	return v
}
