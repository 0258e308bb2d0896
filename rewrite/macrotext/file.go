package macrotext

import (
	"strings"

	"github.com/smux-cuda/smux/diff"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// aligned is a file whose text became another one.
type aligned struct {
	*back
	f    *parser.File
	uses []parser.MacroUse
	old  []lexeme
	now  []lexeme
	text []byte           // after
	at   map[int]useToken // of the lexemes that are tokens of a use, by their begin in Src
}

// useToken is token number token of use number use.
type useToken struct{ use, token int }

// file notes what is to be edited for what became of a file.
func (b *back) file(f *parser.File, text []byte) error {
	a := &aligned{back: b, f: f, uses: f.MacroUses(), text: text, at: map[int]useToken{}}
	for i, u := range a.uses {
		for k, t := range u.Tokens {
			a.at[t.Start] = useToken{i, k}
		}
	}
	a.old, a.now = lex(f.Src), lex(text)
	i, j := -1, -1 // the last lexemes that stayed
	stays := func(x, y int) error {
		err := a.between(i, x, j, y)
		i, j = x, y
		return err
	}
	x, y := 0, 0
	for _, c := range append(changes(a.old, a.now), diff.Change{ALo: len(a.old), AHi: len(a.old), BLo: len(a.now), BHi: len(a.now)}) {
		for ; x < c.ALo; x, y = x+1, y+1 {
			if err := stays(x, y); err != nil {
				return err
			}
		}
		x, y = c.AHi, c.BHi
	}
	return stays(len(a.old), len(a.now))
}

// between edits what lies between two neighbours that stayed: lexemes i and x of the old
// text, j and y of the new one.
func (a *aligned) between(i, x, j, y int) error {
	left, inLeft := a.placeOf(i)
	right, inRight := a.placeOf(x)
	if inLeft && inRight && left.use == right.use {
		if x == i+1 && y == j+1 {
			return nil
		}
		return a.inUse(left.use, left.token, right.token, a.insertedBetween(j, y))
	}
	for k := i + 1; k < x; k++ {
		if _, in := a.placeOf(k); in {
			return a.refuse(a.f, a.old[k].start, "at an end of the text that it makes")
		}
	}
	if inLeft && left.token != len(a.uses[left.use].Tokens)-1 || inRight && right.token != 0 {
		return a.refuse(a.f, a.old[max(i, 0)].start, "at an end of the text that it makes")
	}
	before, after := string(a.f.Src[a.end(a.old, i):a.start(a.old, x, a.f.Src)]), string(a.text[a.end(a.now, j):a.start(a.now, y, a.text)])
	start, end := a.f.OriginalOffset(a.end(a.old, i)), a.f.OriginalOffset(a.start(a.old, x, a.f.Src))
	if inLeft {
		// The line breaks of the use are after it in Src, and in it in the original.
		use := a.uses[left.use]
		for range strings.Count(string(a.f.Original()[use.Start:use.End]), "\n") {
			before, after = strings.TrimPrefix(before, a.f.Newline()), strings.TrimPrefix(after, a.f.Newline())
		}
		start = use.End
		if strings.TrimSpace(before) == "" && strings.TrimSpace(after) == "" {
			return nil
		}
	}
	if before != after {
		a.buffer(a.f).Replace(start, end, after)
	}
	return nil
}

// placeOf returns the place of an old lexeme in a use, if it is in one.
func (a *aligned) placeOf(i int) (useToken, bool) {
	if i < 0 || i >= len(a.old) {
		return useToken{}, false
	}
	p, ok := a.at[a.old[i].start]
	return p, ok
}

func (a *aligned) end(list []lexeme, i int) int {
	if i < 0 {
		return 0
	}
	return list[i].end
}

func (a *aligned) start(list []lexeme, i int, src []byte) int {
	if i >= len(list) {
		return len(src)
	}
	return list[i].start
}

// inserted is text that comes into a use.
type inserted struct {
	lexemes []lexeme
	gaps    []string // in front of each lexeme, and after the last
	into    *parser.Expansion
}

func (a *aligned) insertedBetween(j, y int) inserted {
	in := inserted{lexemes: a.now[j+1 : y]}
	at := a.end(a.now, j)
	for _, l := range in.lexemes {
		in.gaps = append(in.gaps, string(a.text[at:l.start]))
		at = l.end
	}
	in.gaps = append(in.gaps, string(a.text[at:a.start(a.now, y, a.text)]))
	return in
}

// withoutDirectives makes _Pragma of the pragmas in it; ok is false where another directive is left.
func (in inserted) withoutDirectives() (out inserted, ok bool) {
	for i := 0; i < len(in.lexemes); i++ {
		l := in.lexemes[i]
		gap := in.gaps[i]
		if l.text == "#" && (strings.Contains(gap, "\n") || i == 0) {
			var words []string
			for i++; i < len(in.lexemes) && !strings.Contains(in.gaps[i], "\n"); i++ {
				words = append(words, in.lexemes[i].text)
			}
			i--
			if len(words) < 2 || words[0] != "pragma" {
				return out, false
			}
			l.text = "_Pragma(" + pragma(words[1:]) + ")"
		}
		out.lexemes, out.gaps = append(out.lexemes, l), append(out.gaps, gap)
	}
	out.gaps = append(out.gaps, in.gaps[len(in.lexemes)])
	return out, true
}

// inUse makes the change between two tokens of a use that stayed: in the argument that
// both are spelled in, else in the body of the macro that has both.
func (a *aligned) inUse(use, left, right int, in inserted) error {
	u := a.uses[use]
	at := u.Tokens[left].Start
	in, ok := in.withoutDirectives()
	if !ok {
		return a.refuse(a.f, at, "the change needs a directive in the text of a macro")
	}
	if a.inArgument(u, left, right, in) {
		return nil
	}
	l, r := u.Tokens[left], u.Tokens[right]
	for _, m := range []*parser.Expansion{l.Body, l.Param} {
		first, ok := spelledIn(l, m)
		last, also := spelledIn(r, m)
		if !ok || !also || first >= last {
			continue
		}
		p := bodyPlace{macro: m.Macro, from: first + 1, to: first + 1}
		for k := left + 1; k < right; k++ {
			if u.Tokens[k].Body != m || u.Tokens[k].Index != p.to {
				return a.refuse(a.f, at, "an argument that macro %s is handed would go", m.Name)
			}
			p.to++
		}
		in.into = m
		a.bodies[p] = append(a.bodies[p], in)
		return nil
	}
	return a.refuse(a.f, at, "the change lies between an argument and the text of macro %s", u.Name)
}

// spelledIn returns which token of a macro's body stands for a token.
func spelledIn(t parser.UseToken, m *parser.Expansion) (index int, ok bool) {
	switch {
	case m == nil:
		return 0, false
	case t.Body == m && t.Index >= 0:
		return t.Index, true
	case t.Param == m:
		return t.Ref, true
	}
	return 0, false
}

// inArgument makes the change in the text of the use, where both tokens are spelled next
// to each other there but for those that go.
func (a *aligned) inArgument(u parser.MacroUse, left, right int, in inserted) bool {
	for k := left; k <= right; k++ {
		if t := u.Tokens[k]; t.Body != nil || t.Index < 0 || t.Index != u.Tokens[left].Index+k-left {
			return false
		}
	}
	spelled := a.f.SpelledTokens(u.Start, u.End)
	l, r := u.Tokens[left].Index, u.Tokens[right].Index
	if r >= len(spelled) {
		return false
	}
	words := lists.Map(in.lexemes, func(l lexeme) string { return l.text })
	start, end := spelled[l].End, spelled[l].End
	if r > l+1 {
		start, end = spelled[l+1].Start, spelled[r-1].End
	}
	a.buffer(a.f).Append([]edit.Edit{laidOut(a.f, in, words, start, end, "")})
	return true
}
