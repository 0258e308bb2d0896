package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goComments are the comments of types and their fields in smux's source, by
// "import/path.Type" and "import/path.Type.Field". The reflector could read them
// itself, but leaves types out that are not exported, as package cmd's are.
type goComments map[string]string

func (c goComments) lookup(t reflect.Type, field string) string {
	key := t.PkgPath() + "." + t.Name()
	if field != "" {
		key += "." + field
	}
	return c[key]
}

// readComments reads the packages below a folder, the module's root.
func readComments(t *testing.T, root string) goComments {
	out := goComments{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		out.file(module+"/"+filepath.ToSlash(dir), f)
		return nil
	})
	require.NoError(t, err)
	return out
}

// file adds the comments of one file.
func (c goComments) file(pkg string, f *ast.File) {
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			s := spec.(*ast.TypeSpec)
			key := pkg + "." + s.Name.Name
			c[key] = commentText(s.Doc, gen.Doc, s.Comment)
			st, ok := s.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range st.Fields.List {
				for _, name := range field.Names {
					c[key+"."+name.Name] = commentText(field.Doc, field.Comment)
				}
			}
		}
	}
}

// commentText is the first of some comments that says anything, on one line.
func commentText(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
			return text
		}
	}
	return ""
}
