package parser

import (
	"slices"
	"strings"
)

// macroKernels finds the kernels that uses of macros define, as in
//
//	#define DEFINE(name, T) __global__ void name(T *a) { … }
//	DEFINE(scale, float)
//
// The grammar sees a call there: no Function stands for such a kernel until the use is written out.
func macroKernels(f *File, sc *scan, attrs *attributes) (lost []LostKernel, uses []kernelUse) {
	makers := kernelMakers(f.Macros)
	if len(makers) == 0 {
		return nil, nil
	}
	toks := sc.toks
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.kind != tokIdent || !makers[string(f.Src[t.start:t.end])] {
			continue
		}
		name, start, end := string(f.Src[t.start:t.end]), int(t.start), int(t.end)
		m, ok := f.Macros.Lookup(name, start)
		if !ok || attrs.of(name).use != 0 || f.Macros.isDead(start) || f.inFunction(start) {
			continue
		}
		last := i
		if m.FunctionLike {
			if last = closingToken(f.Src, toks, i+1); last < 0 {
				continue
			}
			end = int(toks[last].end)
		}
		mark := &Mark{Kind: MarkMacro, Name: name, Start: start, End: end, Quals: QualGlobal}
		text, err := f.Macros.Expand(string(f.Src[start:end]), start)
		if err != nil {
			lost = append(lost, LostKernel{Mark: mark, Macro: name})
			continue
		}
		body := last+1 < len(toks) && strings.IndexByte("({", f.Src[toks[last+1].start]) >= 0
		var made []LostKernel
		for _, part := range strings.Split(text, "__global__")[1:] {
			if body || strings.Contains(part, "{") {
				made = append(made, LostKernel{Name: definedName(part), Mark: mark, Macro: name})
			}
		}
		if len(made) == 0 {
			continue
		}
		use := kernelUse{realSpan: span{start, end}, made: made}
		if use.expand(f, makers) {
			uses = append(uses, use)
		} else {
			lost = append(lost, made...)
		}
		i = last
	}
	return lost, uses
}

// kernelMakers are the macros that have a __global__ in what they stand for.
func kernelMakers(m *Macros) map[string]bool {
	makers := map[string]bool{}
	todo := []string{"__global__"}
	for len(todo) > 0 {
		word := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		has := func(d *Macro) bool {
			return strings.Contains(d.Body, word) && slices.Contains(Words(d.Body), word)
		}
		for name, n := range m.names {
			if !makers[name] && slices.ContainsFunc(n.all, has) {
				makers[name] = true
				todo = append(todo, name)
			}
		}
	}
	return makers
}

// inFunction reports whether an offset lies in a function's body, or in a kernel.
func (f *File) inFunction(at int) bool {
	for _, fn := range f.Functions {
		if fn.Body == nil {
			continue
		}
		if int(fn.Body.Start) <= at && at < int(fn.Body.End) || fn.IsKernel() && fn.Start <= at && at < int(fn.Body.End) {
			return true
		}
	}
	return false
}

// closingToken returns the token that closes the parenthesis which token i opens,
// -1 where it opens none.
func closingToken(src []byte, toks []token, i int) int {
	if i >= len(toks) || src[toks[i].start] != '(' {
		return -1
	}
	depth := 0
	for ; i < len(toks); i++ {
		switch src[toks[i].start] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// definedName is the word in front of the parameters of a function whose text begins after a qualifier.
func definedName(text string) string {
	toks := ppTokens(text)
	for i := 0; i+1 < len(toks); i++ {
		if toks[i].kind != tokIdent || toks[i+1].text != "(" {
			continue
		}
		if k, ok := keywords[toks[i].text]; ok && k.args == withArgs {
			i = closing(toks, i+1)
			continue
		}
		return toks[i].text
	}
	return ""
}
