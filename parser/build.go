package parser

// builder fills the typed view of a file from its nodes.
type builder struct {
	file     *File
	attrs    *attributes
	byNode   map[*Node]*Function // function definitions
	claimed  map[int]bool        // starts of the __global__ marks that a function has
	launchAt map[uint32]*Mark    // by the offset of the masked '('
}

// buildView fills the view in one pass over the nodes, which are in preorder.
func buildView(f *File, nodes []Node, attrs *attributes) {
	b := &builder{
		file: f, attrs: attrs,
		byNode:   map[*Node]*Function{},
		claimed:  map[int]bool{},
		launchAt: map[uint32]*Mark{},
	}
	b.noteMacroQualifiers()
	for i := range f.Marks {
		if f.Marks[i].Kind == MarkLaunch {
			b.launchAt[uint32(f.Marks[i].ArgStart-1)] = &f.Marks[i]
		}
	}
	for i := range nodes {
		n := &nodes[i]
		switch n.Kind {
		case KindFunctionDefinition, KindTemplateInstantiation:
			b.function(n, n.Child(FieldDeclarator))
		case KindDeclaration, KindFieldDeclaration:
			if !insideBody(n) {
				b.declarations(n)
			}
		case KindClassSpecifier, KindStructSpecifier, KindUnionSpecifier:
			b.class(n)
		case KindCallExpression:
			if len(b.launchAt) > 0 {
				b.launch(n)
			}
			b.launchCall(n)
		}
		if n.Kind == KindError || n.Flags&FlagMissing != 0 {
			f.Errors = append(f.Errors, n)
		}
	}
	b.lostLaunches()
	b.lostKernels()
}

// insideBody reports whether the node is a statement of a function.
func insideBody(n *Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		switch p.Kind {
		case KindCompoundStatement, KindForStatement, KindConditionClause, KindInitStatement:
			return true
		case KindFieldDeclarationList, KindTranslationUnit, KindDeclarationList:
			return false
		}
	}
	return false
}

func (b *builder) class(n *Node) {
	body := n.Child(FieldBody)
	if body == nil {
		return
	}
	c := &Class{Name: b.lastName(n.Child(FieldName)), Node: n, Body: body}
	b.file.Classes = append(b.file.Classes, c)
}

// lastName returns the unqualified name without template arguments that a name
// node stands for, "" where it is not a plain name.
func (b *builder) lastName(n *Node) string {
	for n != nil {
		switch n.Kind {
		case KindQualifiedIdentifier, KindTemplateFunction, KindTemplateType, KindTemplateMethod:
			n = n.Child(FieldName)
		case KindDependentName:
			n = n.FirstNamed()
		case KindIdentifier, KindFieldIdentifier, KindTypeIdentifier, KindNamespaceIdentifier:
			return b.file.Text(n)
		default:
			return ""
		}
	}
	return ""
}

// faultOf returns the first ERROR or MISSING node inside n, or else the ERROR that n stands in.
func faultOf(n *Node) *Node {
	if n.Flags&FlagHasError != 0 {
		return firstFault(n)
	}
	return n.Ancestor(KindError)
}

func firstFault(n *Node) *Node {
	for n.Kind != KindError && n.Flags&FlagMissing == 0 {
		c := n.First
		for c != nil && c.Flags&FlagHasError == 0 {
			c = c.Next
		}
		if c == nil {
			return n
		}
		n = c
	}
	return n
}
