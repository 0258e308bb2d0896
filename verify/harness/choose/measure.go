package choose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness"
	"github.com/smux-cuda/smux/verify/harness/ctype"
)

// mostMeasures is the number of times that arrays are sized anew: what they hold may say how far others
// are accessed. After steadyMeasures what whole numbers are no longer depends on how many there are.
const mostMeasures, steadyMeasures = 7, 3

// EnvSizes is the environment in which a main that is made to be measured finds how many elements its arrays have.
const EnvSizes = "SMUX_BENCH_SIZES"

// Runner makes the run of a number, from 1, in an environment, and returns the bytes up to which each of its arrays is accessed, in the order in
// which they are made; none of those that it did not come to.
type Runner func(number int, env string) (map[int]int64, error)

// Measure sets how many elements each array of the runs has: as many as its kernel accesses. build builds a program that makes the runs, each by
// itself. They must be for kernels of one file.
func Measure(prog *parser.Program, chosen []*Chosen, build func(run *parser.Program, use func(Runner) error) error) error {
	open := slices.Clone(chosen) // those that are to be run, again
	for i := 0; i < mostMeasures && len(open) > 0; {
		specs, err := Specs(chosen)
		if err != nil {
			return err
		}
		program, err := harness.AttachWith(prog, specs, harness.StandIns, harness.Numbered, harness.Sized)
		if err != nil {
			return err
		}
		begun := i
		err = build(program, func(run Runner) error {
			for refilled := false; i < mostMeasures && len(open) > 0 && !refilled; i++ {
				var again []*Chosen
				env := sizes(chosen)
				for _, c := range open {
					bytes, err := run(1+slices.Index(chosen, c), env)
					if err != nil {
						return err
					}
					changed, filled := c.resize(bytes, i+1 == steadyMeasures)
					if refilled = refilled || filled; changed {
						again = append(again, c)
					}
				}
				open = again
			}
			return nil
		})
		if err != nil || i == begun {
			return err
		}
	}
	return nil
}

// sizes returns how many elements all arrays have, in the order in which they are made.
func sizes(chosen []*Chosen) string {
	var out []string
	for _, c := range chosen {
		for _, a := range c.made() {
			out = append(out, strconv.FormatInt(a.Count, 10))
		}
	}
	return EnvSizes + "=" + strings.Join(out, " ")
}

// made returns the arrays in the order in which the main makes them: those of members last.
func (c *Chosen) made() (out []*Array) {
	for _, members := range []bool{false, true} {
		for i := range c.Arrays {
			if _, member := harness.ParameterOf(c.Arrays[i].Name); member == members {
				out = append(out, &c.Arrays[i])
			}
		}
	}
	return out
}

// mostElements limits what a subscript that nothing keeps small makes of an array.
const mostElements = 1 << 20

// resize gives arrays the elements that were accessed, and reports whether that may change how far others
// are: where one has grown, or one of whole numbers, which may be subscripts, holds others; and whether one is filled in another way.
func (c *Chosen) resize(bytes map[int]int64, steady bool) (changed, refilled bool) {
	for number, a := range c.made() {
		n, ok := bytes[number]
		if !ok {
			continue
		}
		scalar, lanes := ctype.Components(a.Type)
		size := cmp.Or(ctype.Bytes[ctype.Canonical(scalar)]*lanes, 1) // of an unknown type what lies past the end goes unseen
		count := min(max(1, (n+size-1)/size), mostElements)
		whole := ctype.Bits[ctype.Canonical(a.Type)] != 0
		moved := count > a.Count || count != a.Count && whole
		if moved && whole && steady && a.Fill == "distinct" {
			a.Fill, refilled = fmt.Sprintf("random(1,%d)", max(2, min(count, 100))), true
		}
		changed, a.Count = changed || moved, count
	}
	return changed, refilled
}

// Specs returns runs as specifications.
func Specs(chosen []*Chosen) (out []*harness.Spec, err error) {
	var errs harness.Errors
	for _, c := range chosen {
		s, err := c.Spec()
		if errs = errs.With(err); err == nil {
			out = append(out, s)
		}
	}
	return out, errs.OrNil()
}
