package demotion

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// maxElements is the largest number of elements of an array of words.
const maxElements = 32

// setType reads off the declaration what a word consists of, or reports why it has no such type.
func (x *finder) setType(w *Word) string {
	v, fn := w.Var, w.Func
	t := x.typeOf(fn, v.Type)
	switch {
	case v.Type.Ref:
		return "it is a reference"
	case v.Type.IsAuto():
		return "its type is deduced: write the type"
	case v.Type.Function || v.Type.Ptr > 0 && len(v.Dims) > 0:
		return "it is a pointer to an array or a function, or an array of pointers"
	case v.Type.Volatile && v.Type.Ptr == 0:
		return "it is volatile already"
	case strings.ContainsAny(v.Type.Base, "{}") || x.declaredIn(fn, v.Type.Base) || x.macroSince(fn, v):
		return "its type is declared inside the function: the words stand at its top"
	case t.kind == unknown:
		return "it has a type " + v.Type.String() + " of which smux does not know that it is a number"
	case t.kind == vector && len(v.Dims) > 0:
		return "it is an array of vectors"
	case t.kind == vector && (t.name == "dim3" || v.Type.Base != t.name):
		return "it has a type " + v.Type.String() + ", which is not float2, float3, int2 and so on by that name"
	case t.bytes != 4 && t.bytes != 8:
		return "it is of " + v.Type.String() + ": only numbers of four and eight bytes move"
	case v.Pack:
		return "it is a pack"
	case x.constant(fn, v):
		return "it is a constant, which needs no register"
	}
	w.Bytes, w.Words = t.bytes, t.bytes/4
	if v.Init != nil && v.Init.Op != ir.OpInitList {
		from := x.expr(fn, v.Init)
		w.Plain = t.kind == vector && from.kind == vector && from.name == t.name || t.kind != vector && (from.kind == number || from.kind == pointer)
	}
	w.launched = t.launched
	scalar, why := scalarText(fn.File, v)
	if why != "" {
		return why
	}
	w.Scalar = scalar
	if t.kind == vector {
		w.Scalar, w.Fields = t.scal, []string{"x", "y", "z", "w"}[:t.comps]
		w.Words *= t.comps
		if v.Type.Const {
			return "it is a const vector"
		}
	}
	if len(v.Dims) > 0 {
		return x.setElements(w)
	}
	return ""
}

// setElements is setType for an array.
func (x *finder) setElements(w *Word) string {
	v := w.Var
	if len(v.Dims) > 1 || v.Dims[0] == nil {
		return "it is an array of several dimensions, or of none that is written"
	}
	n, ok := x.facts.Constant(w.Func, v.Dims[0])
	varies := false
	for e := range v.Dims[0].All() {
		varies = varies || e.Var != nil && e.Var.Kind == ir.VarTemplateValue
	}
	switch {
	case !ok || varies:
		return "the number of its elements is not the same constant everywhere"
	case n < 1 || n > maxElements:
		return "it is not a small array"
	case v.Type.Const:
		return "it is a const array"
	case v.Init != nil && (v.Init.Op != ir.OpInitList || int64(len(v.Init.Kids)) > n):
		return "its initialiser is not a list"
	}
	if v.Init != nil {
		for _, k := range v.Init.Kids {
			if k.Op == ir.OpInitList || x.expr(w.Func, k).kind != number {
				return "its initialiser holds more than numbers"
			}
		}
		if strings.Contains(string(w.Func.File.Src[v.Init.Range.Start:v.Init.Range.End]), "#") {
			return "its initialiser holds a directive"
		}
	}
	w.Count = int(n)
	w.Words *= w.Count
	return ""
}

// macroSince reports whether a word of a variable's type stands for something else
// at the declaration than at the function's top.
func (x *finder) macroSince(fn *ir.Func, v *ir.Var) bool {
	for _, name := range parser.Words(v.Type.Base) {
		before, was := fn.File.Macros.Lookup(name, int(fn.View.Body.Start))
		now, is := fn.File.Macros.Lookup(name, v.Range.Start)
		if was != is || is && before.Body != now.Body {
			return true
		}
	}
	return false
}

var (
	wordBoundary = regexp.MustCompile(`\b(const|register|__restrict__|__restrict|restrict)\b`)
	onlyStars    = regexp.MustCompile(`^[\s*]*$`)
)

// scalarText is the type of a component of a word as it can be written in a
// declaration, or why the declaration holds more than a type.
func scalarText(f *parser.File, v *ir.Var) (scalar, why string) {
	spec := string(f.Src[v.Decl.Range.Start:v.Decl.Vars[0].Range.Start])
	all := string(f.Src[v.Range.Start:v.Range.End])
	at := nameIn(all, v.Name)
	if at < 0 {
		return "", "its declaration is not understood"
	}
	plain := func(s string) string { return strings.Join(strings.Fields(wordBoundary.ReplaceAllString(s, " ")), " ") }
	stars := plain(all[:at])
	rest := strings.TrimSpace(all[at+len(v.Name):])
	switch {
	case plain(strings.ReplaceAll(spec, "volatile", " ")) != plain(v.Type.Base):
		return "", "its declaration says more than a type"
	case !onlyStars.MatchString(stars) || strings.Count(stars, "*") != v.Type.Ptr:
		return "", "its declarator is more than a name"
	case rest != "" && !strings.ContainsAny(rest[:1], "=({["):
		return "", "its declarator is more than a name"
	case v.Type.Ptr > 1 && wordBoundary.MatchString(all[:strings.LastIndexByte(all[:at], '*')]):
		return "", "its declarator is more than a name"
	case v.Type.Ptr == 0:
		return v.Type.Base, ""
	}
	out := v.Type.Base
	if strings.Contains(" "+strings.Join(strings.Fields(spec), " ")+" ", " const ") {
		out = "const " + strings.TrimSpace(out)
	}
	if v.Type.Volatile {
		out = "volatile " + out
	}
	return out + " " + strings.Repeat("*", v.Type.Ptr), ""
}

// nameIn returns the offset of a name as a word in a declarator, -1 where it has none.
func nameIn(s, name string) int {
	at := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).FindStringIndex(s)
	if at == nil {
		return -1
	}
	return at[0]
}

// constant reports whether a variable has a value that the compiler knows, or one
// that the language lets stand where a constant is due.
func (x *finder) constant(fn *ir.Func, v *ir.Var) bool {
	if v.Init == nil || v.AddrTaken || v.Type.Ptr > 0 || len(v.Dims) > 0 || len(v.Writes) > 0 {
		return false
	}
	if _, ok := x.facts.Constant(fn, v.Init); ok {
		return true
	}
	if !v.Type.Const || v.Type.Base == "float" || v.Type.Base == "double" {
		return false
	}
	fixed := true
	for e := range v.Init.All() {
		switch {
		case e.Op == ir.OpIdent && e.Var != nil:
			switch e.Var.Kind {
			case ir.VarParam:
				fixed = false
			case ir.VarLocal:
				fixed = fixed && e.Var.Type.Const
			}
		case e.Op == ir.OpIdent:
			fixed = fixed && !intrinsic.IsMergedVariable(e.Name)
		case e.Op == ir.OpDeref, e.Op == ir.OpIndex, e.Op == ir.OpAssign, e.Op == ir.OpIncDec:
			fixed = false
		}
	}
	return fixed
}

// place reports what stands against taking the declaration of a variable apart.
func (x *finder) place(fn *ir.Func, v *ir.Var) string {
	d := v.Decl
	if fn.View.Error != nil || d == nil || d.Op != ir.StmtDecl || d.Parent == nil || v.File != fn.File {
		return "its declaration is not a statement"
	}
	jumps := false
	fn.Body.Walk(func(s *ir.Stmt) bool {
		jumps = jumps || s.Op == ir.StmtGoto || s.Op == ir.StmtLabel
		return !jumps
	})
	switch p := d.Parent; {
	case jumps:
		return "the function has a goto or a label"
	case v.Macro || d.Macro || p.Macro:
		return "it is declared in a macro"
	case p.Op == ir.StmtCase, p.Op == ir.StmtCompound && p.Parent != nil && p.Parent.Op == ir.StmtSwitch:
		return "it is declared between the cases of a switch, which jump over it"
	case p.Op != ir.StmtCompound:
		return "it is declared in the head of a statement"
	}
	for s := d.Parent; s != nil; s = s.Parent {
		if s.Preproc || s.NoScope {
			return "it is declared between #if and #endif, or in a macro"
		}
	}
	src := fn.File.Src
	for i, o := range d.Vars {
		if i > 0 && strings.Contains(string(src[d.Vars[i-1].Range.End:o.Range.Start]), "#") {
			return "its declaration holds a directive"
		}
	}
	return ""
}

// hidden finds a mention of a variable's name that the analysis has no expression for: in a lambda, in decltype, in a
// branch of an #if that is not taken, in a class inside the function.
func (x *finder) hidden(fn *ir.Func, v *ir.Var) (int, string) {
	known := map[int]bool{}
	var macros []ir.Range // uses of macros whose expansion names the variable
	for o, list := range x.walk(fn).uses {
		for _, u := range list {
			if u.ident.Name != v.Name {
				continue
			}
			known[u.ident.Range.Start] = true
			if u.ident.Macro && o == v {
				macros = append(macros, u.ident.Range)
			}
		}
	}
	for _, o := range fn.Vars {
		if o.Name == v.Name && o.Range.End > o.Range.Start {
			known[o.Range.Start+max(0, nameIn(string(fn.File.Src[o.Range.Start:o.Range.End]), o.Name))] = true
		}
	}
	at, why := 0, ""
	for _, r := range macros {
		expanded, err := fn.File.Macros.Expand(string(fn.File.Src[r.Start:r.End]), r.Start)
		if err != nil || slices.ContainsFunc(parser.Words(expanded), func(w string) bool {
			return w == "decltype" || w == "typeof" || w == "__typeof__" || w == "__typeof" || w == "auto"
		}) {
			return r.Start, "a macro uses it that smux does not follow"
		}
	}
	fn.View.Body.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindIdentifier, parser.KindTypeIdentifier, parser.KindNamespaceIdentifier:
		default:
			return why == ""
		}
		if why != "" || fn.File.Text(n) != v.Name || known[int(n.Start)] {
			return false
		}
		for _, r := range macros {
			if r.Start <= int(n.Start) && int(n.End) <= r.End {
				return false
			}
		}
		at, why = int(n.Start), "it is named in a lambda, in decltype, in a class, or where smux does not look"
		return false
	})
	return at, why
}
