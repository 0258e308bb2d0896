package parser

import (
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
)

// MacroUse is a use of a macro that makes kernels, which is written out in File.Src.
type MacroUse struct {
	Name       string
	Start, End int        // in File.Original
	Tokens     []UseToken // what it is written out to
}

// UseToken is a token of a use that is written out, and where it is spelled.
type UseToken struct {
	Start, End int // in File.Src
	// Body is the use of a macro in whose body it is spelled as token Index, nil where it is
	// spelled as that token of the use itself. Where # or ## made it Index is -1.
	Body  *Expansion
	Index int
	// Param is the last use of a macro that it was handed to, nil for none, and Ref then the
	// token of that macro's body that names the parameter.
	Param *Expansion
	Ref   int
}

// Expansion is one use of a macro.
type Expansion struct {
	*Macro
	Args [][]string // the tokens of the arguments
}

// MacroUses returns the uses that are written out in Src, by position.
func (f *File) MacroUses() (out []MacroUse) {
	for i := range f.uses {
		u := &f.uses[i]
		use := MacroUse{Name: u.made[0].Macro, Start: u.realSpan.start, End: u.realSpan.end}
		known := map[*expansion]*Expansion{}
		exported := func(x *expansion) *Expansion {
			if x != nil && known[x] == nil {
				known[x] = &Expansion{Macro: x.macro}
				for _, arg := range x.args {
					words := lists.Map(arg, func(t ppToken) string { return t.text })
					known[x].Args = append(known[x].Args, words)
				}
			}
			return known[x]
		}
		for k, t := range u.out {
			start := int(u.starts[k])
			use.Tokens = append(use.Tokens, UseToken{start, start + len(t.text), exported(t.in), t.at, exported(t.via), t.ref})
		}
		out = append(out, use)
	}
	return out
}

// MadeBy returns the macros that lead from the use which a place of Src is in to what
// stands there, nil where it is in none.
func (f *File) MadeBy(at int) (out []*Macro) {
	for i := range f.uses {
		u := &f.uses[i]
		if at < u.written.start || at >= u.written.end {
			continue
		}
		for _, t := range u.out {
			if t.in != nil && !slices.Contains(out, t.in.macro) {
				out = append(out, t.in.macro)
			}
		}
	}
	return out
}

// MacroText returns the original text of the use that a place of Src is in, and of those
// definitions in the file that it leads to, with their comments; "" where it is in none.
func (f *File) MacroText(at int) string {
	var out []byte
	makers := f.MadeBy(at)
	for i := range f.uses {
		if u := &f.uses[i]; u.written.start <= at && at < u.written.end {
			out = append(out, f.original[u.realSpan.start:u.realSpan.end]...)
		}
	}
	if len(makers) == 0 {
		return string(out)
	}
	for _, d := range definitions(f.Name, f.original) {
		if slices.ContainsFunc(makers, func(m *Macro) bool { return m.Name == d.Name }) {
			out = append(out, f.original[d.BodyStart:d.BodyEnd]...)
		}
	}
	return string(out)
}

// SpelledTokens returns the ranges of the preprocessing tokens of part of Original, so
// that token Index of a macro's body or of a use has that number.
func (f *File) SpelledTokens(start, end int) (out []Token) {
	src := f.Original()
	for _, t := range TokensBetween(src, start, end) {
		if n := len(out); n > 0 && src[t.Start] == '#' && out[n-1].End == t.Start && src[out[n-1].Start] == '#' && out[n-1].End-out[n-1].Start == 1 {
			out[n-1].End = t.End
			continue
		}
		out = append(out, t)
	}
	return out
}

// MacroBody returns where the tokens of a macro's body stand in Original; ok is false
// where the file does not hold it.
func (f *File) MacroBody(m *Macro) (tokens []Token, ok bool) {
	for _, d := range definitions(f.Name, f.Original()) {
		if d.Pos == m.Pos && d.Name == m.Name {
			tokens = f.SpelledTokens(d.BodyStart, d.BodyEnd)
			return tokens, len(tokens) == len(ppTokens(m.Body))
		}
	}
	return nil, false
}
