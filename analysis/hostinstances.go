package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// mostHostInstances is the number of instances of a template host function that are told apart.
const mostHostInstances = 8

// hostInstances are the values that the template parameters of a launch's host
// function have, one map for each instance of it: a launch in
//
//	template <int N> void run(float *a) { k<<<9, N>>>(a); }
//
// has blocks of 16 and 32 threads where run<16>(a) and run<32>(a) are all that is said
// of run. That is known of a free function of a file that no other includes, each
// mention of which is a call with constants for its parameters; else, and for
// functions that are not templates, there is one instance, of which nothing is known.
func (p *Program) hostInstances(l *Launch, host *ir.Func) []map[*ir.Var]value {
	unknown := []map[*ir.Var]value{nil}
	calls := p.callsOf(host.View.Name)
	if len(host.TParams) == 0 || host.View.Class != "" || calls.unclear || len(calls.at) == 0 || len(p.Parsed.Including(l.File)) > 0 || !strings.HasSuffix(l.File.Name, ".cu") {
		return unknown
	}
	if p.namedIn(host.View.Name) != len(calls.at)+1 {
		return unknown // by a declaration, an instantiation, outside of functions, in a macro
	}
	var out []map[*ir.Var]value
	for _, c := range calls.at {
		vals := p.hostArguments(host, c)
		if vals == nil {
			return unknown
		}
		if !containsValues(out, vals) {
			out = append(out, vals)
		}
	}
	if len(out) > mostHostInstances {
		return unknown
	}
	return out
}

// hostArguments are the numbers that a call gives for the template parameters of host;
// nil where one of those that are values is not known.
func (p *Program) hostArguments(host *ir.Func, c callSite) map[*ir.Var]value {
	if c.fn == nil || c.fn.Body == nil {
		return nil
	}
	caller := p.Lower(c.file, c.fn)
	e := callIn(caller, host.View.Name, c.node)
	if e == nil {
		return nil
	}
	f := newEvaluator(p, shape{}).newFrame(caller)
	vals := map[*ir.Var]value{}
	for i, tp := range host.TParams {
		switch {
		case tp.Pack:
			return nil
		case tp.Kind != ir.VarTemplateValue:
			continue
		case i >= len(e.TArgs):
			return nil
		}
		v := convert(f.eval(e.TArgs[i]), tp.Type.Base)
		if !v.uniform() {
			return nil
		}
		vals[tp] = v
	}
	return vals
}

func containsValues(all []map[*ir.Var]value, vals map[*ir.Var]value) bool {
next:
	for _, o := range all {
		for tp, v := range vals {
			if o[tp].s != v.s {
				continue next
			}
		}
		return true
	}
	return false
}

// namedIn counts where the texts of the program name something.
func (p *Program) namedIn(name string) int {
	n := 0
	count := func(f *parser.File) {
		for _, t := range parser.TokensBetween(f.Src, 0, len(f.Src)) {
			if t.Kind == parser.TokenIdent && string(f.Src[t.Start:t.End]) == name {
				n++
			}
		}
	}
	for _, f := range p.Parsed.Files {
		count(f)
	}
	for _, f := range p.Parsed.Headers {
		count(f)
	}
	return n
}
