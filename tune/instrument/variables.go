package instrument

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// nameVariables adds to the end of a unit what tells the prelude of the device's variables in view, for checks.
func nameVariables(b *edit.Buffer, p *parser.Program, unit *parser.File) {
	text := ""
	for i, name := range variables(p, unit, map[*parser.File]bool{}) {
		text += fmt.Sprintf("static Variable smux_variable_%d(%s);\n", i+1, name)
	}
	if text != "" {
		b.Insert(len(unit.Src), "\nnamespace smux_launch {\n"+text+"}\n")
	}
}

// variables returns the full names of the device's variables that a file and what it includes are certain to define.
func variables(p *parser.Program, f *parser.File, seen map[*parser.File]bool) (out []string) {
	if seen[f] {
		return nil
	}
	seen[f] = true
	left := conditionals(f.Src)
	for _, inc := range f.Includes {
		if left.contains(inc.Pos) || inc.File == "" {
			continue
		}
		reach := p.Reach(f)
		if i := slices.IndexFunc(reach, func(g *parser.File) bool { return g != f && filepath.Clean(g.Name) == filepath.Clean(inc.File) }); i >= 0 {
			out = append(out, variables(p, reach[i], seen)...)
		}
	}
	s := scope{file: f, left: left}
	s.visit(f.Root, "::")
	return append(out, s.names...)
}

type scope struct {
	file  *parser.File
	left  within
	names []string
}

// visit looks at declarations in a namespace, but for those in branches of the preprocessor, classes and templates.
func (s *scope) visit(n *parser.Node, namespace string) {
	from := int(n.Start)
	if n == s.file.Root {
		from = 0 // the first qualifiers are blank to the grammar
	}
	for k := n.First; k != nil; k = k.Next {
		switch k.Kind {
		case parser.KindDeclaration:
			s.declaration(k, from, namespace)
		case parser.KindNamespaceDefinition:
			inner := namespace
			if name := k.Child(parser.FieldName); name != nil {
				inner += strings.Join(strings.Fields(s.file.Text(name)), "") + "::"
			}
			if body := k.Child(parser.FieldBody); body != nil && !strings.HasPrefix(inner, "::smux::") {
				s.visit(body, inner)
			}
		case parser.KindLinkageSpecification:
			if body := k.Child(parser.FieldBody); body != nil && body.Kind == parser.KindDeclarationList {
				s.visit(body, namespace)
			}
		case parser.KindPreprocIfdef: // an include guard
			s.visit(k, namespace)
		}
		from = int(k.End)
	}
}

// declaration adds the declared names of variables that a kernel can change. The qualifiers stand between from and the end.
func (s *scope) declaration(n *parser.Node, from int, namespace string) {
	var quals parser.Qualifiers
	for _, m := range s.file.MarksBetween(from, int(n.End)) {
		quals |= m.Quals
	}
	if quals&parser.QualDevice == 0 || quals&(parser.QualShared|parser.QualConstant|parser.QualManaged|parser.QualExtern|parser.QualConst|parser.QualConstexpr) != 0 || s.left.contains(int(n.Start)) {
		return
	}
	var names []string
	for k := n.First; k != nil; k = k.Next {
		switch {
		case k.Kind == parser.KindStorageClassSpecifier && s.file.Text(k) == "extern", k.Kind == parser.KindTypeQualifier && strings.HasPrefix(s.file.Text(k), "const"):
			return
		case k.Field == parser.FieldDeclarator:
			name := s.declared(k)
			if name == "" {
				return // a function, say
			}
			names = append(names, namespace+name)
		}
	}
	s.names = append(s.names, names...)
}

// declared returns the name in a declarator of a variable, "" for another one.
func (s *scope) declared(n *parser.Node) string {
	for n != nil {
		switch n.Kind {
		case parser.KindIdentifier:
			return s.file.Text(n)
		case parser.KindInitDeclarator, parser.KindArrayDeclarator, parser.KindPointerDeclarator:
			n = n.Child(parser.FieldDeclarator)
		default:
			return ""
		}
	}
	return ""
}
