package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// escapes reports whether a function is named otherwise than to call or to declare it.
func (c *comparison) escapes(name string) bool {
	for _, f := range c.namesB.prog.All() {
		us := newSource(f).units
		for i, u := range us {
			if u.text == name && (i+1 >= len(us) || us[i+1].text != "(" && us[i+1].text != "<") ||
				strings.HasPrefix(u.text, "#") && slices.Contains(words(u.text), name) {
				return true
			}
		}
	}
	return false
}

// head returns the units of a function before its body.
func (c *comparison) head(s *source, fn *parser.Function) []unit {
	return s.between(min(fn.Start, int(fn.Outer.Start)), int(fn.Body.Start))
}

// headFits checks that what is left of a function's head is the original's.
func (c *comparison) headFits(k *Kernel, a, b []unit, fn *parser.Function) bool {
	at := differ(a, b, int(fn.Body.Start))
	if at >= 0 {
		k.doubt(Erasure, c.b.file, at, "the head of %s is not the original's", fn.Name)
	}
	return at < 0
}

// withoutBounds parts units from a __launch_bounds__ among them, of which it returns the arguments.
func withoutBounds(us []unit) (rest []unit, bounds [][]unit) {
	for i := 0; i+1 < len(us); i++ {
		if us[i].text == "__launch_bounds__" && us[i+1].text == "(" {
			if end := closing(us, i+1); end > 0 {
				return append(append([]unit(nil), us[:i]...), us[end+1:]...), split(us[i+2 : end])
			}
		}
	}
	return us, nil
}

// product evaluates numbers, macros and constants that are multiplied; 0 for anything else.
func (c *comparison) product(us []unit) int {
	n := 1
	for i, u := range us {
		if i%2 == 1 {
			if u.text != "*" {
				return 0
			}
			continue
		}
		factor := number(u.text)
		if m, ok := c.b.file.Macros.Lookup(u.text, u.start); ok && factor == 0 && !m.FunctionLike {
			if texts, err := c.b.file.Macros.Alternatives(u.text, u.start); err == nil && len(texts) == 1 {
				factor = number(strings.Trim(strings.TrimSpace(texts[0]), "()"))
			}
		} else if v := c.namesB.globals(c.b.file)[u.text]; v != nil && v.Init != nil && v.Init.Op == ir.OpInt && (v.Type.Const || v.Kind == ir.VarEnumerator) {
			factor = int(v.Init.Int)
		}
		n *= factor
	}
	return n
}

// withoutFirst leaves out a function's first parameter.
func withoutFirst(us []unit, fn *parser.Function) (kept []unit) {
	first := fn.Params[0].Node
	end := int(first.End)
	if len(fn.Params) > 1 {
		end = int(fn.Params[1].Node.Start)
	}
	for _, u := range us {
		if u.start < int(first.Start) || u.start >= end {
			kept = append(kept, u)
		}
	}
	return kept
}
