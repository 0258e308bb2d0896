package macrotext

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// bodyPlace is tokens [from, to) of a macro's body, which go; none where something comes in front of token from.
type bodyPlace struct {
	macro    *parser.Macro
	from, to int
}

// bodyEdits makes the edits in macros: what all uses ask for, with the parameters where it
// differs as their arguments do.
func (b *back) bodyEdits() error {
	places := make([]bodyPlace, 0, len(b.bodies))
	for p := range b.bodies {
		places = append(places, p)
	}
	slices.SortFunc(places, func(p, q bodyPlace) int {
		return cmp.Or(p.macro.Pos-q.macro.Pos, p.from-q.from)
	})
	for _, p := range places {
		f, err := b.fileOf(p.macro)
		if err != nil {
			return err
		}
		body, ok := f.MacroBody(p.macro)
		if !ok || p.to >= len(body)+1 || p.from == 0 {
			return &Error{place(f, p.macro.Pos), "the text of macro " + p.macro.Name + " is not clear"}
		}
		words, ok := unified(b.bodies[p])
		if !ok {
			return &Error{place(f, p.macro.Pos), "its uses need different text in macro " + p.macro.Name}
		}
		start, end := body[p.from-1].End, body[p.from-1].End
		if p.to > p.from {
			start, end = body[p.from].Start, body[p.to-1].End
		}
		b.buffer(f).Append([]edit.Edit{laidOut(f, b.bodies[p][0], words, start, end, "\\")})
	}
	return nil
}

// unified returns the lexemes that uses of a macro ask for at one place, in which what
// differs as the arguments do is the parameter; a word is empty where an argument of
// several tokens became one. ok is false where they differ otherwise.
func unified(uses []inserted) (words []string, ok bool) {
	words = make([]string, len(uses[0].lexemes))
	tokens := make([][]string, len(uses))
	var numbers []int // of the first one's lexemes
	for u, in := range uses {
		for i, l := range in.lexemes {
			switch {
			case !l.comment:
				tokens[u] = append(tokens[u], l.text)
				if u == 0 {
					numbers = append(numbers, i)
				}
			case u == 0:
				words[i] = commentOf(uses, i)
			}
		}
	}
	at := make([]int, len(uses))
	for at[0] < len(tokens[0]) {
		n := numbers[at[0]]
		word, alike := tokens[0][at[0]], true
		for u := range uses {
			alike = alike && at[u] < len(tokens[u]) && tokens[u][at[u]] == word
		}
		if p := parameterAt(uses, tokens, at); p >= 0 && (!alike || len(uses) == 1 && isName(word)) {
			words[n] = uses[0].into.Params[p]
			for u := range uses {
				at[u] += len(uses[u].into.Args[p])
			}
			continue
		}
		if !alike {
			return nil, false
		}
		words[n] = word
		for u := range uses {
			at[u]++
		}
	}
	for u := range uses {
		if at[u] != len(tokens[u]) {
			return nil, false
		}
	}
	return words, true
}

// commentOf is comment i of the first use as all uses have it, with the parameters where
// they differ as their arguments do; empty where they differ otherwise.
func commentOf(uses []inserted, i int) string {
	number := 0
	for _, l := range uses[0].lexemes[:i] {
		if l.comment {
			number++
		}
	}
	found := ""
	for u, in := range uses {
		comments := slices.DeleteFunc(slices.Clone(in.lexemes), func(l lexeme) bool { return !l.comment })
		if number >= len(comments) {
			return ""
		}
		words := strings.Fields(comments[number].text)
		if plain := comments[number].text; slices.ContainsFunc(uses, func(o inserted) bool {
			return !slices.ContainsFunc(o.lexemes, func(l lexeme) bool { return l.text == plain })
		}) {
			for k, w := range words {
				for p, arg := range in.into.Args {
					if len(arg) == 1 && arg[0] == w {
						words[k] = in.into.Params[p]
					}
				}
			}
		}
		text := strings.Join(words, " ")
		if u > 0 && text != found {
			return ""
		}
		found = text
	}
	return found
}

// parameterAt returns the parameter whose argument stands next in each use, -1 for none.
func parameterAt(uses []inserted, tokens [][]string, at []int) int {
	for p := range uses[0].into.Params {
		stands := true
		for u, in := range uses {
			arg := in.into.Args[p]
			stands = stands && len(arg) > 0 && at[u]+len(arg) <= len(tokens[u]) && slices.Equal(arg, tokens[u][at[u]:at[u]+len(arg)])
		}
		if stands {
			return p
		}
	}
	return -1
}

func isName(word string) bool {
	c := word[0] | 0x20
	return c >= 'a' && c <= 'z' || c == '_'
}

// laidOut is the edit that puts words in the place of [start, end) of a macro's definition or of a use: each line of
// what is inserted is on one of its own, set in like its neighbours, and continued by a word.
func laidOut(f *parser.File, in inserted, words []string, start, end int, continued string) edit.Edit {
	src := f.Original()
	lines := linesOf(in, words)
	indent := indentation(src, start)
	if ends := start == end && endsLine(src[end:]); ends && len(lines) > 1 && (lines[0] == "" || !in.lexemes[0].comment && strings.IndexByte(";{}", src[start-1]) >= 0) {
		// They come after the line that ends here.
		at := end + bytes.IndexByte(src[end:], '\n') + 1
		var b strings.Builder
		for _, line := range lines {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if line = indent + line; continued != "" {
				line += " " + continued
			}
			b.WriteString(line + f.Newline())
		}
		return edit.Edit{Start: at, End: at, New: b.String()}
	}
	if continued != "" {
		continued = " " + continued
	}
	lineBreak := continued + f.Newline() + indent
	if len(lines) > 1 && lines[0] == "" && start < end && firstOnLine(src, start) {
		lines = lines[1:]
	}
	text := strings.Join(lines, lineBreak)
	if len(lines) > 1 && endsLine(src[end:]) {
		text = strings.TrimSuffix(text, lineBreak)
	}
	blank := func(at int) bool { return at >= 0 && at < len(src) && (src[at] == ' ' || src[at] == '\t') }
	if strings.HasSuffix(text, lineBreak) {
		for blank(end) {
			end++
		}
	} else if blank(end) {
		text = strings.TrimRight(text, " ")
	}
	if start < end && (blank(start-1) || firstOnLine(src, start)) {
		text = strings.TrimLeft(text, " ")
	}
	return edit.Edit{Start: start, End: end, New: text}
}

// linesOf are the lines of what is inserted, the first and the last of which go on with what is there; a blank at an
// end is one that is wanted. Where there are several, statements that follow one another have a line each.
func linesOf(in inserted, words []string) []string {
	several := strings.Contains(strings.Join(in.gaps, ""), "\n")
	lines, depth, before := []string{""}, 0, ""
	for i, l := range in.lexemes {
		word := words[i]
		if word == "" {
			continue
		}
		if l.comment && strings.HasPrefix(word, "//") {
			word = "/* " + strings.ReplaceAll(strings.TrimSpace(word[2:]), "*/", "* /") + " */"
		}
		last := &lines[len(lines)-1]
		switch gap := in.gaps[i]; {
		case strings.Contains(gap, "\n") || several && depth == 0 && before == ";" && gap != "" && !l.comment:
			lines = append(lines, word)
		case gap != "" || before != "" && in.lexemes[i-1].comment:
			*last += " " + word
		default:
			*last += word
		}
		switch before = word; word {
		case "(":
			depth++
		case ")":
			depth--
		}
	}
	switch gap := in.gaps[len(in.lexemes)]; {
	case strings.Contains(gap, "\n") || several && before == ";" && gap != "":
		lines = append(lines, "")
	case gap != "":
		lines[len(lines)-1] += " "
	}
	return lines
}

// firstOnLine reports whether nothing but blanks is in front of an offset in its line.
func firstOnLine(src []byte, at int) bool {
	for at > 0 && (src[at-1] == ' ' || src[at-1] == '\t') {
		at--
	}
	return at == 0 || src[at-1] == '\n'
}

// endsLine reports whether nothing comes next in a line, a line continuation aside.
func endsLine(src []byte) bool {
	rest := strings.TrimLeft(string(src[:min(len(src), 200)]), " \t")
	rest = strings.TrimPrefix(rest, "\\")
	return rest == "" || rest[0] == '\n' || strings.HasPrefix(rest, "\r\n")
}

// indentation is that of lines that come in at an offset: of the next line where the offset is at the end of one and
// no block ends there, else of its own; four blanks where that is the line of a definition or of a use.
func indentation(src []byte, at int) string {
	own := blanksOf(src, at)
	if endsLine(src[at:]) {
		if n := bytes.IndexByte(src[at:], '\n'); n >= 0 && at+n+1 < len(src) {
			next := blanksOf(src, at+n+1)
			if c := at + n + 1 + len(next); c < len(src) && src[c] != '}' && src[c] != ')' {
				return next
			}
		}
	}
	if own == "" {
		return "    "
	}
	return own
}

// blanksOf are those that the line of an offset begins with.
func blanksOf(src []byte, at int) string {
	line := bytes.LastIndexByte(src[:at], '\n') + 1
	end := line
	for end < len(src) && (src[end] == ' ' || src[end] == '\t') {
		end++
	}
	return string(src[line:end])
}

// realigned brings the backslashes that end changed lines back to the column of their
// neighbours, where a definition has them in one.
func realigned(before, after []byte) []byte {
	known := map[string]bool{}
	for line := range bytes.Lines(before) {
		known[string(line)] = true
	}
	lines := slices.Collect(bytes.Lines(after))
	padded := func(i int) int { // the column of the backslash of an unchanged line that is set apart, 0 for none
		if text := bytes.TrimRight(lines[i], "\r\n"); known[string(lines[i])] && bytes.HasSuffix(text, []byte("  \\")) {
			return len(text) - 1
		}
		return 0
	}
	continued := func(i int) bool {
		return i >= 0 && i < len(lines) && bytes.HasSuffix(bytes.TrimRight(lines[i], "\r\n"), []byte{'\\'})
	}
	var out []byte
	for i, line := range lines {
		text := bytes.TrimRight(line, "\r\n")
		if known[string(line)] || len(text) < 2 || text[len(text)-1] != '\\' {
			out = append(out, line...)
			continue
		}
		want := 0
		for k := i; continued(k) && want == 0; k-- {
			want = padded(k)
		}
		for k := i; continued(k) && want == 0; k++ {
			want = padded(k)
		}
		if want == 0 {
			out = append(out, line...)
			continue
		}
		words := bytes.TrimRight(text[:len(text)-1], " \t")
		out = append(out, words...)
		out = append(out, bytes.Repeat([]byte{' '}, max(1, want-len(words)))...)
		out = append(append(out, '\\'), line[len(text):]...)
	}
	return out
}
