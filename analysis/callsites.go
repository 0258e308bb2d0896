package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// callSites are the places that call a function by its name.
type callSites struct {
	At []CallSite
	// Unclear is set if it is defined more than once, is named other than in
	// calls, or in macros: there may be calls that can't be seen.
	Unclear bool
	defined bool // by indexCalls: a definition was seen
}

// CallSite is a call of a host function.
type CallSite struct {
	File *parser.File
	Fn   *parser.Function // that it stands in, nil outside of functions
	Node *parser.Node     // the call
}

// CallsOf finds the calls of a host function in all files of the program.
func (p *Program) CallsOf(name string) *callSites {
	if p.calls == nil {
		p.calls = map[string]*callSites{}
		for _, f := range p.Parsed.Files {
			p.indexCalls(f)
		}
	}
	if c := p.calls[name]; c != nil {
		return c
	}
	return &callSites{}
}

// Launchers are the names of the host functions on the way to a launch: those
// with launches, and those that call them.
func (p *Program) Launchers() map[string]bool {
	type key struct{}
	return Once(&p.Memo, key{}, func() map[string]bool {
		out := map[string]bool{}
		var add func(fn *parser.Function)
		add = func(fn *parser.Function) {
			if fn == nil || out[fn.Name] {
				return
			}
			out[fn.Name] = true
			for _, c := range p.CallsOf(fn.Name).At {
				add(c.Fn)
			}
		}
		for _, l := range p.Launches {
			add(l.View.Function)
		}
		return out
	})
}

// indexCalls notes where a file names functions.
func (p *Program) indexCalls(f *parser.File) {
	defined := map[string]bool{}
	for _, fn := range f.Functions {
		if fn.Body != nil {
			c := p.sites(fn.Name)
			c.Unclear = c.Unclear || c.defined
			c.defined = true
		}
		defined[fn.Name] = true
	}
	for word := range p.MacroWords(f) {
		if defined[word] {
			p.sites(word).Unclear = true
		}
	}
	for _, fn := range f.Functions {
		if fn.Body == nil {
			continue
		}
		for n := range fn.Body.All() {
			if n.Kind == parser.KindIdentifier {
				p.indexName(f, fn, n)
			}
		}
	}
}

// indexName notes one use of a name in a function.
func (p *Program) indexName(f *parser.File, fn *parser.Function, n *parser.Node) {
	name := string(f.Src[n.Start:n.End])
	callee := n
	for callee.Parent != nil && (callee.Parent.Kind == parser.KindTemplateFunction || callee.Parent.Kind == parser.KindQualifiedIdentifier) {
		callee = callee.Parent
	}
	if call := callee.Parent; call != nil && call.Kind == parser.KindCallExpression && callee.Field == parser.FieldFunction {
		c := p.sites(name)
		c.At = append(c.At, CallSite{f, fn, call})
		return
	}
	if c := p.calls[name]; c != nil || len(p.Unit(f).ByName[name]) > 0 {
		p.sites(name).Unclear = true
	}
}

func (p *Program) sites(name string) *callSites {
	c := p.calls[name]
	if c == nil {
		c = &callSites{}
		p.calls[name] = c
	}
	return c
}

// GivenFunctions are the device functions that a template parameter of a function stands for: those whose names
// all texts in view give for it, f<g>(x). known is false where it is given something else, or nothing.
func (p *Program) GivenFunctions(fn *ir.Func, v *ir.Var, n int) (out []*ir.Func, known bool) {
	i := slices.Index(fn.TParams, v)
	if v == nil || v.Kind != ir.VarTemplateValue || i < 0 || fn.View == nil || i >= len(fn.View.Template) || fn.View.Template[i].Default != nil {
		return nil, false
	}
	known = true
	for _, f := range p.Unit(fn.File).Files {
		f.Root.Walk(func(n2 *parser.Node) bool {
			if n2.Kind != parser.KindTemplateFunction || f.Text(n2.Child(parser.FieldName)) != fn.View.Name {
				return known
			}
			arg := n2.Child(parser.FieldArguments).FirstNamed()
			for range i {
				if arg != nil {
					arg = arg.NextNamed()
				}
			}
			if arg == nil {
				known = false
				return false
			}
			fns := p.Candidates(fn.File, f.Text(arg), n, false)
			known = known && len(fns) > 0 && len(fns) == len(p.Unit(fn.File).ByName[f.Text(arg)])
			out = append(out, fns...)
			return known
		})
	}
	return out, known && len(out) > 0
}
