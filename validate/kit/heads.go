package kit

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/units"
)

// Escapes reports whether a function is named otherwise than to call or to declare it.
func (c *Comparison) Escapes(name string) bool {
	for _, f := range c.NewNames.Prog.All() {
		us := c.SourceOf(f).Units
		for i, u := range us {
			if u.Text == name && (i+1 >= len(us) || us[i+1].Text != "(" && us[i+1].Text != "<") ||
				strings.HasPrefix(u.Text, "#") && slices.Contains(units.Words(u.Text), name) {
				return true
			}
		}
	}
	return false
}

// Head returns the units of a function before its body.
func (c *Comparison) Head(s *units.Source, fn *parser.Function) []units.Unit {
	return s.Between(min(fn.Start, int(fn.Outer.Start)), int(fn.Body.Start))
}

// HeadFits checks that what is left of a function's head is the original's.
func (c *Comparison) HeadFits(k *Kernel, a, b []units.Unit, fn *parser.Function) bool {
	at := units.Differ(a, b, int(fn.Body.Start))
	if at >= 0 {
		k.Doubt(Erasure, c.New.File, at, "the head of %s is not the original's", fn.Name)
	}
	return at < 0
}

// WithoutBounds parts units from a __launch_bounds__ among them, of which it returns the arguments.
func WithoutBounds(us []units.Unit) (rest []units.Unit, bounds [][]units.Unit) {
	for i := 0; i+1 < len(us); i++ {
		if us[i].Text == "__launch_bounds__" && us[i+1].Text == "(" {
			if end := units.Closing(us, i+1); end > 0 {
				return append(append([]units.Unit(nil), us[:i]...), us[end+1:]...), units.Split(us[i+2 : end])
			}
		}
	}
	return us, nil
}

// Product evaluates numbers, macros and constants that are multiplied; 0 for anything else.
func (c *Comparison) Product(us []units.Unit) int {
	n := 1
	for i, u := range us {
		if i%2 == 1 {
			if u.Text != "*" {
				return 0
			}
			continue
		}
		factor := units.Number(u.Text)
		if m, ok := c.New.File.Macros.Lookup(u.Text, u.Start); ok && factor == 0 && !m.FunctionLike {
			if texts, err := c.New.File.Macros.Alternatives(u.Text, u.Start); err == nil && len(texts) == 1 {
				factor = units.Number(strings.Trim(strings.TrimSpace(texts[0]), "()"))
			}
		} else if v := c.NewNames.Globals(c.New.File)[u.Text]; v != nil && v.Init != nil && v.Init.Op == ir.OpInt && (v.Type.Const || v.Kind == ir.VarEnumerator) {
			factor = int(v.Init.Int)
		}
		n *= factor
	}
	return n
}

// WithoutFirst leaves out a function's first parameter.
func WithoutFirst(us []units.Unit, fn *parser.Function) []units.Unit {
	first := fn.Params[0].Node
	end := int(first.End)
	if len(fn.Params) > 1 {
		end = int(fn.Params[1].Node.Start)
	}
	return lists.Filter(us, func(u units.Unit) bool { return u.Start < int(first.Start) || u.Start >= end })
}
