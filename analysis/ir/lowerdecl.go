package ir

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// TypeOf reads the specifiers of a declaration or parameter: base type and
// cv-qualifiers. Declarators add pointers and arrays.
func (l *lowerer) typeOf(c *source, n *parser.Node) Type {
	var t Type
	for k := n.First; k != nil; k = k.Next {
		if k.Field == parser.FieldDeclarator {
			break
		}
		switch {
		case k.Field == parser.FieldType:
			t.Base = l.inLibrary(c, strings.Join(strings.Fields(c.str(k)), " "))
			if k.Kind == parser.KindPlaceholderTypeSpecifier || k.Kind == parser.KindAuto {
				t.Base = "auto"
			}
			if k.Kind == parser.KindDecltype || t.Base == "auto" && strings.HasPrefix(c.str(k), "decltype") {
				of := l.lookup(strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(c.str(k), "decltype"), "("), ")")))
				t.Base, t.Ref = "decltype", of == nil || of.Type.Ref // decltype((x)) is a reference, and so may be that of other expressions
			}
			if k.Kind != parser.KindClassSpecifier {
				t.Record = l.record(c, k)
			}
		case k.Kind == parser.KindTypeQualifier:
			switch c.str(k) {
			case "const", "constexpr":
				t.Const = true
			case "volatile":
				t.Volatile = true
			}
		}
	}
	return t
}

// declarator fills in v from a declarator node: name, pointers, references, array dimensions, constructor arguments.
func (l *lowerer) declarator(c *source, d *parser.Node, v *Var) {
	for d != nil {
		switch d.Kind {
		case parser.KindIdentifier, parser.KindFieldIdentifier:
			v.Name = c.str(d)
			return
		case parser.KindPointerDeclarator, parser.KindAbstractPointerDeclarator:
			v.pointed()
			for k := d.First; k != nil; k = k.Next {
				if k.Kind == parser.KindTypeQualifier {
					switch q := c.str(k); {
					case q == "const":
						v.Type.Const = true
					case strings.Contains(q, "restrict"):
						v.Type.Restrict = true
					}
				}
			}
			d = d.Child(parser.FieldDeclarator)
		case parser.KindReferenceDeclarator, parser.KindAbstractReferenceDeclarator:
			v.Type.Ref = true
			d = d.FirstNamed()
		case parser.KindArrayDeclarator, parser.KindAbstractArrayDeclarator:
			var dim *Expr
			if s := d.Child(parser.FieldSize); s != nil {
				dim = l.expr(c, s)
			}
			v.arrayed(dim)
			d = d.Child(parser.FieldDeclarator)
		case parser.KindParenthesizedDeclarator, parser.KindAttributedDeclarator, parser.KindAbstractParenthesizedDeclarator:
			d = d.FirstNamed()
		case parser.KindFunctionDeclarator, parser.KindAbstractFunctionDeclarator:
			// dim3 grid(bx, by); inside a function is read by the grammar as the
			// declaration of a function: take the "parameters" as arguments.
			inner := d.Child(parser.FieldDeclarator)
			if inner != nil && inner.Kind == parser.KindIdentifier && l.fn.Body == nil && v.Kind != VarParam {
				v.Init = l.constructorArgs(c, d.Child(parser.FieldParameters))
				v.Type.Function = v.Init == nil
			} else {
				v.Type.Function = true
			}
			d = inner
		case parser.KindStructuredBindingDeclarator:
			l.problem(c.rng(d), "structured binding")
			return
		default:
			return
		}
	}
}

// pointed makes a pointer of what a declarator says so far, from outside to the name.
func (v *Var) pointed() {
	if v.Type.Rows = rowsOf(v.Type, v.Dims); v.Type.Ptr > 0 {
		v.Type.Rows = nil // of pointers, or a pointer to such a pointer
	}
	if v.Type.Ptr++; v.Type.Ptr == 1 {
		v.Type.PtrConst, v.Type.Const = v.Type.Const, false
	}
}

// arrayed makes an array of it. Declarators nest inside out: the outermost dimension is met last.
func (v *Var) arrayed(dim *Expr) {
	if v.Type.Ptr > 0 {
		v.Type.Rows = nil // an array of such pointers
	}
	v.Dims = append([]*Expr{dim}, v.Dims...)
}

// rowsOf returns the rows that a pointer to an array of some dimensions points to, nil for none.
func rowsOf(t Type, dims []*Expr) *Rows {
	if len(dims) == 0 || slices.Contains(dims, nil) {
		return nil
	}
	return &Rows{Extents: slices.Clone(dims), Const: t.Const}
}

// constructorArgs parses the text of a parameter list as call arguments.
func (l *lowerer) constructorArgs(c *source, params *parser.Node) *Expr {
	if params == nil {
		return nil
	}
	text := "f" + c.str(params)
	if c.frag == nil {
		texts, err := l.cache.Macros(c.file).Alternatives(text, int(params.Start))
		if err != nil {
			l.problem(c.rng(params), "macro that can't be expanded")
			return nil
		}
		if len(texts) > 1 {
			return &Expr{Op: OpLiteral, Name: text, Range: c.rng(params)} // a value, but not which
		}
		text = texts[0]
	}
	frag := l.cache.fragment(text, parser.FragmentExpression)
	if frag == nil {
		return nil // parameters after all: the declaration of a function
	}
	sub := &source{text: frag.Src, file: c.file, frag: frag, at: c.rng(params), depth: c.depth + 1}
	call := l.expr(sub, frag.Nodes[0])
	return &Expr{Op: OpInitList, Kids: call.Args(), Range: c.rng(params)}
}

// declaration lowers a declaration statement.
func (l *lowerer) declaration(c *source, n *parser.Node, parent *Stmt) *Stmt {
	s := &Stmt{Op: StmtDecl, Parent: parent, Macro: c.frag != nil}
	s.Range = c.rng(n)
	l.in = s
	from := 0
	if p := l.prevSibling(n); p != nil {
		from = int(p.End)
	} else if n.Parent != nil && n.Parent.Parent != nil {
		from = int(n.Parent.Start) // the root's leaves out the qualifiers that a file begins with
	}
	quals, first := c.qualifiers(from, int(n.End))
	if first >= 0 && first < int(n.Start) && c.frag == nil {
		s.Range.Start = first
	}
	kind, extern, static, constexpr := VarLocal, false, false, false
	for _, q := range quals {
		switch q {
		case "__shared__":
			kind = VarShared
		case "__constant__":
			kind = VarConstant
		}
		if kind == VarLocal && l.file.MacroQualifiers(q)&parser.QualShared != 0 {
			kind = VarShared
		}
	}
	for k := n.First; k != nil; k = k.Next {
		if k.Kind == parser.KindStorageClassSpecifier {
			switch c.str(k) {
			case "extern":
				extern = true
			case "static":
				static = true
			}
		}
		if k.Kind == parser.KindTypeQualifier && c.str(k) == "constexpr" {
			constexpr = true
		}
	}
	if t := n.Child(parser.FieldType); t != nil {
		if t.Kind == parser.KindTypeIdentifier && l.isValue(c, c.str(t)) {
			if l.valued > 0 {
				if s.Expr = l.misreadExpression(c, n); s.Expr != nil {
					s.Op = StmtExpr
					return s
				}
			}
			l.problem(s.Range, "expression that reads like a declaration")
		}
		s.Names = l.localNames(c, t)
	}
	base := l.typeOf(c, n)
	base.Const = base.Const || constexpr
	for d := n.First; d != nil; d = d.Next {
		if d.Field != parser.FieldDeclarator {
			continue
		}
		v := &Var{Kind: kind, Type: base, Decl: s, File: c.file, Range: c.rng(d), Extern: extern, Static: static, Macro: c.frag != nil}
		inner := d
		if d.Kind == parser.KindInitDeclarator {
			inner = d.Child(parser.FieldDeclarator)
		}
		if names := bindingOf(inner); names != nil && kind == VarLocal && !extern && !static {
			l.binding(c, s, d, names, base)
			continue
		}
		l.declarator(c, inner, v)
		if v.Name == "" {
			continue
		}
		if val := d.Child(parser.FieldValue); val != nil && d.Kind == parser.KindInitDeclarator {
			v.Init = l.expr(c, val)
		}
		l.declared(s, v)
	}
	// int *p = a, n; with a class body or a bare type: nothing was declared.
	if len(s.Vars) == 0 {
		s.Op = StmtEmpty
	}
	return s
}

// misreadExpression lowers a declaration whose type is a value as the expression that it is: x * y; is one where its
// value counts. It is nil where it can't be read as one.
func (l *lowerer) misreadExpression(c *source, n *parser.Node) *Expr {
	texts, err := []string{strings.TrimSuffix(c.str(n), ";")}, error(nil)
	if c.frag == nil {
		texts, err = l.cache.Macros(c.file).Alternatives(texts[0], int(n.Start))
	}
	if err != nil || len(texts) != 1 {
		return nil
	}
	return l.macroExpr(c, n, texts)
}

// declared adds a variable to the declaration that it is of.
func (l *lowerer) declared(s *Stmt, v *Var) {
	s.Vars = append(s.Vars, v)
	l.fn.Vars = append(l.fn.Vars, v)
	l.declare(v)
	v.Type.Ref = v.Type.Ref && (v.Init != nil || v.Type.Base != "decltype")
	if v.Type.Ref && v.Init != nil {
		v.Init.unseen()
	}
}

// prevSibling is the node before n under the same parent, comments aside, for they may stand after a qualifier.
// Siblings are linked forwards, and a list of declarations asks for each.
func (l *lowerer) prevSibling(n *parser.Node) *parser.Node {
	if n.Parent == nil {
		return nil
	}
	if l.before == nil {
		l.before, l.listed = map[*parser.Node]*parser.Node{}, map[*parser.Node]bool{}
	}
	if !l.listed[n.Parent] {
		l.listed[n.Parent] = true
		var p *parser.Node
		for k := n.Parent.First; k != nil; k = k.Next {
			if k.Kind != parser.KindComment {
				l.before[k] = p
				p = k
			}
		}
	}
	return l.before[n]
}
