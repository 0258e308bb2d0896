package parser

// qualify collects a function's qualifiers: those that were masked, in front of it and inside, and the C++ ones.
func (b *builder) qualify(f *Function) {
	end := int(f.Node.End)
	if f.Body != nil {
		end = int(f.Body.Start)
	}
	marks := b.file.Marks
	for i := firstMark(marks, f.Start); i < len(marks) && marks[i].Start < end; i++ {
		m := &marks[i]
		if m.Kind != MarkQualifier && m.Kind != MarkMacro || b.inParameters(f, m) {
			continue
		}
		f.Quals |= m.Quals
		if m.Quals&QualGlobal != 0 {
			b.claimed[m.Start] = true
		}
		if f.LaunchBounds == nil && b.setsLaunchBounds(m) {
			f.LaunchBounds = m
		}
		if m.Kind == MarkMacro && b.attrs.of(m.Name).externC {
			f.ExternC = true
		}
	}
	for c := f.Node.First; c != nil && c != f.Declared; c = c.Next {
		switch c.Kind {
		case KindStorageClassSpecifier, KindTypeQualifier:
			switch b.file.Text(c) {
			case "static":
				f.Quals |= QualStatic
			case "extern":
				f.Quals |= QualExtern
			case "constexpr":
				f.Quals |= QualConstexpr
			}
		}
	}
}

// inParameters reports whether a mark stands among the function's parameters or
// template parameters, and so does not qualify the function.
func (b *builder) inParameters(f *Function, m *Mark) bool {
	if f.ParamList != nil && m.Start > int(f.ParamList.Start) && m.End < int(f.ParamList.End) {
		return true
	}
	if f.Outer.Kind == KindTemplateDeclaration {
		list := f.Outer.Child(FieldParameters)
		return list != nil && m.Start > int(list.Start) && m.End < int(list.End)
	}
	return false
}

func (b *builder) setsLaunchBounds(m *Mark) bool {
	switch m.Name {
	case "__launch_bounds__", "C10_LAUNCH_BOUNDS_0", "C10_LAUNCH_BOUNDS_1", "C10_LAUNCH_BOUNDS_2":
		return true
	}
	return m.Kind == MarkMacro && b.attrs.of(m.Name).bounds
}

// MacroQualifiers returns the qualifiers that an attribute-like user macro of this file stands for, such as
// QualShared for "#define SMEM __shared__". A macro that was not used like a qualifier has none.
func (f *File) MacroQualifiers(name string) Qualifiers { return f.macroQuals[name] }

// noteMacroQualifiers fills what MacroQualifiers answers.
func (b *builder) noteMacroQualifiers() {
	b.file.macroQuals = map[string]Qualifiers{}
	for i := range b.file.Marks {
		if m := &b.file.Marks[i]; m.Kind == MarkMacro {
			b.file.macroQuals[m.Name] |= m.Quals
		}
	}
}

// lostKernels notes each __global__ that no function has.
func (b *builder) lostKernels() {
	marks := b.file.Marks
	for i := range marks {
		m := &marks[i]
		if m.Quals&QualGlobal == 0 || b.claimed[m.Start] {
			continue
		}
		b.file.Lost = append(b.file.Lost, LostKernel{Name: b.nameAfter(m.End), Mark: m})
	}
}

// nameAfter returns the word before the first '(' after an offset.
func (b *builder) nameAfter(at int) string {
	src, name := b.file.masked, ""
	for at = skipBlank(src, at); at < len(src); at = skipBlank(src, at) {
		end := at
		for end < len(src) && isIdentByte(src[end]) {
			end++
		}
		switch {
		case end > at:
			name, at = string(src[at:end]), end
		case src[at] == '(':
			return name
		case src[at] == '*' || src[at] == '&' || src[at] == ':' || src[at] == '<' || src[at] == '>' || src[at] == ',':
			at++
		default:
			return ""
		}
	}
	return ""
}
