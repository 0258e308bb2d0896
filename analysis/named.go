package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Named is a number that the kernel's text, or that of a function it calls, has by a name, and whose value
// stands elsewhere: a template parameter of the kernel, a macro, a constant or enumerator at namespace scope.
type Named struct {
	Name string
	// Values are those under the kernel's Instances, in their order: of what is no template parameter, all alike.
	Values []int64

	v *ir.Var // stands for it where its value is hidden
}

// NamedNumbers returns the numbers that have names, by name. A name that is not visible where the kernel begins
// is left out, and so is one whose value is not known.
func (k *Kernel) NamedNumbers() []Named {
	found := map[string]Named{}
	seen := map[string]bool{}
	for i, tp := range k.Func.TParams {
		if tp.Pack {
			break
		}
		if values := k.templateValues(i); tp.Kind == ir.VarTemplateValue && values != nil {
			found[tp.Name] = Named{Name: tp.Name, Values: values, v: tp}
		}
		seen[tp.Name] = true
	}
	for _, fn := range k.Functions {
		if fn.View.Node == nil {
			continue
		}
		fn.View.Node.Walk(func(n *parser.Node) bool {
			if n.Kind == parser.KindIdentifier || n.Kind == parser.KindTypeIdentifier {
				k.named(fn.File, fn.File.Text(n), int(n.Start), seen, found)
			}
			return true
		})
	}
	out := make([]Named, 0, len(found))
	for _, n := range found {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b Named) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// templateValues are the values of a template parameter under each instance, nil where one is not known.
func (k *Kernel) templateValues(i int) (out []int64) {
	for _, in := range k.Instances {
		if i >= len(in.TArgs) || !in.TArgs[i].uniform() {
			return nil
		}
		out = append(out, in.TArgs[i].s)
	}
	return out
}

// named adds a word of a text if it stands for a number, and the words of a macro that it stands for.
func (k *Kernel) named(f *parser.File, word string, at int, seen map[string]bool, found map[string]Named) {
	if seen[word] {
		return
	}
	seen[word] = true
	text := word
	m, macro := f.Macros.Lookup(word, at)
	if macro {
		for _, inner := range strings.FieldsFunc(m.Body, notInName) {
			k.named(f, inner, at, seen, found)
		}
		expanded, err := f.Macros.Expand(word, at)
		if err != nil || m.FunctionLike || m.Ambiguous || expanded == "" {
			return
		}
		text = expanded
	} else if v := k.Prog.global(f, word); v == nil || v.Kind != ir.VarEnumerator && !(v.Kind == ir.VarGlobal && v.Type.Const && v.Init != nil) || !k.precedes(v.File, v.Range.Start) {
		return
	}
	e := k.Prog.cache.Expression(f, text)
	if e == nil || macro && !k.precedes(k.fileNamed(m.File), m.Pos) {
		return
	}
	ev := newEvaluator(k.Prog, shape{})
	x := ev.newFrame(&ir.Func{File: f, View: k.View, Body: &ir.Stmt{Op: ir.StmtCompound}}).eval(e)
	if !x.uniform() {
		return
	}
	v := &ir.Var{Name: word, Kind: ir.VarTemplateValue, File: f, Type: ir.Type{Base: "int"}}
	if x.unsigned {
		v.Type.Base = ir.Uint.Name
	}
	if x.s != int64(int32(x.s)) {
		v.Type.Base = "long long"
	}
	values := make([]int64, max(1, len(k.Instances)))
	for i := range values {
		values[i] = x.s
	}
	found[word] = Named{Name: word, Values: values, v: v}
}

// precedes reports whether what stands in a file is visible in the kernel's body.
func (k *Kernel) precedes(f *parser.File, at int) bool {
	return f != k.File || at < int(k.View.Body.Start)
}

// fileNamed is the file of the program of a name, nil for the command line.
func (k *Kernel) fileNamed(name string) *parser.File {
	for _, f := range k.Prog.unit(k.File).files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Without returns the kernel, analysed anew as if the values of some names were not known, nor, where shapes is
// false, the shapes of its blocks. What can be proved of it holds for any of these values.
func (k *Kernel) Without(names []Named, shapes bool) *Kernel {
	p := k.Prog.hiding(names, shapes)
	if p.given[k.View] == nil {
		p.given[k.View] = k
	}
	return p.Kernel(k.File, k.View)
}

// hidden is the program with values hidden.
type hidden struct {
	what string
	prog *Program
}

// mostHidden limits the programs that are kept with something hidden: kernels of one file often have the same names.
const mostHidden = 16

// hiding returns the program with the values of some names hidden, and the block shapes where shapes is false.
func (p *Program) hiding(names []Named, shapes bool) *Program {
	what := fmt.Sprint(shapes)
	for _, n := range names {
		what += " " + n.Name + ":" + n.v.Type.Base
	}
	for _, h := range p.hidden {
		if h.what == what {
			return h.prog
		}
	}
	out := p.On(p.Parsed)
	out.Skip, out.given, out.anyShape = p.Skip, map[*parser.Function]*Kernel{}, !shapes
	out.cache.Hidden = map[string]*ir.Var{}
	for _, n := range names {
		out.cache.Hidden[n.Name] = n.v
	}
	if len(p.hidden) == mostHidden {
		p.hidden = p.hidden[1:]
	}
	p.hidden = append(p.hidden, hidden{what, out})
	return out
}

// Hides reports whether the program is one in which Kernel.Without hides what is known of a kernel.
func (p *Program) Hides() bool { return p.given != nil }

// takeInstances gives a kernel the launches and instances of the same one of another Program, but for what
// is hidden in this one.
func (k *Kernel) takeInstances(from *Kernel) {
	same := map[*parser.Launch]*Launch{}
	for _, l := range k.Prog.launches {
		same[l.View] = l
	}
	for _, l := range from.Launches {
		k.Launches = append(k.Launches, same[l.View])
	}
	for _, o := range from.Instances {
		in := *o
		in.alike = nil
		if o.Launch != nil {
			in.Launch = same[o.Launch.View]
		}
		for _, l := range o.alike {
			in.alike = append(in.alike, same[l.View])
		}
		if k.Prog.anyShape {
			in.Shape, in.Told = shape{}, false
		}
		in.TArgs = slices.Clone(o.TArgs)
		for i, tp := range k.Func.TParams {
			if i < len(in.TArgs) && k.Prog.cache.Hidden[tp.Name] != nil {
				in.TArgs[i] = unknown
			}
		}
		k.Instances = append(k.Instances, &in)
	}
}
