package acc

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/words"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// Words of C that C++ has by other names, or not at all, are written as C++ has them before
// anything else is looked at: what is translated is a C program that C++ takes, too.

// plain is a program whose file has words that C++ takes, and the messages on it.
func plain(prog *parser.Program, f *parser.File) (*parser.Program, *parser.File, []diag.Message, error) {
	for _, h := range prog.Reach(f)[1:] {
		for _, w := range words.In(h, words.Clashing(h)) {
			if w.New != "" && words.OfC[w.Old] == "" {
				return nil, nil, nil, refusal(h.Position(w.At), CodeCPlusPlus, fmt.Sprintf("the name %s, which %s, in a file that is included", w.Old, w.Whose()), "call it otherwise")
			}
		}
	}
	for _, k := range f.Tokens() {
		if w := string(f.Src[k.Start:k.End]); slices.Contains(words.OnlyInC, w) && !f.Macros.Dead(k.Start) {
			return nil, nil, nil, refusal(f.Position(k.Start), CodeCPlusPlus, w+": C++ does not take it", "write it another way")
		}
	}
	var said []diag.Message
	var out bytes.Buffer
	done, told := 0, map[string]bool{}
	clash := words.Clashing(f)
	for _, name := range words.Everywhere {
		clash[name] = true
	}
	edits := append(words.In(f, clash), words.Answers(f)...)
	slices.SortStableFunc(edits, func(a, b words.Edit) int { return cmp.Compare(a.At, b.At) })
	for _, w := range edits {
		out.Write(f.Src[done:w.At])
		done = w.At + len(w.Old)
		out.WriteString(w.New)
		if w.Answer && !told[""] {
			told[""] = true
			said = append(said, diag.Message{Pos: f.Position(w.At), Code: CodeCPlusPlus, Text: "this asks for the language or the compiler: the answer that C has is written here", Help: "nothing needs to be done"})
		}
		if !w.Answer && !told[w.Old] && w.Old != "" && words.OfC[w.Old] == "" {
			told[w.Old] = true
			said = append(said, diag.Message{Pos: f.Position(w.At), Code: CodeCPlusPlus, Text: fmt.Sprintf("%s %s: it is called %s", w.Old, w.Whose(), w.New), Help: "nothing needs to be done, where no other file of the program has the name"})
		}
	}
	if out.Len() == 0 {
		return prog, f, nil, nil
	}
	out.Write(f.Src[done:])
	prog, err := prog.Reread(f, out.Bytes())
	if err != nil {
		return nil, nil, nil, err
	}
	return prog, prog.Files[0], said, nil
}

// headersInPlace writes headers of the program into the file that say something else to nvcc than to a
// C compiler: those that ask for the language, and those that include openacc.h, which CUDA has not.
func (t *translation) headersInPlace() {
	done := map[string]bool{}
	for _, inc := range t.file.Includes {
		if text, ok := inPlace(t.headers, inc, done); ok && !t.file.Macros.Dead(inc.Pos) {
			t.edits.Replace(inc.Pos, inc.End, text)
		}
	}
}

// inPlace is the text that stands for an #include, false where that can stay. done has the headers that the
// file has already: those in which the #include stands with true.
func inPlace(headers []*source, inc parser.Include, done map[string]bool) (string, bool) {
	h := find(headers, func(s *source) bool { return s.file.Name == inc.File })
	if h == nil || !isOfC(headers, h.file, map[string]bool{}) {
		return "", false
	}
	var edits edit.Buffer
	again, before := done[inc.File]
	for _, d := range parser.Directives(h.file.Src) {
		if words.Spaceless(h.file.Src[d[0]:d[1]]) == "#pragmaonce" {
			edits.Replace(d[0], d[1], "")
			again = again || before
		}
	}
	if again {
		return "", true
	}
	done[inc.File] = true
	defer func() { done[inc.File] = false }()
	for _, w := range words.Answers(h.file) {
		edits.Replace(w.At, w.At+len(w.Old), w.New)
	}
	for _, n := range h.file.Includes {
		if text, ok := inPlace(headers, n, done); (ok || n.Path == "openacc.h") && !h.file.Macros.Dead(n.Pos) {
			edits.Replace(n.Pos, n.End, text)
		}
	}
	text, _ := edits.Apply(h.file.Src)
	return fmt.Sprintf("// what %s says to a C compiler:\n%s// the end of %[1]s", inc.Path, strings.TrimRight(string(text), "\n")+"\n"), true
}

// isOfC reports whether a header, or one that it includes, can't be included in the result.
func isOfC(headers []*source, f *parser.File, asked map[string]bool) bool {
	asked[f.Name] = true
	return len(words.Answers(f)) > 0 || slices.ContainsFunc(f.Includes, func(inc parser.Include) bool {
		h := find(headers, func(s *source) bool { return s.file.Name == inc.File })
		return !f.Macros.Dead(inc.Pos) && (inc.Path == "openacc.h" || h != nil && !asked[inc.File] && isOfC(headers, h.file, asked))
	})
}
