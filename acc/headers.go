package acc

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// A header stays as it is, and what it defines is the host's: kernels get copies of the functions
// that they call, by other names.

// wordsOfHeaders defines words of C that headers have and C++ does not, before the first of them.
func (t *translation) wordsOfHeaders() {
	first := slices.IndexFunc(t.file.Includes, func(i parser.Include) bool {
		return !t.file.Macros.Dead(i.Pos) && slices.ContainsFunc(t.headers, func(h *source) bool { return h.file.Name == i.File })
	})
	if first < 0 {
		return
	}
	words := maps.Clone(namesOfC)
	words["restrict"], words["_Bool"] = "__restrict__", "bool"
	for _, h := range t.headers {
		for _, k := range h.file.Tokens() {
			if w := string(h.file.Src[k.Start:k.End]); words[w] != "" && !h.file.Macros.Dead(k.Start) {
				t.edits.Insert(t.file.Includes[first].Pos, fmt.Sprintf("#define %s %s // for %s\n", w, words[w], filepath.Base(h.file.Name)))
				words[w] = ""
			}
		}
	}
}

// fromHeader is the function that a header defines for each file, nil for none.
func (t *translation) fromHeader(name string) (*source, *parser.Function) {
	for _, s := range t.headers {
		for _, f := range s.tree.Functions {
			if f.Name == name && f.Body != nil && headerSpecifiers.MatchString(s.text(f.Node)) {
				return s, f
			}
		}
	}
	return nil, nil
}

// headerSpecifiers are the words before a function that a header may define.
var headerSpecifiers = regexp.MustCompile(`^\s*(?:(?:static|inline|__inline|__inline__|extern)\b\s*)+`)

// copyToDevice makes a copy of a function of a header, and of those that it calls before it; false
// where no header defines it.
func (t *translation) copyToDevice(name string) (bool, error) {
	if t.copies[name] {
		return true, nil
	}
	s, f := t.fromHeader(name)
	if f == nil {
		return false, nil
	}
	t.copies[name] = true
	t.bound[name] = t.unused("acc_" + name)
	at := s.file.Position(f.Start)
	own := map[string]bool{}
	for n := range f.Node.All() {
		if n.Kind == parser.KindIdentifier && n.Field == parser.FieldDeclarator || n.Kind == parser.KindParameterDeclaration {
			s.wordsOf(n, own)
		}
	}
	for n := range f.Body.All() {
		switch {
		case n.Kind == parser.KindCallExpression:
			callee := s.text(n.Child(parser.FieldFunction))
			copied, err := t.copyToDevice(callee)
			if err == nil && !copied && !onDevice(callee) {
				err = refusal(at, CodeCall, fmt.Sprintf("a kernel calls %s, and it calls %s, which is no function that the device has", name, callee), "call it on the host, in front of the region")
			}
			if err != nil {
				return true, err
			}
		case n.Kind == parser.KindIdentifier && !own[s.text(n)]:
			for _, v := range t.byName[s.text(n)] {
				if v.global && !(v.isConst && v.isInteger()) {
					return true, refusal(at, CodeCall, fmt.Sprintf("the function %s runs on the device and uses the variable %s of the file", name, v.name), "hand it over as an argument")
				}
			}
		}
	}
	from, to := s.rangeOf(f.Node)
	text := headerSpecifiers.ReplaceAllString(string(s.file.Src[from:to]), "")
	text = identifier.ReplaceAllStringFunc(text, func(w string) string {
		switch {
		case t.copies[w]:
			return t.bound[w]
		case w == "restrict":
			return "__restrict__"
		case w == "_Bool":
			return "bool"
		}
		return w
	})
	t.copied += fmt.Sprintf("// %s is %s of %s, for the device.\n__host__ __device__ static inline %s\n\n", t.bound[name], name, filepath.Base(s.file.Name), strings.TrimSpace(text))
	t.uses["acc_functions"] = strings.TrimSuffix(t.copied, "\n")
	return true, nil
}
