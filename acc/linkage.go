package acc

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// linkage lets the file be linked with the C files of its program: what it shares with them
// keeps C's linkage. A file with a main that calls nothing of other files stays as it is.
func (t *translation) linkage() {
	defined, alone := map[string]bool{}, false
	for _, f := range t.tree.Functions {
		if f.Body != nil {
			defined[f.Name] = true
			alone = alone || f.Name == "main"
		}
	}
	foreign := func(s *source) bool {
		for _, f := range s.tree.Functions {
			if f.Body == nil && f.Class == "" && !defined[f.Name] {
				return true
			}
		}
		return false
	}
	for _, inc := range t.file.Includes {
		for _, h := range t.headers {
			if inc.File != "" && h.file.Name == inc.File && foreign(h) && !strings.Contains(string(h.file.Src), "__cplusplus") {
				t.edits.Insert(inc.Pos, "extern \"C\" {\n")
				t.edits.Insert(inc.End, "\n}")
				alone = false
			}
		}
	}
	if alone && !foreign(t.source) {
		return
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
