package combine

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// Form is one text that a program is rewritten to, with all ways that come to
// it. Variants often do: four loads at most are all loads of a kernel that has two.
type Form struct {
	Ways   []rewrite.Variant // the first one is whose Result it is
	Result *rewrite.Result
}

// Trial records what became of a program in all ways.
type Trial struct {
	Ways     int               // that were tried
	Accepted []rewrite.Variant // that changed a kernel
	Refused  map[diag.Code]int // how many ways each code stood against
	Forms    []Form            // what was emitted, each text once
	texts    map[string]int    // of forms, by what matters of them
}

// Try rewrites a program in all ways. An error is one of rewrite.Run.
func Try(prog *parser.Program, ways []rewrite.Variant, opt rewrite.Options) (*Trial, error) {
	t := &Trial{Ways: len(ways), Refused: map[diag.Code]int{}, texts: map[string]int{}}
	analysed := passes.NewProgram(prog, opt.Block)
	for _, w := range ways {
		opt.Variant = w
		res, err := rewrite.RunAnalysed(analysed, opt)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w, err)
		}
		for code := range codes(res) {
			t.Refused[code]++
		}
		if len(res.Files) == 0 {
			continue
		}
		t.Accepted = append(t.Accepted, w)
		key := essence(res)
		i, ok := t.texts[key]
		if !ok {
			i = len(t.Forms)
			t.texts[key] = i
			t.Forms = append(t.Forms, Form{})
		}
		f := &t.Forms[i]
		f.Ways = append(f.Ways, w)
		// Of two, the one that tells the compiler the block shape: what it says is
		// checked where it runs, and all else is the same.
		if f.Result == nil || w.Assume && !f.Ways[0].Assume {
			f.Result = res
			last := len(f.Ways) - 1
			f.Ways[0], f.Ways[last] = f.Ways[last], f.Ways[0]
		}
	}
	return t, nil
}

// codes lists the codes for which kernels were refused, but for having no shared memory,
// which is no news of a program that has another kernel with some.
func codes(res *rewrite.Result) map[diag.Code]bool {
	out := map[diag.Code]bool{}
	for _, k := range res.Kernels {
		for _, m := range k.Refused {
			out[m.Code] = true
		}
	}
	if len(out) > 1 || len(res.Files) > 0 {
		delete(out, rewrite.CodeNoShared)
	}
	return out
}

// Lines of emitted text that change nothing of what a program does.
var (
	remark     = regexp.MustCompile(`(?m)^[ \t]*// smux [^\n]*\n`)
	assumption = regexp.MustCompile(`(?m)^[ \t]*__builtin_assume\([^\n]*\);\r?\n`)
)

// essence returns the part of emitted text that matters: equal ones do the same.
func essence(res *rewrite.Result) string {
	var b strings.Builder
	for _, f := range res.Files {
		b.WriteString(f.Name + "\n")
		b.Write(assumption.ReplaceAll(remark.ReplaceAll(f.After, nil), nil))
	}
	return b.String()
}

// String says in one line how many ways were tried, accepted and refused.
func (t *Trial) String() string {
	text := fmt.Sprintf("%d ways tried, %d accepted with %d different texts, %d refused", t.Ways, len(t.Accepted), len(t.Forms), t.Ways-len(t.Accepted))
	separator := ": "
	for _, code := range slices.Sorted(maps.Keys(t.Refused)) {
		text += fmt.Sprintf("%s%s %d", separator, code, t.Refused[code])
		separator = ", "
	}
	return text
}

// Add adds another program's trial, for a sum over several.
func (t *Trial) Add(o *Trial) {
	if t.Refused == nil {
		t.Refused = map[diag.Code]int{}
	}
	t.Ways += o.Ways
	t.Accepted = append(t.Accepted, o.Accepted...)
	t.Forms = append(t.Forms, o.Forms...)
	for code, n := range o.Refused {
		t.Refused[code] += n
	}
}
