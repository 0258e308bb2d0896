package ir

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// LowerGlobals returns the variables and enumerators at namespace scope of a file, by name. A name that is declared
// twice differently keeps its last declaration without an initialiser, so that its value is unknown.
func LowerGlobals(cache *Cache, f *parser.File) map[string]*Var {
	out := map[string]*Var{}
	outside(cache, f).globalsIn(&source{text: f.Src, file: f}, f.Root, out)
	return out
}

func (l *lowerer) globalsIn(c *source, n *parser.Node, out map[string]*Var) {
	for k := n.First; k != nil; k = k.Next {
		switch k.Kind {
		case parser.KindDeclaration:
			if t := k.Child(parser.FieldType); t != nil && t.Kind == parser.KindEnumSpecifier {
				l.enumerators(c, t, func(v *Var) { once(out, v) })
			}
			if d := k.Child(parser.FieldDeclarator); d == nil || d.Kind == parser.KindFunctionDeclarator {
				continue
			}
			for _, v := range l.declaration(c, k, nil).Vars {
				if v.Kind == VarLocal {
					v.Kind = VarGlobal
				}
				once(out, v)
			}
		case parser.KindEnumSpecifier:
			l.enumerators(c, k, func(v *Var) { once(out, v) })
		case parser.KindTypeDefinition:
			if t := k.Child(parser.FieldType); t != nil && t.Kind == parser.KindEnumSpecifier {
				l.enumerators(c, t, func(v *Var) { once(out, v) })
			}
		case parser.KindNamespaceDefinition, parser.KindLinkageSpecification:
			if b := k.Child(parser.FieldBody); b != nil {
				l.globalsIn(c, b, out)
			}
		case parser.KindDeclarationList, parser.KindPreprocIf, parser.KindPreprocIfdef, parser.KindPreprocElse, parser.KindPreprocElif:
			l.globalsIn(c, k, out)
		}
	}
}

// once adds a variable. One that was there before, in another namespace or
// branch of an #if, takes its value away, unless it was a mere declaration.
func once(out map[string]*Var, v *Var) {
	if old := out[v.Name]; old != nil && !(old.Extern && old.Init == nil) {
		v.Init = nil
		v.Type.Const = v.Type.Const && old.Type.Const
		v.Redeclared = true
	}
	out[v.Name] = v
}

// enumerators calls a function with each constant of one enum, before the value of the next one is
// read; a constant without a value is its predecessor plus one.
func (l *lowerer) enumerators(c *source, n *parser.Node, add func(*Var)) {
	body := n.Child(parser.FieldBody)
	if body == nil {
		return
	}
	prev, typ := &Expr{Op: OpInt, Int: -1}, Type{Const: true}
	if base := n.Child(parser.FieldBase); base != nil {
		typ.Base = c.str(base)
	} else if _, base, ok := strings.Cut(string(c.text[n.Start:body.Start]), ":"); ok && n.Child(parser.FieldName) == nil {
		typ.Base = strings.TrimSpace(base) // the grammar has none for enums without a name
	}
	large := func(x *Expr) bool {
		return x.Op == OpInt && (x.Int > math.MaxInt32-1<<16 || x.Tok == "u" || x.Type.Base == "long") || x.Op == OpLiteral && x.Name[0] != '\''
	}
	var all []*Var
	var values []*Expr
	for k := body.FirstNamed(); k != nil; k = k.NextNamed() {
		if k.Kind != parser.KindEnumerator {
			continue
		}
		name := k.Child(parser.FieldName)
		if name == nil {
			continue
		}
		val := &Expr{Op: OpBinary, Tok: "+", Kids: []*Expr{prev, {Op: OpInt, Int: 1}}}
		if e := k.Child(parser.FieldValue); e != nil {
			val = l.expr(c, e)
		}
		all = append(all, &Var{Name: c.str(name), Kind: VarEnumerator, Type: typ, Init: val, File: l.file, Range: c.rng(name)})
		add(all[len(all)-1])
		values, prev = append(values, val), val
	}
	other := slices.ContainsFunc(values, func(e *Expr) bool { return e.Any(large) })
	for _, v := range all {
		if v.Type.Base = cmp.Or(typ.Base, Int.Name); other && typ.Base == "" {
			v.Type.Base = "enum" // no int
		}
	}
}

// LowerValue lowers an expression that stands outside of function bodies: what a member of
// a class begins with, or a default argument. Variables of functions are unknown in it.
func LowerValue(cache *Cache, f *parser.File, n *parser.Node) *Expr {
	return outside(cache, f).expr(&source{text: f.Src, file: f}, n)
}
