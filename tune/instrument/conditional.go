package instrument

import (
	"slices"

	"github.com/smux-cuda/smux/parser"
)

type directive struct {
	start, end int
	word, name string // "define", "X"
}

// within is the parts of a text, as byte ranges, that the preprocessor may leave out.
type within [][2]int

// conditionals returns what stands between #if and #endif, but for an include guard: all of a text that can't be understood.
func conditionals(src []byte) within {
	all, lines := within{{0, len(src)}}, directives(src)
	depth, base, from := 0, 0, 0
	guard := slices.DeleteFunc(slices.Clone(lines), func(d directive) bool { return d.word == "pragma" })
	if len(guard) >= 2 && guard[0].word == "ifndef" && guard[1].word == "define" && guard[0].name != "" && guard[0].name == guard[1].name {
		base = 1
	}
	var out within
	for _, d := range lines {
		switch d.word {
		case "if", "ifdef", "ifndef":
			if depth++; depth == base+1 {
				from = d.start
			}
		case "else", "elif":
			if depth <= base {
				return all
			}
		case "endif":
			if depth == base+1 {
				out = append(out, [2]int{from, d.end})
			}
			if depth--; depth < 0 {
				return all
			}
		}
	}
	if depth != 0 {
		return all
	}
	return out
}

func (w within) contains(offset int) bool {
	return slices.ContainsFunc(w, func(r [2]int) bool { return r[0] <= offset && offset < r[1] })
}

func directives(src []byte) (out []directive) {
	for _, d := range parser.Directives(src) {
		words := parser.TokensBetween(src, d[0], d[1])
		text := func(i int) string {
			if i >= len(words) {
				return ""
			}
			return string(src[words[i].Start:words[i].End])
		}
		out = append(out, directive{d[0], d[1], text(1), text(2)})
	}
	return out
}
