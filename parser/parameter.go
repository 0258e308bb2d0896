package parser

// params returns the parameters of a parameter_list. "(void)" has none.
func (b *builder) params(list *Node) (out []Param) {
	if list == nil {
		return nil
	}
	for c := list.First; c != nil; c = c.Next {
		switch c.Kind {
		case KindParameterDeclaration, KindOptionalParameterDeclaration, KindVariadicParameterDeclaration:
			p := Param{
				Node: c, Name: b.file.declaredName(c.Child(FieldDeclarator)), Default: c.Child(FieldDefaultValue),
				Variadic: c.Kind == KindVariadicParameterDeclaration,
			}
			if p.Name == "" && c.Child(FieldDeclarator) == nil && b.file.Text(c) == "void" {
				continue
			}
			out = append(out, p)
		case KindToken:
			if b.file.Text(c) == "..." {
				out = append(out, Param{Node: c, Variadic: true})
			}
		}
	}
	return out
}

// declaredName returns the name in a declarator, "" for an abstract one.
func (f *File) declaredName(d *Node) string {
	for d != nil {
		switch d.Kind {
		case KindIdentifier, KindFieldIdentifier, KindTypeIdentifier:
			return f.Text(d)
		}
		next := d.Child(FieldDeclarator)
		if next == nil {
			next = d.FirstNamed()
			for next != nil && (next.Kind == KindTypeQualifier || next.Kind == KindMsPointerModifier) {
				next = next.NextNamed()
			}
			switch d.Kind {
			case KindParenthesizedDeclarator, KindReferenceDeclarator, KindVariadicDeclarator, KindAttributedDeclarator, KindPointerDeclarator:
			default:
				return ""
			}
		}
		d = next
	}
	return ""
}

// TemplateParams returns the parameters of a template_declaration; not nil even if there are none.
func (f *File) TemplateParams(template *Node) []TemplateParam {
	out := []TemplateParam{}
	list := template.Child(FieldParameters)
	if list == nil {
		return out
	}
	for c := list.First; c != nil; c = c.Next {
		p := TemplateParam{Node: c}
		switch c.Kind {
		case KindTypeParameterDeclaration:
			p.IsType, p.Name = true, f.Text(c.FirstNamed())
		case KindOptionalTypeParameterDeclaration:
			p.IsType, p.Name, p.Default = true, f.Text(c.Child(FieldName)), c.Child(FieldDefaultType)
		case KindVariadicTypeParameterDeclaration:
			p.IsType, p.Pack, p.Name = true, true, f.Text(c.FirstNamed())
		case KindTemplateTemplateParameterDeclaration:
			p.IsType = true
			for k := c.FirstNamed(); k != nil; k = k.NextNamed() {
				switch k.Kind {
				case KindTypeParameterDeclaration, KindOptionalTypeParameterDeclaration, KindVariadicTypeParameterDeclaration:
					p.Name = f.Text(k.FirstNamed())
					p.Pack = k.Kind == KindVariadicTypeParameterDeclaration
				}
			}
		case KindParameterDeclaration, KindOptionalParameterDeclaration, KindVariadicParameterDeclaration:
			p.Name = f.declaredName(c.Child(FieldDeclarator))
			p.Default = c.Child(FieldDefaultValue)
			p.Pack = c.Kind == KindVariadicParameterDeclaration
		default:
			continue
		}
		out = append(out, p)
	}
	return out
}
