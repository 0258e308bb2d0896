package acc

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// linkage lets the file be linked with the C files of its program: what it shares with them
// keeps C's linkage. A file with a main that calls nothing of other files stays as it is.
func (t *translation) linkage() {
	alone := t.functionNamed("main") != nil
	declares := func(s *source, here bool) bool {
		return slices.ContainsFunc(s.tree.Functions, func(f *parser.Function) bool {
			return f.Body == nil && f.Class == "" && (here || t.functionNamed(f.Name) == nil)
		})
	}
	foreign := func(s *source) bool { return declares(s, false) }
	var own []parser.Include // of headers that declare what this file defines
	wrap := func(inc parser.Include) {
		t.edits.Insert(inc.Pos, "extern \"C\" {\n")
		t.edits.Insert(inc.End, "\n}")
	}
	for _, inc := range t.file.Includes {
		for _, h := range t.headers {
			switch {
			case inc.File == "" || h.file.Name != inc.File || strings.Contains(string(h.file.Src), "__cplusplus"):
			case foreign(h):
				wrap(inc)
				alone = false
			case declares(h, true):
				own = append(own, inc)
			}
		}
	}
	if alone && !foreign(t.source) {
		return
	}
	for _, inc := range own {
		wrap(inc)
	}
	for _, f := range t.tree.Functions {
		if f.Quals&parser.QualStatic != 0 || f.Name == "main" || f.Class != "" || f.ExternC || f.Outer.Parent != t.tree.Root {
			continue
		}
		from, _ := t.original(f.Start, f.Start+1)
		if text := string(t.file.Src[from:]); strings.HasPrefix(text, "extern") {
			t.edits.Insert(from+len("extern"), " \"C\"")
		} else {
			t.edits.Insert(from, "extern \"C\" ")
		}
	}
}
