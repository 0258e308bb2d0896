package harness

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// Run is a specification that fits its kernel, with all expressions computed.
type Run struct {
	Spec   *Spec
	File   *parser.File // the file that holds the kernel
	Kernel *parser.Function
	Name   string // qualified, with template arguments
	Grid   [3]int64
	Block  [3]int64
	Shared int64   // bytes
	Values []Value // in the order of the kernel's parameters; fewer where defaults are left
	// Members are the arrays for pointers inside of parameters, by their paths: q.p.
	Members []Value
	Sets    []Value // members that are no pointers

	namespaces []string // around the kernel
}

// Value is the argument of one parameter of the kernel.
type Value struct {
	Name string
	Type string // of the parameter or of an element; "" where only the compiler knows it
	// Text is the value of a parameter that is not a pointer, in C; Buffer is set for all others.
	Text   string
	Buffer *Contents
	Cast   string // to a pointer to arrays, "" for none
}

// Contents is an array in device memory before the launch.
type Contents struct {
	Count  int64 // elements
	Size   string
	Fill   string // kind
	Values []float64
	Path   string
}

// Resolve checks a specification against the program that it is for. The error is an Errors.
func Resolve(p *parser.Program, s *Spec) (*Run, error) {
	d, err := s.find(p)
	if err != nil {
		return nil, Errors{}.With(err)
	}
	if d.Fn.Error != nil {
		return nil, Errors{s.named.wrong(CodeKernel, "", "smux can't parse the kernel %s", s.Kernel)}
	}
	arguments, err := s.TemplateArguments(d.Fn)
	if err != nil {
		return nil, Errors{}.With(err)
	}
	r := &Resolver{Spec: s, Definition: d, arguments: arguments, Busy: map[string]bool{}, Known: map[string]int64{}}
	r.run = &Run{Spec: s, File: d.File, Kernel: d.Fn, Name: d.qualified() + s.Template, namespaces: d.namespaces()}
	r.duplicates()
	r.deducible()
	r.launch()
	r.parameters()
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return r.run, nil
}

// resolver checks one specification.
type Resolver struct {
	*Spec
	*Definition
	arguments map[string]string // of the template
	run       *Run
	errs      Errors
	Busy      map[string]bool  // arguments whose values are being computed
	Known     map[string]int64 // those whose values are known: they may be many times in others
}

func (r *Resolver) note(err error) { r.errs = r.errs.With(err) }

// duplicates reports names that are given twice, and names that mean nothing:
// neither a parameter nor part of an expression.
func (r *Resolver) duplicates() {
	seen := map[string]bool{}
	used := r.usedNames()
	check := func(name string, at Phrase, mustBeParameter bool) {
		switch {
		case seen[name]:
			r.note(at.wrong(CodeParameter, "", "%s is given twice", name))
		case ParamNamed(r.Fn, name) == nil && (mustBeParameter || !used[name]):
			var free []string
			for _, p := range r.Fn.Params {
				if p.Name != "" && !r.gives(p.Name) {
					free = append(free, p.Name)
				}
			}
			r.note(at.wrong(CodeParameter, diag.DidYouMean(name, free, "there are"), "%s has no parameter %s", r.Fn.Name, name))
		}
		seen[name] = true
	}
	each := func(name string, at Phrase, mustBeParameter bool) {
		parameter, member := ParameterOf(name)
		if !member {
			check(name, at, mustBeParameter)
		} else if ParamNamed(r.Fn, parameter) == nil {
			r.note(at.wrong(CodeParameter, "", "%s has no parameter %s", r.Fn.Name, parameter))
		}
	}
	for _, a := range r.Arguments {
		each(a.Name, a.at, false)
	}
	for _, b := range r.Buffers {
		each(b.Name, b.at, true)
	}
}

func (r *Resolver) gives(name string) bool {
	for _, a := range r.Arguments {
		if a.Name == name {
			return true
		}
	}
	return slices.ContainsFunc(r.Buffers, func(b Buffer) bool { return b.Name == name })
}

// usedNames returns the names in all expressions.
func (r *Resolver) usedNames() map[string]bool {
	used := map[string]bool{}
	add := func(e *Expr) {
		if e != nil {
			e.root.names(func(name string) { used[name] = true })
		}
	}
	for _, e := range append(append([]*Expr{r.Shared}, r.Grid...), r.Block...) {
		add(e)
	}
	for _, a := range r.Arguments {
		if e, err := ParseExpr(a.Phrase); err == nil {
			add(e)
		}
	}
	for _, b := range r.Buffers {
		add(b.Size)
		for _, v := range b.Fill.Values {
			add(v.Expr)
		}
	}
	return used
}

// deducible reports template parameters that no launch could deduce.
func (r *Resolver) deducible() {
	for _, t := range r.Fn.Template {
		if _, given := r.arguments[t.Name]; given || t.Default != nil || t.Pack || t.Name == "" {
			continue
		}
		found := false
		for _, p := range r.Fn.Params {
			found = found || HasWord(r.File.Text(p.Node), t.Name)
		}
		if !found {
			names := lists.Map(r.Fn.Template, func(t parser.TemplateParam) string { return t.Name })
			r.note(r.named.wrong(CodeKernel, "write "+r.Kernel+"<"+strings.Join(names, ", ")+"> with values in place of the names",
				"%s is a template, and nothing says what its %s is", r.Fn.Name, t.Name))
			return
		}
	}
}

var (
	maxGrid  = [3]int64{hardware.MaxGridDimX, hardware.MaxGridDimY, hardware.MaxGridDimZ}
	maxBlock = [3]int64{hardware.MaxBlockDimX, hardware.MaxBlockDimY, hardware.MaxBlockDimZ}
)

func (r *Resolver) launch() {
	r.run.Grid = r.extents("grid", r.Grid, maxGrid)
	r.run.Block = r.extents("block", r.Block, maxBlock)
	if b := r.run.Block; b[0]*b[1]*b[2] > hardware.MaxThreadsPerBlock {
		r.note(r.Block[0].wrong(CodeLaunch, "", "a block of %d threads: %d is the most", b[0]*b[1]*b[2], hardware.MaxThreadsPerBlock))
	}
	if r.Spec.Shared == nil {
		return
	}
	n, err := r.Eval(r.Spec.Shared)
	if err == nil && (n < 0 || n > 1<<20) {
		err = r.Spec.Shared.wrong(CodeLaunch, "", "%d bytes of shared memory", n)
	}
	r.note(err)
	r.run.Shared = n
}

func (r *Resolver) extents(what string, list []*Expr, most [3]int64) [3]int64 {
	out := [3]int64{1, 1, 1}
	if list == nil {
		r.note(r.named.wrong(CodeLaunch, "say how many threads are launched: grid=64 block=256", "nothing gives the launch's %s", what))
	}
	for i, e := range list {
		n, err := r.Eval(e)
		if err == nil && (n < 1 || n > most[i]) {
			err = e.wrong(CodeLaunch, "", "%s.%c is %d: from 1 to %d is possible", what, "xyz"[i], n, most[i])
		}
		if r.note(err); err == nil {
			out[i] = n
		}
	}
	return out
}

// parameters finds a value for each parameter.
func (r *Resolver) parameters() {
	for i := range r.Fn.Params {
		p := &r.Fn.Params[i]
		if p.Variadic {
			r.note(r.named.wrong(CodeParameter, "", "%s takes any number of parameters: smux can't name them", r.Fn.Name))
			return
		}
		t := TypeOf(r.File, r.Fn, p, r.arguments)
		if p.Name == "" {
			r.note(r.named.wrong(CodeParameter, "give it a name", "parameter %d of %s has no name", i+1, r.Fn.Name))
			continue
		}
		if v := r.valueOf(p, t); v != nil {
			if len(r.run.Values) < i && len(r.errs) == 0 {
				r.note(r.named.wrong(CodeParameter, "", "%s can't be given while a parameter before it is left to its default", p.Name))
			}
			r.run.Values = append(r.run.Values, *v)
		}
	}
	for i := range r.Buffers {
		b := &r.Buffers[i]
		if _, member := ParameterOf(b.Name); !member {
			continue
		}
		if v := r.buffer(b, ParamType{Base: b.Type, Pointers: 1}); v != nil {
			r.run.Members = append(r.run.Members, *v)
		}
	}
	for i := range r.Arguments {
		if _, member := ParameterOf(r.Arguments[i].Name); !member {
			continue
		}
		if v := r.argument(&r.Arguments[i], ParamType{}); v != nil {
			r.run.Sets = append(r.run.Sets, *v)
		}
	}
}

// valueOf returns what a parameter gets, nil where that is its default, or wrong.
func (r *Resolver) valueOf(p *parser.Param, t ParamType) *Value {
	for i := range r.Buffers {
		if b := &r.Buffers[i]; b.Name == p.Name {
			return r.buffer(b, t)
		}
	}
	for i := range r.Arguments {
		if a := &r.Arguments[i]; a.Name == p.Name {
			return r.argument(a, t)
		}
	}
	if p.Default == nil {
		help := "add " + p.Name + "=VALUE"
		if t.Pointers > 0 {
			help = "add " + p.Name + "=" + t.Base + "[ELEMENTS]:random"
		}
		r.note(r.named.wrong(CodeParameter, help, "nothing says what %s of %s is", p.Name, r.Fn.Name))
	}
	return nil
}
