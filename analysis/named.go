package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// Named is a number that the kernel's text, or that of a function it calls, has by a name, and whose value stands elsewhere: a
// template parameter of the kernel or the size of a type that is one, a macro, a constant or enumerator at namespace scope.
type Named struct {
	Name      string
	Qualified string // with the namespaces that it is in
	Pack      bool   // of types
	// Seen is set where the name has the value at the top of the kernel, too; of two values neither can be checked.
	Seen bool
	// Values are those under the kernel's Instances, in their order: of what is no template parameter, all alike.
	Values []int64

	v *ir.Var // stands for it where its value is hidden
}

// NamedNumbers returns the numbers that have names, by name; those whose values are not known are left out.
func (k *Kernel) NamedNumbers() []Named {
	type key struct{}
	return Once(&k.memo, key{}, func() []Named { return k.namedNumbers() })
}

func (k *Kernel) namedNumbers() []Named {
	found := map[string]Named{}
	seen := map[string]*parser.Macro{}
	for i, tp := range k.Func.TParams {
		if tp.Pack {
			break
		}
		n := Named{Name: tp.Name, Values: k.templateValues(i), Seen: true, v: tp}
		if tp.Kind == ir.VarTemplateType {
			n.Name, n.Values = ir.SizeName(tp.Name), k.sizesOf(tp.Name)
		}
		if n.Qualified = n.Name; n.Values != nil {
			found[n.Name] = n
		}
		seen[tp.Name] = nil
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

// Classes returns what proofs take for granted of the types that no file in view declares, type parameters among them: that
// their operators have no effect beyond their object, and that copies have none. They are no numbers, and Without can hide
// them. Operators are not Seen where the type has members: it is a class, and nothing can check what they do.
func (k *Kernel) Classes() (operators, copies []Named) {
	type key struct{}
	both := Once(&k.memo, key{}, func() [2][]Named {
		operators, copies := k.classes()
		return [2][]Named{operators, copies}
	})
	return both[0], both[1]
}

func (k *Kernel) classes() (operators, copies []Named) {
	var names []string
	hasMembers := map[string]bool{}
	for _, fn := range slices.Concat(k.Functions, k.Implicit) {
		names = append(names, k.Prog.effects(fn.File).Undeclared(fn)...)
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			of := e
			if e.Op == ir.OpMember && !strings.HasPrefix(e.Name, "operator") || e.Op == ir.OpCall && !e.Implicit && len(e.Kids) > 0 {
				of = e.Kids[0]
			}
			if of != e && (e.Op == ir.OpMember || of.Op == ir.OpIdent && of.Var != nil) {
				if base := k.TypeOf(fn, of).Base; fn == k.Func || !isTypeParam(k.Func, base) { // another's may have the name
					hasMembers[base] = true
				}
			}
			return true
		})
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		hasMembers[name] = hasMembers[name] || slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, name+"::") })
		pack := slices.ContainsFunc(k.Func.TParams, func(tp *ir.Var) bool { return tp.Pack && tp.Name == name })
		v := &ir.Var{Name: name, Kind: ir.VarTemplateType}
		operators = append(operators, Named{Name: ir.OperatorsOf(k.Name, name), Qualified: effect.Spelled(name), Seen: !hasMembers[name], Pack: pack, v: v})
		copies = append(copies, Named{Name: ir.CopiesOf(k.Name, name), Qualified: effect.Spelled(name), Seen: true, Pack: pack, v: v})
	}
	return operators, copies
}

// PassedClass returns the class that a launch gives for a type parameter, "" if none is known to.
func (k *Kernel) PassedClass(name string) string {
	for _, in := range k.Instances {
		typ := ir.Type{Base: k.Facts(in).typeArgument(k.Func, name)}
		t := k.TypeOf(k.Func, &ir.Expr{Op: ir.OpIdent, Var: &ir.Var{Type: typ}})
		if typ.Base != "" && t.Levels == 0 && (t.Kind == effect.Vector || t.Kind == effect.Object) {
			return typ.Base
		}
	}
	return ""
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

// sizesOf are the sizes of a type parameter under each instance, nil where one is not known.
func (k *Kernel) sizesOf(name string) (out []int64) {
	for _, in := range k.Instances {
		n := k.Facts(in).SizeOf(k.Func, ir.Type{Base: name})
		if n <= 0 {
			return nil
		}
		out = append(out, int64(n))
	}
	return out
}

// named adds a word of a text if it stands for a number, and the words of a macro that it stands for.
func (k *Kernel) named(f *parser.File, word string, at int, seen map[string]*parser.Macro, found map[string]Named) {
	m, macro := f.Macros.Lookup(word, at)
	n, is := found[word]
	switch before, ok := seen[word]; {
	case ok && is && !sameMacro(before, m): // two numbers by one name
		n.Seen, n.v = false, nil
		found[word] = n
		return
	case ok && (is || before != nil || !macro):
		return
	}
	seen[word] = m
	top := int(k.View.Body.Start)
	atTop, _ := k.File.Macros.Lookup(word, top)
	text, qualified, visible := word, word, sameMacro(m, atTop)
	if macro {
		for _, inner := range parser.Words(m.Body) {
			k.named(f, inner, at, seen, found)
		}
		expanded, err := f.Macros.Expand(word, at)
		if err != nil || m.FunctionLike || m.Ambiguous || expanded == "" {
			return
		}
		text = expanded
	} else if v := k.Prog.global(f, word); v == nil || v.Kind != ir.VarEnumerator && !(v.Kind == ir.VarGlobal && v.Type.Const && v.Init != nil) {
		return
	} else {
		visible = v.File != k.File || v.Range.Start < top
		qualified = strings.Join(append(Namespaces(v.File, NamespaceAround(v.File, v.Range.Start)), v.Name), "::")
	}
	e := k.Prog.cache.Expression(f, text)
	if e == nil {
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
	found[word] = Named{Name: word, Qualified: qualified, Values: values, Seen: visible, v: v}
}

// sameMacro reports whether two definitions, nil for none, are one.
func sameMacro(a, b *parser.Macro) bool {
	return a == nil && b == nil || a != nil && b != nil && a.File == b.File && a.Pos == b.Pos
}

// CanHide reports whether Without can hide the number: it is the only one of that name.
func (n Named) CanHide() bool { return n.v != nil }

// IsMember reports whether the type is a member of another or of one.
func (n Named) IsMember() bool { return strings.Contains(n.Qualified, "::") }

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

// takeInstances gives a kernel the launches and instances of the same one of another Program, but for what is hidden in this one.
func (k *Kernel) takeInstances(from *Kernel) {
	same := map[*parser.Launch]*Launch{}
	for _, l := range k.Prog.launches {
		same[l.View] = l
	}
	for _, l := range from.Launches {
		k.Launches = append(k.Launches, same[l.View])
	}
	k.Indirect, k.followed = from.Indirect, from.followed
	for _, o := range from.Instances {
		in := *o
		in.alike = nil
		if o.Launch != nil {
			in.Launch = o.Launch
			if !o.Launch.indirect {
				in.Launch = same[o.Launch.View]
			}
		}
		for _, l := range o.alike {
			if !l.indirect {
				l = same[l.View]
			}
			in.alike = append(in.alike, l)
		}
		in.TArgs = slices.Clone(o.TArgs)
		k.Instances = append(k.Instances, &in)
	}
	k.hide()
}

// hide takes from the instances what the program hides.
func (k *Kernel) hide() {
	for _, in := range k.Instances {
		if k.Prog.anyShape {
			in.Shape, in.Told = shape{}, false
		}
		for i, tp := range k.Func.TParams {
			if i < len(in.TArgs) && k.Prog.cache.Hidden[tp.Name] != nil {
				in.TArgs[i] = unknown
			}
		}
	}
}
