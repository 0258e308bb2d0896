package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// typeNames are the types that the files of a unit give a name to: typedefs,
// aliases and enumerations.
type typeNames struct {
	// means holds what a name stands for, "" where that differs or can't be
	// said in a word. A name that a class declares has the class in front: C::name.
	means map[string]string
	// functions are all functions that are declared: a call of one is not a cast,
	// whatever else has its name.
	functions map[string]bool
}

// typeNames returns the named types of a file's unit.
func (p *Program) typeNames(f *parser.File) *typeNames {
	if t := p.types[f]; t != nil {
		return t
	}
	t := &typeNames{means: map[string]string{}, functions: map[string]bool{}}
	p.types[f] = t
	for _, r := range p.unitFiles(f) {
		t.collect(r, r.Root, "")
		for _, fn := range r.Functions {
			t.functions[fn.Name] = true
		}
	}
	return t
}

// arithmetic returns the arithmetic type that a name stands for in a function of
// a class ("" for none), ok false where it is none or may be a function.
func (p *Program) arithmetic(f *parser.File, class, name string) (base string, ok bool) {
	t := p.typeNames(f)
	for range maxTypeDepth {
		if isArithmetic(name) {
			return name, true
		}
		if name, ok = t.lookup(class, name); !ok {
			return "", false
		}
	}
	return "", false
}

// isTypeName reports whether a name stands for some type.
func (p *Program) isTypeName(f *parser.File, class, name string) bool {
	_, ok := p.typeNames(f).lookup(class, name)
	return ok
}

func (t *typeNames) lookup(class, name string) (means string, ok bool) {
	if t.functions[name] {
		return "", false
	}
	if class != "" {
		if means, ok = t.means[class+"::"+name]; ok {
			return means, true
		}
	}
	means, ok = t.means[name]
	return means, ok
}

func (t *typeNames) add(class, name, means string) {
	if name == "" {
		return
	}
	if class != "" {
		name = class + "::" + name
	}
	means = strings.TrimSpace(strings.NewReplacer("const ", "", "volatile ", "").Replace(strings.Join(strings.Fields(means), " ")))
	if old, ok := t.means[name]; ok && old != means {
		means = ""
	}
	t.means[name] = means
}

// collect walks the declarations below a node; class is the class around them.
func (t *typeNames) collect(f *parser.File, n *parser.Node, class string) {
	for k := n.First; k != nil; k = k.Next {
		switch k.Kind {
		case parser.KindTypeDefinition:
			t.typedef(f, k, class)
			t.inside(f, k.Child(parser.FieldType), class)
		case parser.KindAliasDeclaration:
			t.add(class, text(f, k.Child(parser.FieldName)), text(f, k.Child(parser.FieldType)))
		case parser.KindEnumSpecifier, parser.KindClassSpecifier, parser.KindStructSpecifier, parser.KindUnionSpecifier:
			t.inside(f, k, class)
		case parser.KindDeclaration, parser.KindFieldDeclaration:
			t.inside(f, k.Child(parser.FieldType), class)
		case parser.KindNamespaceDefinition, parser.KindLinkageSpecification:
			if b := k.Child(parser.FieldBody); b != nil {
				t.collect(f, b, class)
			}
		case parser.KindDeclarationList, parser.KindTemplateDeclaration, parser.KindFieldDeclarationList,
			parser.KindPreprocIf, parser.KindPreprocIfdef, parser.KindPreprocElse, parser.KindPreprocElif:
			t.collect(f, k, class)
		}
	}
}

// inside collects what the specifier of an enumeration or a class names.
func (t *typeNames) inside(f *parser.File, n *parser.Node, class string) {
	if n == nil {
		return
	}
	switch n.Kind {
	case parser.KindEnumSpecifier:
		t.add(class, text(f, n.Child(parser.FieldName)), "int")
	case parser.KindClassSpecifier, parser.KindStructSpecifier, parser.KindUnionSpecifier:
		if name := text(f, n.Child(parser.FieldName)); name != "" && n.Child(parser.FieldBody) != nil {
			t.collect(f, n.Child(parser.FieldBody), name)
		}
	}
}

func (t *typeNames) typedef(f *parser.File, n *parser.Node, class string) {
	underlying := n.Child(parser.FieldType)
	if underlying == nil {
		return
	}
	means := text(f, underlying)
	if underlying.Kind == parser.KindEnumSpecifier {
		means = "int"
	}
	if underlying.Child(parser.FieldBody) != nil && underlying.Kind != parser.KindEnumSpecifier {
		means = ""
	}
	for d := n.First; d != nil; d = d.Next {
		if d.Field != parser.FieldDeclarator {
			continue
		}
		name, means := parser.AliasOf(d, means, f.Text)
		t.add(class, name, means)
	}
}

func text(f *parser.File, n *parser.Node) string {
	if n == nil {
		return ""
	}
	return f.Text(n)
}
