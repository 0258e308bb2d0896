package overlay

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// overlaid is a shared variable that may become a member of a union.
type overlaid struct {
	shared *analysis.Shared
	index  int // in Kernel.Shared
	V      *ir.Var
	fn     *ir.Func // whose declaration it is
	bytes  int      // the most of all instances
	spec   string   // the declaration's specifiers, without __shared__
}

func sizesOf(vars []*overlaid) []int {
	return lists.Map(vars, func(a *overlaid) int { return a.bytes })
}

// overlayable are the variables whose declarations can move into a union. The reasons say what is against others.
func (p *OverlayProof) overlayable() (out []*overlaid) {
	k := p.Kernel
	if len(k.Shared) < 2 || p.SeenWider() {
		return nil
	}
	for i, s := range k.Shared {
		if s.Dynamic {
			continue
		}
		if a := p.DeclaredVar(s); a != nil {
			a.index = i
			out = append(out, a)
		}
	}
	return out
}

// SeenWider refuses kernels that read shared memory through another type: where a variable
// lies decides whether such accesses are aligned, and whose bytes they are.
func (p *OverlayProof) SeenWider() bool {
	k := p.Kernel
	found := false
	for _, fn := range k.Functions {
		for e := range fn.Body.AllExprs() {
			if e.Op == ir.OpCall && (strings.HasSuffix(e.Name, "_matrix_sync") || e.Name == "__builtin_assume_aligned") && pointers.Touches(k, fn, e) {
				found = true
				p.Refuse(fn.File, e.Range.Start, CodeOverlayForm, "%s asks for an alignment, which depends on where a variable lies", e.Name)
			}
			if e.Op != ir.OpCast || e.Type.Ptr == 0 && !e.Type.Ref || len(e.Kids) != 1 {
				continue
			}
			for _, s := range k.Shared {
				if pointers.MayAddress(k, fn, e.Kids[0], s) && e.Type.Base != s.Type {
					found = true
					p.Refuse(fn.File, e.Range.Start, CodeOverlayForm, "%s is seen as %s here: whether that is aligned depends on where it lies", s.Name, e.Type.Base)
				}
			}
		}
	}
	return found
}

// sharedWord and staticWord are what a member of a union must not be declared with.
var storageWords = regexp.MustCompile(`\b(__shared__|static)\b\s*`)

// DeclaredVar looks at the declaration of a variable, nil where it must stay.
func (p *OverlayProof) DeclaredVar(s *analysis.Shared) *overlaid {
	k, v := p.Kernel, s.Var
	i := slices.IndexFunc(k.Functions, func(fn *ir.Func) bool { return slices.Contains(fn.Vars, v) })
	if i < 0 {
		p.Refuse(k.File, k.View.Start, CodeOverlayForm, "%s is declared at namespace scope, where other kernels may use it", s.Name)
		return nil
	}
	a := &overlaid{shared: s, V: v, fn: k.Functions[i]}
	f := a.fn.File
	refuse := func(format string, args ...any) *overlaid {
		p.Refuse(f, v.Range.Start, CodeOverlayForm, format, args...)
		return nil
	}
	d := v.Decl
	switch {
	case v.Macro || d == nil || d.Macro:
		p.Refuse(f, v.Range.Start, kit.CodeMacro, "the declaration of %s inside a macro must change", s.Name)
		return nil
	case d.Op != ir.StmtDecl || d.Parent == nil || d.Parent.Op != ir.StmtCompound || d.Parent.Parent != nil && d.Parent.Parent.Op == ir.StmtSwitch:
		return refuse("%s is not declared in a list of statements: a reference can't take its place", s.Name)
	case underDirective(d):
		return refuse("%s is declared under an #if: other builds may not have it", s.Name)
	case v.Init != nil || v.Type.Ref:
		return refuse("the declaration of %s is more than its name and dimensions", s.Name)
	case slices.Contains(v.Dims, nil):
		return refuse("%s has no size", s.Name)
	}
	for _, in := range k.Instances {
		bytes, exact := launches.SharedBytesOf(k, in, s)
		if !exact || bytes == 0 {
			return refuse("the size of %s is not known", s.Name)
		}
		if !evaluate.FactsOf(k, in).Trivial(a.fn, v.Type) {
			return refuse("%s is of type %s, which may have a constructor: it can't be a member of a union", s.Name, v.Type.Base)
		}
		a.bytes = max(a.bytes, bytes)
	}
	if why := p.foreign(a); why != "" {
		return refuse("%s %s", s.Name, why)
	}
	spec := kit.Text(f, ir.Range{Start: d.Range.Start, End: d.Vars[0].Range.Start})
	if !strings.Contains(spec, "__shared__") || strings.Contains(spec, "/*") || strings.Contains(spec, "//") || strings.Contains(spec, "#") {
		p.Refuse(f, v.Range.Start, kit.CodeMacro, "the declaration of %s is not written out", s.Name)
		return nil
	}
	a.spec = strings.Join(strings.Fields(storageWords.ReplaceAllString(spec, "")), " ")
	if !strings.HasPrefix(kit.Text(f, v.Range), v.Name) {
		return refuse("the declaration of %s is more than its name and dimensions", s.Name)
	}
	if p.namedOtherwise(a) {
		return refuse("the name of %s stands in a type, an assertion or a template argument", s.Name)
	}
	return a
}

// underDirective reports whether a statement stands in a branch of #if.
func underDirective(s *ir.Stmt) bool {
	for ; s != nil; s = s.Parent {
		if s.Preproc {
			return true
		}
	}
	return false
}

// foreign says what is against a variable of a device function, "" for nothing.
func (p *OverlayProof) foreign(a *overlaid) string {
	k, fn := p.Kernel, a.fn
	if fn == k.Func {
		return ""
	}
	switch {
	case fn.View.Class != "" || len(fn.TParams) > 0 || fn.View.Node.Ancestor(parser.KindTemplateDeclaration) != nil:
		return "is declared in a template or a member function, which may be several"
	case !k.Alone(fn):
		return "is declared in " + fn.View.Name + ", which other kernels may reach"
	case fn.File != k.File || fn.View.Outer == nil || k.View.Outer == nil || fn.View.Outer.Parent != k.View.Outer.Parent:
		return "is declared in " + fn.View.Name + ", which does not stand beside the kernel"
	case evaluate.SizeOf(k, fn, ir.Type{Base: a.V.Type.Base}) == 0:
		return "is of a type that may not be in view where the union would stand"
	}
	for _, o := range k.Prog.Kernels() {
		if o != k && o.Name == k.Name {
			return "is declared in a device function, and another kernel has the name of this one"
		}
	}
	return ""
}

// namedOtherwise reports whether a variable is named where a reference to it may mean another thing.
func (p *OverlayProof) namedOtherwise(a *overlaid) bool {
	f := a.fn.File
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(a.V.Name) + `\b`)
	found := false
	for s := range a.fn.Body.All() {
		if s.Op == ir.StmtEmpty && word.MatchString(kit.Text(f, s.Range)) {
			found = true
		}
		for _, v := range s.Vars {
			found = found || v.Type.Base == "decltype" || v != a.V && v.Type.Record == nil && word.MatchString(v.Type.Base)
		}
		s.Exprs(func(top *ir.Expr) {
			for e := range top.All() {
				for _, t := range e.TArgs {
					found = found || t.Any(func(x *ir.Expr) bool { return x.Var == a.V })
				}
				found = found || e.Op == ir.OpLambda || e.Op == ir.OpSizeof && strings.Contains(kit.Text(f, e.Range), "decltype")
			}
		})
	}
	return found
}

// PlaceUnion finds where a union is declared. It returns a variable for which that can't be.
func (p *OverlayProof) PlaceUnion(s *OverlaySet) *overlaid {
	members := lists.Map(s.Tree.Arrays(), func(i int) *overlaid { return s.Vars[i] })
	for _, a := range members {
		if a.fn != p.Kernel.Func && (s.first == nil || a.fn.View.Start < s.first.View.Start) {
			s.first = a.fn
		}
	}
	at := 0
	if s.first != nil {
		at = s.first.View.Start
		if p.Kernel.View.Start < at {
			s.first = nil
			for _, a := range members {
				if a.fn != p.Kernel.Func {
					p.Refuse(a.fn.File, a.V.Range.Start, CodeOverlayForm, "%s is declared in a function after the kernel", a.V.Name)
					return a
				}
			}
		}
	} else if s.Place = firstOf(members); s.Place == nil {
		return members[0]
	} else {
		at = s.Place.Range.Start
	}
	for _, a := range members {
		if why := p.outOfView(a, s, at); why != "" {
			p.Refuse(a.fn.File, a.V.Range.Start, CodeOverlayForm, "the declaration of %s names %s, which is not in view where the union would stand", a.V.Name, why)
			if s.first != nil { // rather leave those of functions out
				for _, b := range members {
					if b.fn != p.Kernel.Func {
						return b
					}
				}
			}
			return a
		}
	}
	return nil
}

// firstOf is the first statement, in a list that holds all variables, that declares one of them or holds it.
func firstOf(vars []*overlaid) *ir.Stmt {
	list := vars[0].V.Decl.Parent
	first := vars[0].V.Decl
	for _, a := range vars[1:] {
		for list != nil && !a.V.Decl.Inside(list) {
			list = list.Parent
		}
		if a.V.Decl.Range.Start < first.Range.Start {
			first = a.V.Decl
		}
	}
	for list != nil && (list.Op != ir.StmtCompound || list.Macro || list.Parent != nil && list.Parent.Op == ir.StmtSwitch) {
		list = list.Parent
	}
	if list == nil {
		return nil
	}
	for first != nil && first.Parent != list {
		first = first.Parent
	}
	return first
}

// outOfView is a name in a variable's declaration that means nothing, or another thing,
// at an offset of its file where the union would stand; "" for none.
func (p *OverlayProof) outOfView(a *overlaid, s *OverlaySet, at int) (name string) {
	f := a.fn.File
	for _, d := range a.V.Dims {
		for e := range d.All() {
			if e.Op != ir.OpIdent {
				continue
			}
			v := p.Kernel.Variable(a.fn, e)
			switch {
			case v == nil:
				if s.first != nil {
					name = e.Name
				}
			case v.Kind == ir.VarTemplateValue || v.Kind == ir.VarParam:
				if s.first != nil {
					name = e.Name
				}
			case v.Decl != nil && v.Kind == ir.VarLocal:
				if s.Place == nil || v.Decl.Range.End > at || !s.Place.Inside(v.Decl.Parent) {
					name = e.Name
				}
			case v.File == f && v.Range.Start > at:
				name = e.Name
			}
		}
	}
	for _, word := range parser.Words(a.spec + " " + kit.Text(f, a.V.Range)) {
		there, isThere := f.Macros.Lookup(word, at)
		here, isHere := f.Macros.Lookup(word, a.V.Range.Start)
		if isThere != isHere || isHere && (there.Body != here.Body || here.Ambiguous) {
			name = word
		}
	}
	base := a.V.Type.Base
	for t := range p.Kernel.Func.Body.All() { // a type of the kernel's own
		if t.Op == ir.StmtEmpty && slices.Contains(parser.Words(kit.Text(p.Kernel.File, t.Range)), base) {
			name = base
		}
	}
	if s.first != nil && evaluate.SizeOf(p.Kernel, a.fn, ir.Type{Base: base}) == 0 {
		name = base
	}
	return name
}
