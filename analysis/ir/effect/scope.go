package effect

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// Scope holds the declarations that the functions of a translation unit see.
type Scope struct {
	// Trusted is a namespace whose classes the caller knows, "" for none: they are a library's.
	Trusted string

	files  []*parser.File
	cache  *ir.Cache
	lower  func(*parser.File, *parser.Function) *ir.Func
	global func(name string) *ir.Var
	names  *TypeNames

	classes    map[string][]*Class
	merged     map[string]*Class          // see anyOf
	functions  map[string][]ir.Definition // with a body or without, by name
	members    map[string][]ir.Definition // by class
	anonymous  map[string]*parser.Class   // by the name that a typedef gives them
	bodies     map[*parser.Function]*Effect
	types      map[*ir.Expr]Type // of variables' initialisers on the way: a cycle has no type
	launched   map[*parser.Function]map[string]Type
	resolving  map[*ir.Func]bool
	qualifiers map[string]bool // those that the files declare, see declares
}

// Files are the files that a file sees and is seen with: itself, first, the files that include it, and all that
// these include.
func Files(prog *parser.Program, f *parser.File) (out []*parser.File) {
	seen := map[*parser.File]bool{}
	for _, top := range append([]*parser.File{f}, prog.Including(f)...) {
		for _, r := range prog.Reach(top) {
			if !seen[r] {
				seen[r] = true
				out = append(out, r)
			}
		}
	}
	return out
}

// NewScope prepares what some files see of one another. lower returns the lowered form of a function
// and global finds a variable at namespace scope, nil for none.
func NewScope(files []*parser.File, cache *ir.Cache, names *TypeNames, lower func(*parser.File, *parser.Function) *ir.Func, global func(string) *ir.Var) *Scope {
	s := &Scope{
		files: files, cache: cache, lower: lower, global: global, names: names,
		classes: map[string][]*Class{}, merged: map[string]*Class{}, functions: map[string][]ir.Definition{}, members: map[string][]ir.Definition{},
		anonymous: map[string]*parser.Class{}, bodies: map[*parser.Function]*Effect{}, types: map[*ir.Expr]Type{},
		launched:  map[*parser.Function]map[string]Type{},
		resolving: map[*ir.Func]bool{}, qualifiers: map[string]bool{},
	}
	for _, f := range files {
		for _, fn := range f.Functions {
			d := ir.Definition{File: f, Fn: fn}
			s.functions[fn.Name] = append(s.functions[fn.Name], d)
			if fn.Class != "" {
				s.members[fn.Class] = append(s.members[fn.Class], d)
			}
		}
		for _, c := range f.Classes {
			name := c.Name
			if p := c.Node.Parent; name == "" && p != nil && p.Kind == parser.KindTypeDefinition {
				if d := p.Child(parser.FieldDeclarator); d != nil && d.Kind == parser.KindTypeIdentifier {
					name = f.Text(d)
				}
			}
			s.classes[name] = append(s.classes[name], &Class{Name: name, scope: s, file: f, view: c})
		}
	}
	return s
}

// Class is a class, struct or union of the program.
type Class struct {
	Name  string
	scope *Scope
	file  *parser.File
	view  *parser.Class
	any   []*Class // for one that stands for all of a name: each may be meant

	read     bool
	vars     []*ir.Var
	bases    []string
	foreign  bool       // a base is of no file in view
	volatile bool       // a member is
	defaults []*ir.Expr // what members begin with
	inside   *ir.Func   // see inClass
	judged   judgement
}

// look reads the members.
func (c *Class) look() {
	if c.read {
		return
	}
	c.read = true
	if r := ir.LowerClass(c.scope.cache, c.file, c.view); r != nil {
		c.vars = r.Members
	}
	for n := c.view.Node.First; n != nil; n = n.Next {
		if n.Kind != parser.KindBaseClassClause {
			continue
		}
		for b := n.FirstNamed(); b != nil; b = b.NextNamed() {
			if b.Kind != parser.KindAccessSpecifier {
				base := lastName(c.file.Text(b))
				c.bases = append(c.bases, base)
				c.foreign = c.foreign || len(c.scope.classes[base]) == 0 && c.scope.named(&ir.Func{File: c.file}, c.file.Text(b)).Kind != Library
			}
		}
	}
	for _, v := range c.vars {
		c.volatile = c.volatile || v.Type.Volatile || c.scope.names.volatile[v.Type.Base]
		if v.Type.Ptr == 0 && v.Type.Base != c.Name {
			for _, of := range c.scope.classes[lastName(v.Type.Base)] {
				of.look()
				c.volatile = c.volatile || of.volatile
			}
		}
	}
	for _, b := range c.bases {
		for _, of := range c.scope.classes[b] {
			of.look()
			c.volatile = c.volatile || of.volatile
		}
	}
	if c.view.Body == nil {
		return
	}
	for n := c.view.Body.FirstNamed(); n != nil; n = n.NextNamed() {
		if d := n.Child(parser.FieldDefaultValue); n.Kind == parser.KindFieldDeclaration && d != nil {
			c.defaults = append(c.defaults, ir.LowerValue(c.scope.cache, c.file, d))
		}
	}
}

// member finds a data member, those of base classes included; ok is false where the class may have one
// that is not in view. Where several classes have the name of the class or of a base, all that have such a
// member must agree on its type.
func (c *Class) member(name string) (v *ir.Var, of *Class, ok bool) {
	ok = true
	agree := true
	seen := map[*Class]bool{}
	var visit func(c *Class)
	visit = func(c *Class) {
		if seen[c] || !ok || !agree {
			return
		}
		seen[c] = true
		c.look()
		for _, w := range c.vars {
			if w.Name == name {
				agree = v == nil || c.scope.declared(c.inClass(), w) == c.scope.declared(of.inClass(), v)
				if v == nil {
					v, of = w, c
				}
				return // it hides those of bases
			}
		}
		for _, one := range c.any {
			visit(one)
		}
		for _, b := range c.bases {
			list := c.scope.classes[b]
			ok = ok && len(list) > 0 && (len(list) > 1 || list[0] != c)
			for _, one := range list {
				visit(one)
			}
		}
	}
	visit(c)
	if !ok || !agree {
		return nil, nil, false
	}
	return v, of, true
}

// ancestry are the names of a class and its base classes, each once: classes of one name, in other
// namespaces, may have one another for bases. ok is false where one is not in view.
func (c *Class) ancestry() (names []string, ok bool) {
	ok = true
	seen := map[*Class]bool{}
	var visit func(c *Class)
	visit = func(c *Class) {
		if seen[c] {
			return
		}
		seen[c] = true
		c.look()
		names = lists.Add(names, c.Name)
		for _, b := range c.bases {
			ok = ok && len(c.scope.classes[b]) > 0
			for _, of := range c.scope.classes[b] {
				visit(of)
			}
		}
	}
	visit(c)
	return names, ok
}

// methods are the functions of a class and its base classes that have a name.
func (c *Class) methods(fits func(d ir.Definition) bool) (out []ir.Definition) {
	names, _ := c.ancestry()
	for _, name := range names {
		for _, d := range c.scope.members[name] {
			if fits(d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// classOf returns the class that a function is a member of, nil for none or several.
func (s *Scope) classOf(fn *ir.Func) *Class {
	if fn.View == nil || fn.View.Class == "" {
		return nil
	}
	list := s.classes[fn.View.Class]
	if len(list) == 1 {
		return list[0]
	}
	return lists.Find(list, func(c *Class) bool {
		return c.file == fn.File && c.view.Node.Start <= fn.View.Node.Start && fn.View.Node.End <= c.view.Node.End
	})
}

// LastName is a name without what qualifies it and its template arguments.
func lastName(name string) string {
	name, _, _ = strings.Cut(name, "<")
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	return strings.TrimSpace(name)
}

// Takes reports whether a function can be called with n arguments; where n is negative, with -1-n or more.
func Takes(fn *parser.Function, n int) bool {
	least, most := 0, len(fn.Params)
	for _, q := range fn.Params {
		if q.Variadic {
			most = 1 << 20
		} else if q.Default == nil {
			least++
		}
	}
	if n < 0 {
		return ^n <= most
	}
	return least <= n && n <= most
}

// written reports whether a function's declaration says that the compiler makes it, or that there is none.
func (s *Scope) written(d ir.Definition, how string) bool {
	if d.Fn.Body != nil {
		return false
	}
	words := strings.Fields(strings.NewReplacer("=", " = ", ";", " ; ").Replace(d.File.Text(d.Fn.Node)))
	i := slices.Index(words, "=")
	return i >= 0 && slices.Contains(words[i:], how)
}
