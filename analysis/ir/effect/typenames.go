package effect

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// TypeNames are the types that the files of a unit give a name to: typedefs, aliases and enumerations.
type TypeNames struct {
	// Means holds what a name stands for, "" where that differs or can't be
	// said in a word. A name that a class declares has the class in front: C::name.
	Means map[string]string
	// numbers are the names that stand for one of several numbers, none of them half.
	numbers map[string]bool
	// volatile are the names of types that are volatile.
	volatile map[string]bool
	// functions are all functions that are declared: a call of one is not a cast, whatever else has its name.
	functions map[string]bool
	includes  []string            // the paths of headers
	using     map[string][]string // namespaces, by the names that come from them; "" for all names
	spaces    map[string]bool     // namespaces that the files define
	renamed   map[string][]string // what other names of namespaces stand for
}

// NewTypeNames collects the named types of some files.
func NewTypeNames(files []*parser.File) *TypeNames {
	t := &TypeNames{Means: map[string]string{}, numbers: map[string]bool{}, volatile: map[string]bool{}, functions: map[string]bool{}, using: map[string][]string{}, spaces: map[string]bool{}, renamed: map[string][]string{}}
	for _, f := range files {
		for _, inc := range f.Includes {
			t.includes = append(t.includes, inc.Path)
		}
		t.collect(f, f.Root, "")
		for _, fn := range f.Functions {
			t.functions[fn.Name] = true
		}
	}
	return t
}

// Lookup returns what a name stands for in a function of a class ("" for none), ok false
// where it is no type or may be a function.
func (t *TypeNames) Lookup(class, name string) (means string, ok bool) {
	if t.functions[name] {
		return "", false
	}
	if class != "" {
		if means, ok = t.Means[class+"::"+name]; ok {
			return means, true
		}
	}
	means, ok = t.Means[name]
	return means, ok
}

func (t *TypeNames) add(class, name, means string) {
	if name == "" {
		return
	}
	if class != "" {
		name = class + "::" + name
	}
	if slices.Contains(strings.Fields(means), "volatile") {
		t.volatile[name] = true
	}
	means = strings.TrimSpace(strings.NewReplacer("const ", "", "volatile ", "").Replace(strings.Join(strings.Fields(means), " ")))
	if old, ok := t.Means[name]; ok && (old != means || old == "") {
		t.numbers[name] = isPlainNumber(means) && (t.numbers[name] || isPlainNumber(old))
		means = ""
	}
	t.Means[name] = means
}

func isPlainNumber(name string) bool {
	n, ok := ir.NumberOf(name)
	return ok && n.Name != "half"
}

// collect walks the declarations below a node; class is the class around them.
func (t *TypeNames) collect(f *parser.File, n *parser.Node, class string) {
	for k := n.First; k != nil; k = k.Next {
		switch k.Kind {
		case parser.KindTypeDefinition:
			t.typedef(f, k, class)
			t.inside(f, k.Child(parser.FieldType), class)
		case parser.KindNamespaceAliasDefinition:
			_, means, _ := strings.Cut(strings.TrimSuffix(f.Text(k), ";"), "=")
			name := text(f, k.Child(parser.FieldName))
			t.renamed[name] = append(t.renamed[name], strings.TrimPrefix(strings.TrimSpace(means), "::"))
		case parser.KindUsingDeclaration:
			t.use(strings.Fields(strings.TrimSuffix(f.Text(k), ";")))
		case parser.KindAliasDeclaration:
			t.add(class, text(f, k.Child(parser.FieldName)), text(f, k.Child(parser.FieldType)))
		case parser.KindEnumSpecifier, parser.KindClassSpecifier, parser.KindStructSpecifier, parser.KindUnionSpecifier:
			t.inside(f, k, class)
		case parser.KindDeclaration, parser.KindFieldDeclaration:
			t.inside(f, k.Child(parser.FieldType), class)
		case parser.KindNamespaceDefinition, parser.KindLinkageSpecification:
			t.spaces[text(f, k.Child(parser.FieldName))] = true
			if b := k.Child(parser.FieldBody); b != nil {
				t.collect(f, b, class)
			}
		case parser.KindDeclarationList, parser.KindTemplateDeclaration, parser.KindFieldDeclarationList,
			parser.KindPreprocIf, parser.KindPreprocIfdef, parser.KindPreprocElse, parser.KindPreprocElif:
			t.collect(f, k, class)
		}
	}
}

// use collects what "using a::b" or "using namespace a" makes visible.
func (t *TypeNames) use(words []string) {
	from, name := strings.TrimPrefix(words[len(words)-1], "::"), ""
	if i := strings.LastIndex(from, "::"); i >= 0 && !slices.Contains(words, "namespace") {
		from, name = from[:i], from[i+2:]
	}
	t.using[name] = append(t.using[name], from)
}

// Namespace returns the library's namespace that another name stands for, "" where it may be any.
func (t *TypeNames) Namespace(name string) (means string) {
	for i, m := range t.renamed[name] {
		first, _, _ := strings.Cut(m, "::")
		if i > 0 && m != means || t.spaces[name] || t.spaces[first] || intrinsic.LibraryOf(m) == nil {
			return ""
		}
		means = m
	}
	return means
}

// Uses reports whether a using declaration makes a library's function or class visible in some namespace.
func (t *TypeNames) Uses(name string) bool { return len(t.using[name]) > 0 && t.Library(name) != nil }

// Library returns the library of which a name is that is not qualified: one whose headers are included, or whose
// names are used without the namespace; nil for none.
func (t *TypeNames) Library(name string) *intrinsic.Library {
	for _, from := range t.using[name] {
		if l := intrinsic.LibraryOf(from); l.HasClass(name) || l.HasFunction(name) {
			return l
		}
	}
	for i := range intrinsic.Libraries {
		l := &intrinsic.Libraries[i]
		if l.Lists(name) && (slices.ContainsFunc(t.includes, l.IsHeader) || slices.ContainsFunc(t.using[""], func(from string) bool { return intrinsic.LibraryOf(from) == l })) {
			return l
		}
	}
	return nil
}

// inside collects what the specifier of an enumeration or a class names.
func (t *TypeNames) inside(f *parser.File, n *parser.Node, class string) {
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

func (t *TypeNames) typedef(f *parser.File, n *parser.Node, class string) {
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
		if holds(f, n, "volatile") && class == "" {
			t.volatile[name] = true
		}
		t.add(class, name, means)
	}
}

func text(f *parser.File, n *parser.Node) string {
	if n == nil {
		return ""
	}
	return f.Text(n)
}

// holds reports whether a declaration has a qualifier.
func holds(f *parser.File, n *parser.Node, qualifier string) bool {
	for k := n.First; k != nil; k = k.Next {
		if k.Kind == parser.KindTypeQualifier && f.Text(k) == qualifier {
			return true
		}
	}
	return false
}
