package named

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
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
func NamedNumbers(k *analysis.Kernel) []Named {
	type key struct{}
	return analysis.Once(&k.Memo, key{}, func() []Named { return namedNumbers(k) })
}

func namedNumbers(k *analysis.Kernel) []Named {
	found := map[string]Named{}
	seen := map[string]*parser.Macro{}
	for i, tp := range k.Func.TParams {
		if tp.Pack {
			break
		}
		n := Named{Name: tp.Name, Values: templateValues(k, i), Seen: true, v: tp}
		if tp.Kind == ir.VarTemplateType {
			n.Name, n.Values = ir.SizeName(tp.Name), sizesOf(k, tp.Name)
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
		for n := range fn.View.Node.All() {
			if n.Kind == parser.KindIdentifier || n.Kind == parser.KindTypeIdentifier {
				named(k, fn.File, fn.File.Text(n), int(n.Start), seen, found)
			}
		}
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
func Classes(k *analysis.Kernel) (operators, copies []Named) {
	type key struct{}
	both := analysis.Once(&k.Memo, key{}, func() [2][]Named {
		operators, copies := classes(k)
		return [2][]Named{operators, copies}
	})
	return both[0], both[1]
}

func classes(k *analysis.Kernel) (operators, copies []Named) {
	var names []string
	hasMembers := map[string]bool{}
	for _, fn := range slices.Concat(k.Functions, k.Implicit) {
		names = append(names, k.Prog.Effects(fn.File).Undeclared(fn)...)
		for e := range fn.Body.AllExprs() {
			of := e
			if e.Op == ir.OpMember && !strings.HasPrefix(e.Name, "operator") || e.Op == ir.OpCall && !e.Implicit && len(e.Kids) > 0 {
				of = e.Kids[0]
			}
			if of != e && (e.Op == ir.OpMember || of.Op == ir.OpIdent && of.Var != nil) {
				if base := k.TypeOf(fn, of).Base; fn == k.Func || !analysis.IsTypeParam(k.Func, base) { // another's may have the name
					hasMembers[base] = true
				}
			}
		}
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

// PassedClass returns the class that a launch gives for a type parameter, or the enumerator or class that one in view has by the
// name of a member of it; "" if none is known to.
func PassedClass(k *analysis.Kernel, name string) string {
	isClass := func(typ string) bool {
		t := k.TypeOf(k.Func, &ir.Expr{Op: ir.OpIdent, Var: &ir.Var{Type: ir.Type{Base: typ}}})
		return typ != "" && t.Levels == 0 && !isHalf(k, t.Base) && (t.Kind == effect.Vector || t.Kind == effect.Object)
	}
	for _, in := range k.Instances {
		if typ := evaluate.FactsOf(k, in).TypeArgument(k.Func, name); isClass(typ) {
			return typ
		}
	}
	if !strings.HasPrefix(name, "typename ") {
		return ""
	}
	words := parser.Names(strings.TrimSuffix(name, ">::type"))
	member, found := words[len(words)-1], ""
	for alias, means := range k.Prog.TypeNames(k.File).Means {
		if strings.HasSuffix(alias, "::"+member) && isClass(means) && (found == "" || means < found) {
			found = means
		}
	}
	for _, f := range k.Prog.Unit(k.File).Files {
		for n := range f.Root.All() {
			if n.Kind == parser.KindEnumerator && f.Text(n.Child(parser.FieldName)) == member {
				return "the enumerator " + member
			}
		}
	}
	return found
}

// templateValues are the values of a template parameter under each instance, nil where one is not known.
func templateValues(k *analysis.Kernel, i int) (out []int64) {
	for _, in := range k.Instances {
		if i >= len(in.TArgs) || !in.TArgs[i].Uniform() {
			return nil
		}
		out = append(out, in.TArgs[i].S)
	}
	return out
}

// sizesOf are the sizes of a type parameter under each instance, nil where one is not known.
func sizesOf(k *analysis.Kernel, name string) (out []int64) {
	for _, in := range k.Instances {
		n := evaluate.FactsOf(k, in).SizeOf(k.Func, ir.Type{Base: name})
		if n <= 0 {
			return nil
		}
		out = append(out, int64(n))
	}
	return out
}

// named adds a word of a text if it stands for a number, and the words of a macro that it stands for.
func named(k *analysis.Kernel, f *parser.File, word string, at int, seen map[string]*parser.Macro, found map[string]Named) {
	m, macro := f.Macros.Lookup(word, at)
	n, is := found[word]
	switch before, ok := seen[word]; {
	case ok && is && !analysis.SameMacro(before, m): // two numbers by one name
		n.Seen, n.v = false, nil
		found[word] = n
		return
	case ok && (is || before != nil || !macro):
		return
	}
	seen[word] = m
	top := int(k.View.Body.Start)
	atTop, _ := k.File.Macros.Lookup(word, top)
	text, qualified, visible := word, word, analysis.SameMacro(m, atTop)
	if macro {
		for _, inner := range parser.Words(m.Body) {
			named(k, f, inner, at, seen, found)
		}
		expanded, err := f.Macros.Expand(word, at)
		if err != nil || m.FunctionLike || m.Ambiguous || expanded == "" {
			return
		}
		text = expanded
	} else if v := k.Prog.Global(f, word); v == nil || v.Kind != ir.VarEnumerator && !(v.Kind == ir.VarGlobal && v.Type.Const && v.Init != nil) {
		return
	} else {
		visible = v.File != k.File || v.Range.Start < top
		qualified = strings.Join(append(Namespaces(v.File, NamespaceAround(v.File, v.Range.Start)), v.Name), "::")
	}
	e := k.Prog.Cache.Expression(f, text)
	if e == nil {
		return
	}
	ev := evaluate.NewEvaluator(k.Prog, analysis.Shape{})
	x := ev.NewFrame(&ir.Func{File: f, View: k.View, Body: &ir.Stmt{Op: ir.StmtCompound}}).Eval(e)
	if !x.Uniform() {
		return
	}
	v := &ir.Var{Name: word, Kind: ir.VarTemplateValue, File: f, Type: ir.Type{Base: "int"}}
	if x.Unsigned {
		v.Type.Base = ir.Uint.Name
	}
	if x.S != int64(int32(x.S)) {
		v.Type.Base = "long long"
	}
	values := make([]int64, max(1, len(k.Instances)))
	for i := range values {
		values[i] = x.S
	}
	found[word] = Named{Name: word, Qualified: qualified, Values: values, Seen: visible, v: v}
}

// CanHide reports whether Without can hide the number: it is the only one of that name.
func (n Named) CanHide() bool { return n.v != nil }

// IsMember reports whether the type is a member of another or of one.
func (n Named) IsMember() bool { return strings.Contains(n.Qualified, "::") }

// Without returns the kernel, analysed anew as if the values of some names were not known, nor, where shapes is
// false, the shapes of its blocks. What can be proved of it holds for any of these values.
func Without(k *analysis.Kernel, names []Named, shapes bool) *analysis.Kernel {
	p := hiding(k.Prog, names, shapes)
	if p.Given[k.View] == nil {
		p.Given[k.View] = k
	}
	return p.Kernel(k.File, k.View)
}

// mostHidden limits the programs that are kept with something hidden: kernels of one file often have the same names.
const mostHidden = 16

// hiding returns the program with the values of some names hidden, and the block shapes where shapes is false.
func hiding(p *analysis.Program, names []Named, shapes bool) *analysis.Program {
	what := fmt.Sprint(shapes)
	for _, n := range names {
		what += " " + n.Name + ":" + n.v.Type.Base
	}
	for _, h := range p.Hidden {
		if h.What == what {
			return h.Prog
		}
	}
	out := p.On(p.Parsed)
	out.Skip, out.Given, out.AnyShape = p.Skip, map[*parser.Function]*analysis.Kernel{}, !shapes
	out.Cache.Hidden = map[string]*ir.Var{}
	for _, n := range names {
		out.Cache.Hidden[n.Name] = n.v
	}
	if len(p.Hidden) == mostHidden {
		p.Hidden = p.Hidden[1:]
	}
	p.Hidden = append(p.Hidden, analysis.Hidden{What: what, Prog: out})
	return out
}
