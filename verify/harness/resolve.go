package harness

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
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
		return nil, Errors{}.with(err)
	}
	if d.fn.Error != nil {
		return nil, Errors{s.named.wrong(CodeKernel, "", "smux can't parse the kernel %s", s.Kernel)}
	}
	arguments, err := s.templateArguments(d.fn)
	if err != nil {
		return nil, Errors{}.with(err)
	}
	r := &resolver{Spec: s, definition: d, arguments: arguments, busy: map[string]bool{}, known: map[string]int64{}}
	r.run = &Run{Spec: s, File: d.file, Kernel: d.fn, Name: d.qualified() + s.Template, namespaces: d.namespaces()}
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
type resolver struct {
	*Spec
	*definition
	arguments map[string]string // of the template
	run       *Run
	errs      Errors
	busy      map[string]bool  // arguments whose values are being computed
	known     map[string]int64 // those whose values are known: they may be many times in others
}

func (r *resolver) note(err error) { r.errs = r.errs.with(err) }

// duplicates reports names that are given twice, and names that mean nothing:
// neither a parameter nor part of an expression.
func (r *resolver) duplicates() {
	seen := map[string]bool{}
	used := r.usedNames()
	check := func(name string, at phrase, mustBeParameter bool) {
		switch {
		case seen[name]:
			r.note(at.wrong(CodeParameter, "", "%s is given twice", name))
		case paramNamed(r.fn, name) == nil && (mustBeParameter || !used[name]):
			var free []string
			for _, p := range r.fn.Params {
				if p.Name != "" && !r.gives(p.Name) {
					free = append(free, p.Name)
				}
			}
			r.note(at.wrong(CodeParameter, diag.DidYouMean(name, free, "there are"), "%s has no parameter %s", r.fn.Name, name))
		}
		seen[name] = true
	}
	each := func(name string, at phrase, mustBeParameter bool) {
		parameter, member := parameterOf(name)
		if !member {
			check(name, at, mustBeParameter)
		} else if paramNamed(r.fn, parameter) == nil {
			r.note(at.wrong(CodeParameter, "", "%s has no parameter %s", r.fn.Name, parameter))
		}
	}
	for _, a := range r.Arguments {
		each(a.Name, a.at, false)
	}
	for _, b := range r.Buffers {
		each(b.Name, b.at, true)
	}
}

func (r *resolver) gives(name string) bool {
	for _, a := range r.Arguments {
		if a.Name == name {
			return true
		}
	}
	return slices.ContainsFunc(r.Buffers, func(b Buffer) bool { return b.Name == name })
}

// usedNames returns the names in all expressions.
func (r *resolver) usedNames() map[string]bool {
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
		if e, err := parseExpr(a.value); err == nil {
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
func (r *resolver) deducible() {
	for _, t := range r.fn.Template {
		if _, given := r.arguments[t.Name]; given || t.Default != nil || t.Pack || t.Name == "" {
			continue
		}
		found := false
		for _, p := range r.fn.Params {
			found = found || hasWord(r.file.Text(p.Node), t.Name)
		}
		if !found {
			var names []string
			for _, t := range r.fn.Template {
				names = append(names, t.Name)
			}
			r.note(r.named.wrong(CodeKernel, "write "+r.Kernel+"<"+strings.Join(names, ", ")+"> with values in place of the names",
				"%s is a template, and nothing says what its %s is", r.fn.Name, t.Name))
			return
		}
	}
}

var (
	maxGrid  = [3]int64{hardware.MaxGridDimX, hardware.MaxGridDimY, hardware.MaxGridDimZ}
	maxBlock = [3]int64{hardware.MaxBlockDimX, hardware.MaxBlockDimY, hardware.MaxBlockDimZ}
)

func (r *resolver) launch() {
	r.run.Grid = r.extents("grid", r.Grid, maxGrid)
	r.run.Block = r.extents("block", r.Block, maxBlock)
	if b := r.run.Block; b[0]*b[1]*b[2] > hardware.MaxThreadsPerBlock {
		r.note(r.Block[0].wrong(CodeLaunch, "", "a block of %d threads: %d is the most", b[0]*b[1]*b[2], hardware.MaxThreadsPerBlock))
	}
	if r.Spec.Shared == nil {
		return
	}
	n, err := r.eval(r.Spec.Shared)
	if err == nil && (n < 0 || n > 1<<20) {
		err = r.Spec.Shared.wrong(CodeLaunch, "", "%d bytes of shared memory", n)
	}
	r.note(err)
	r.run.Shared = n
}

func (r *resolver) extents(what string, list []*Expr, most [3]int64) [3]int64 {
	out := [3]int64{1, 1, 1}
	if list == nil {
		r.note(r.named.wrong(CodeLaunch, "say how many threads are launched: grid=64 block=256", "nothing gives the launch's %s", what))
	}
	for i, e := range list {
		n, err := r.eval(e)
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
func (r *resolver) parameters() {
	for i := range r.fn.Params {
		p := &r.fn.Params[i]
		if p.Variadic {
			r.note(r.named.wrong(CodeParameter, "", "%s takes any number of parameters: smux can't name them", r.fn.Name))
			return
		}
		t := typeOf(r.file, r.fn, p, r.arguments)
		if p.Name == "" {
			r.note(r.named.wrong(CodeParameter, "give it a name", "parameter %d of %s has no name", i+1, r.fn.Name))
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
		if _, member := parameterOf(b.Name); !member {
			continue
		}
		if v := r.buffer(b, paramType{base: b.Type, pointers: 1}); v != nil {
			r.run.Members = append(r.run.Members, *v)
		}
	}
	for i := range r.Arguments {
		if _, member := parameterOf(r.Arguments[i].Name); !member {
			continue
		}
		if v := r.argument(&r.Arguments[i], paramType{}); v != nil {
			r.run.Sets = append(r.run.Sets, *v)
		}
	}
}

// valueOf returns what a parameter gets, nil where that is its default, or wrong.
func (r *resolver) valueOf(p *parser.Param, t paramType) *Value {
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
		if t.pointers > 0 {
			help = "add " + p.Name + "=" + t.base + "[ELEMENTS]:random"
		}
		r.note(r.named.wrong(CodeParameter, help, "nothing says what %s of %s is", p.Name, r.fn.Name))
	}
	return nil
}
