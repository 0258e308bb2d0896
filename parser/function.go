package parser

import "strings"

// declarations looks for functions among the declarators of a declaration.
func (b *builder) declarations(n *Node) {
	for c := n.First; c != nil; c = c.Next {
		if c.Field == FieldDeclarator {
			b.function(n, c)
		}
	}
}

// function adds the function that a declarator of node n declares, if any.
func (b *builder) function(n, declarator *Node) {
	declared, name := functionDeclarator(declarator)
	if declared == nil {
		return
	}
	f := &Function{Node: n, Outer: n, Declared: declared, ParamList: declared.Child(FieldParameters)}
	f.Name, f.Class = b.functionName(name)
	if n.Kind == KindFunctionDefinition {
		if body := n.Child(FieldBody); body != nil && body.Kind == KindCompoundStatement {
			f.Body = body
		} else if n.Child(FieldBody) != nil { // function try block
			f.Body = n.Child(FieldBody).FirstNamed()
			if f.Body != nil && f.Body.Kind != KindCompoundStatement {
				f.Body = nil
			}
		}
	}
	b.surroundings(f)
	b.qualify(f)
	f.Params = b.params(f.ParamList)
	f.Error = faultOf(f.Outer)
	b.file.Functions = append(b.file.Functions, f)
	b.byNode[n] = f
}

// functionDeclarator follows a declarator to the function_declarator that
// holds the function's name. A pointer to a function is none.
func functionDeclarator(d *Node) (declared, name *Node) {
	for d != nil {
		switch d.Kind {
		case KindFunctionDeclarator:
			inner := d.Child(FieldDeclarator)
			for inner != nil && inner.Kind == KindParenthesizedDeclarator && isNameNode(inner.FirstNamed()) {
				inner = inner.FirstNamed()
			}
			if isNameNode(inner) {
				return d, inner
			}
			d = inner
		case KindOperatorCast:
			return operatorCast(d)
		case KindQualifiedIdentifier: // A::operator int() const
			if cast := d.Child(FieldName); cast != nil && cast.Kind == KindOperatorCast {
				return operatorCast(cast)
			}
			return nil, nil
		case KindPointerDeclarator, KindAttributedDeclarator, KindParenthesizedDeclarator, KindReferenceDeclarator:
			if next := d.Child(FieldDeclarator); next != nil {
				d = next
				break
			}
			d = d.FirstNamed()
			for d != nil && (d.Kind == KindMsPointerModifier || d.Kind == KindTypeQualifier) {
				d = d.NextNamed()
			}
		default:
			return nil, nil
		}
	}
	return nil, nil
}

func operatorCast(d *Node) (declared, name *Node) {
	inner := d.Child(FieldDeclarator)
	for inner != nil && inner.Kind != KindAbstractFunctionDeclarator {
		inner = inner.Child(FieldDeclarator)
	}
	return inner, d
}

func isNameNode(n *Node) bool {
	if n == nil {
		return false
	}
	switch n.Kind {
	case KindIdentifier, KindFieldIdentifier, KindTypeIdentifier, KindQualifiedIdentifier, KindTemplateFunction,
		KindTemplateMethod, KindDestructorName, KindOperatorName, KindDependentName:
		return true
	}
	return false
}

// functionName returns a function's unqualified name and, for A::f, the A.
func (b *builder) functionName(n *Node) (name, class string) {
	for n.Kind == KindQualifiedIdentifier && n.Child(FieldName) != nil {
		if scope := n.Child(FieldScope); scope != nil {
			class = b.lastName(scope)
		}
		n = n.Child(FieldName)
	}
	switch n.Kind {
	case KindOperatorName, KindDestructorName:
		return strings.Join(strings.Fields(b.file.Text(n)), ""), class
	case KindOperatorCast:
		return "operator " + b.file.Text(n.Child(FieldType)), class
	}
	if s := b.lastName(n); s != "" {
		return s, class
	}
	if inner := n.Child(FieldName); inner != nil {
		n = inner
	}
	return b.file.Text(n), class
}

// surroundings fills what stands around the function: templates, linkage, class, friend.
func (b *builder) surroundings(f *Function) {
	f.Instantiation = f.Node.Kind == KindTemplateInstantiation
	first := f.Node // where the declaration begins
	direct := true
	for p := f.Node.Parent; p != nil; p = p.Parent {
		switch p.Kind {
		case KindTemplateDeclaration:
			if !direct {
				continue
			}
			if f.Outer == f.Node || f.Outer.Kind != KindTemplateDeclaration {
				f.Template = b.file.TemplateParams(p)
				f.IsTemplate = len(f.Template) > 0
				f.Specialization = !f.IsTemplate
			}
			f.Outer, first = p, p
		case KindFriendDeclaration:
			if direct {
				f.Friend, first = true, p
			}
		case KindLinkageSpecification:
			f.ExternC = f.ExternC || b.file.Text(p.Child(FieldValue)) == `"C"`
			if direct {
				first = p
			}
		case KindClassSpecifier, KindStructSpecifier, KindUnionSpecifier:
			if f.Class == "" {
				f.Class = b.lastName(p.Child(FieldName))
			}
			direct = false
		default:
			direct = false
		}
	}
	f.Start = b.leadingMarks(int(first.Start))
}

// leadingMarks moves a declaration's begin over the qualifiers before it: they are blank to the grammar, and so
// outside of its nodes. A group of #if is passed as a whole, where it holds qualifiers or has some in front of it.
func (b *builder) leadingMarks(start int) int {
	marks := b.file.Marks
	begin, open, held := start, 0, false // held: the open group has qualifiers
	for i := firstMark(marks, start) - 1; i >= 0; i-- {
		m := &marks[i]
		if m.End > start || skipBlank(b.file.masked, m.End) < start {
			break
		}
		switch {
		case m.Kind == MarkQualifier || m.Kind == MarkMacro:
			held = open > 0
		case m.Kind != MarkFix:
			return begin
		case m.Name == FixDeadBranch && open > 0:
		case m.Name == FixDecidedDirective:
			switch d := parseDirective(b.file.Src, span{m.Start, m.End}); d.op {
			case opEndif:
				open++
			case opIf, opIfdef, opIfndef:
				open--
			}
			if open < 0 {
				return begin
			}
		default:
			return begin
		}
		start = m.Start
		if open == 0 && (held || m.Kind != MarkFix) {
			begin, held = start, false
		}
	}
	return begin
}
