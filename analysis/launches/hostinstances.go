package launches

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/parser"
)

// mostHostInstances is the number of instances of a template host function that are told apart.
const mostHostInstances = 8

// hostInstances are the values that the template parameters of a launch's host
// function have, one map for each instance of it: a launch in
//
//	template <int N> void run(float *a) { k<<<9, N>>>(a); }
//
// has blocks of 16 and 32 threads where run<16>(a) and run<32>(a) are all that is said of run. That is known of a
// free function of a file that no other includes, each mention of which is a call with constants for its parameters;
// else, and for functions that are not templates, there is one instance, of which nothing is known.
func hostInstances(p *analysis.Program, l *analysis.Launch, host *ir.Func) []map[*ir.Var]values.Value {
	unknown := []map[*ir.Var]values.Value{nil}
	calls := p.CallsOf(host.View.Name)
	if len(host.TParams) == 0 || host.View.Class != "" || calls.Unclear || len(calls.At) == 0 || len(p.Parsed.Including(l.File)) > 0 || !strings.HasSuffix(l.File.Name, ".cu") {
		return unknown
	}
	if namedIn(p, host.View.Name) != len(calls.At)+1 {
		return unknown // by a declaration, an instantiation, outside of functions, in a macro
	}
	var out []map[*ir.Var]values.Value
	for _, c := range calls.At {
		vals := hostArguments(p, host, c)
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
func hostArguments(p *analysis.Program, host *ir.Func, c analysis.CallSite) map[*ir.Var]values.Value {
	if c.Fn == nil || c.Fn.Body == nil {
		return nil
	}
	caller := p.Lower(c.File, c.Fn)
	e := hostcode.CallIn(caller, host.View.Name, c.Node)
	if e == nil {
		return nil
	}
	f := evaluate.NewEvaluator(p, analysis.Shape{}).NewFrame(caller)
	vals := map[*ir.Var]values.Value{}
	for i, tp := range host.TParams {
		switch {
		case tp.Pack:
			return nil
		case tp.Kind != ir.VarTemplateValue:
			continue
		case i >= len(e.TArgs):
			return nil
		}
		v := values.Convert(f.Eval(e.TArgs[i]), tp.Type.Base)
		if !v.Uniform() {
			return nil
		}
		vals[tp] = v
	}
	return vals
}

func containsValues(all []map[*ir.Var]values.Value, vals map[*ir.Var]values.Value) bool {
next:
	for _, o := range all {
		for tp, v := range vals {
			if o[tp].S != v.S {
				continue next
			}
		}
		return true
	}
	return false
}

// namedIn counts where the texts of the program name something.
func namedIn(p *analysis.Program, name string) int {
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
