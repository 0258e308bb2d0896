package acc

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// Conditions of the preprocessor may ask which language, or which compiler, it is. The result is
// C++ for nvcc, and means what the C program means: the answer of C stands in the place of each
// such question. What nobody but a compiler of C++ sees is no part of the program.

// ofLanguage matches macros that g++ or nvcc define and a C compiler does not, or otherwise.
var ofLanguage = regexp.MustCompile(`^(?:__cplusplus|__STDC_VERSION__|__GNUG__|__CUDA\w*|__NVCC\w*|__GXX_\w+|__cpp_\w+|_GNU_SOURCE|__DEPRECATED|__EXCEPTIONS)$`)

// versionOfC is the value of __STDC_VERSION__, for the C of today's gcc and clang.
const versionOfC = "201710L"

// linkages are the directives around extern "C" { and its end, by their places: they mean the same
// in both languages.
func linkages(src []byte) map[int]bool {
	out := map[int]bool{}
	all := parser.Directives(src)
	begin := -1
	for i, d := range all[:max(0, len(all)-1)] {
		next := all[i+1]
		if spaceless(src[next[0]:next[1]]) != "#endif" || !slices.Contains([]string{"#ifdef__cplusplus", "#ifdefined(__cplusplus)", "#ifdefined__cplusplus"}, spaceless(src[d[0]:d[1]])) {
			continue
		}
		switch spaceless(src[d[1]:next[0]]) {
		case `extern"C"{`:
			begin = d[0]
		case "}":
			if begin >= 0 {
				out[begin], out[d[0]] = true, true
			}
			begin = -1
		}
	}
	return out
}

// spaceless is a text without blanks and comments.
func spaceless(src []byte) string {
	var b strings.Builder
	for _, k := range parser.TokensBetween(src, 0, len(src)) {
		b.Write(src[k.Start:k.End])
	}
	return b.String()
}

// answers are the places where a file asks for the language or the compiler, with what C says.
func answers(f *parser.File) (out []rename) {
	src, linkage := f.Src, linkages(f.Src)
	answer := func(from, to int, new string) {
		out = append(out, rename{at: from, old: string(src[from:to]), new: new, answer: true})
	}
	asks := func(k parser.Token) (string, bool) {
		name := string(src[k.Start:k.End])
		if k.Kind != parser.TokenIdent || !ofLanguage.MatchString(name) {
			return "", false
		}
		if m, ok := f.Macros.Lookup(name, k.Start); ok && m.File != "" {
			return "", false // the program defines it itself
		}
		return name, true
	}
	look := func(toks []parser.Token) {
		for i, k := range toks {
			name, ok := asks(k)
			if !ok {
				continue
			}
			value, isDefined, from, to := "0", "0", k.Start, k.End
			if name == "__STDC_VERSION__" {
				value, isDefined = versionOfC, "1"
			}
			word := func(i int) string {
				if i < 0 || i >= len(toks) {
					return ""
				}
				return string(src[toks[i].Start:toks[i].End])
			}
			switch {
			case word(i-1) == "defined":
				value, from = isDefined, toks[i-1].Start
			case word(i-1) == "(" && word(i-2) == "defined" && word(i+1) == ")":
				value, from, to = isDefined, toks[i-2].Start, toks[i+1].End
			}
			answer(from, to, value)
		}
	}
	look(f.Tokens())
	for _, d := range parser.Directives(src) {
		toks := parser.TokensBetween(src, d[0], d[1])
		if len(toks) < 3 || linkage[d[0]] {
			continue
		}
		switch word := string(src[toks[1].Start:toks[1].End]); word {
		case "if", "elif":
			look(toks[2:])
		case "define":
			look(toks[3:])
		case "ifdef", "ifndef", "elifdef", "elifndef":
			if name, ok := asks(toks[2]); ok {
				value := 0
				if (name == "__STDC_VERSION__") != strings.HasSuffix(word, "ndef") {
					value = 1
				}
				answer(toks[1].Start, toks[2].End, fmt.Sprintf("%s %d", strings.TrimSuffix(strings.TrimSuffix(word, "def"), "n"), value))
			}
		}
	}
	return out
}

// headersInPlace writes headers of the program into the file that say something else to nvcc than to a
// C compiler: those that ask for the language, and those that include openacc.h, which CUDA has not.
func (t *translation) headersInPlace() {
	done := map[string]bool{}
	for _, inc := range t.file.Includes {
		if text, ok := t.inPlace(inc, done); ok && !t.file.Macros.Dead(inc.Pos) {
			t.edits.Replace(inc.Pos, inc.End, text)
		}
	}
}

// inPlace is the text that stands for an #include, false where that can stay. done has the headers that the
// file has already: those in which the #include stands with true.
func (t *translation) inPlace(inc parser.Include, done map[string]bool) (string, bool) {
	h := find(t.headers, func(s *source) bool { return s.file.Name == inc.File })
	if h == nil || !t.isOfC(h.file, map[string]bool{}) {
		return "", false
	}
	var edits edit.Buffer
	again, before := done[inc.File]
	for _, d := range parser.Directives(h.file.Src) {
		if spaceless(h.file.Src[d[0]:d[1]]) == "#pragmaonce" {
			edits.Replace(d[0], d[1], "")
			again = again || before
		}
	}
	if again {
		return "", true
	}
	done[inc.File] = true
	defer func() { done[inc.File] = false }()
	for _, w := range answers(h.file) {
		edits.Replace(w.at, w.at+len(w.old), w.new)
	}
	for _, n := range h.file.Includes {
		if text, ok := t.inPlace(n, done); (ok || n.Path == "openacc.h") && !h.file.Macros.Dead(n.Pos) {
			edits.Replace(n.Pos, n.End, text)
		}
	}
	text, _ := edits.Apply(h.file.Src)
	return fmt.Sprintf("// what %s says to a C compiler:\n%s// the end of %[1]s", inc.Path, strings.TrimRight(string(text), "\n")+"\n"), true
}

// isOfC reports whether a header, or one that it includes, can't be included in the result.
func (t *translation) isOfC(f *parser.File, asked map[string]bool) bool {
	asked[f.Name] = true
	return len(answers(f)) > 0 || slices.ContainsFunc(f.Includes, func(inc parser.Include) bool {
		h := find(t.headers, func(s *source) bool { return s.file.Name == inc.File })
		return !f.Macros.Dead(inc.Pos) && (inc.Path == "openacc.h" || h != nil && !asked[inc.File] && t.isOfC(h.file, asked))
	})
}
