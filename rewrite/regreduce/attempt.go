package regreduce

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/stall"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// attempts compiles recipes for the target, side by side, and returns the attempts that they make, in the same order.
// One that is known is not compiled again; one for which the rung has no compilation left is -1. The error is that of
// the context.
func (c *climber) attempts(rung string, recipes ...variant.Recipe) ([]int, error) {
	at := make([]int, len(recipes))
	var fresh []variant.Recipe
	first := len(c.recipes)
	for i, r := range recipes {
		known, ok := c.known[r.String()]
		switch {
		case ok:
			at[i] = known
		case c.left == 0:
			at[i] = -1
		default:
			c.left--
			at[i] = first + len(fresh)
			c.known[r.String()] = at[i]
			fresh = append(fresh, r)
		}
	}
	figures, errs := c.compile(rung, fresh, slices.Repeat([]string{c.arch}, len(fresh)), true)
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	for i, r := range fresh {
		c.record(rung, r, figures[i], errs[i])
	}
	return at, nil
}

// attempt is attempts for one recipe.
func (c *climber) attempt(rung string, r variant.Recipe) (int, error) {
	at, err := c.attempts(rung, r)
	if err != nil {
		return -1, err
	}
	return at[0], nil
}

// compile compiles each recipe for the architecture at its side, one per
// processor at a time, and looks at the machine code where that is listed.
func (c *climber) compile(rung string, recipes []variant.Recipe, archs []string, listed bool) ([]Figures, []error) {
	figures, errs := make([]Figures, len(recipes)), make([]error, len(recipes))
	var saying sync.Mutex
	err := parallel.Each(c.ctx, len(recipes), runtime.NumCPU(), func(i int) error {
		saying.Lock()
		c.say(rung, recipes[i], archs[i])
		saying.Unlock()
		if listed {
			figures[i], errs[i] = c.compiler.Compile(c.ctx, c.subject, recipes[i], archs[i])
			return nil
		}
		b, err := c.compiler.Begin(c.ctx, c.subject, recipes[i], archs[i])
		if errs[i] = err; err == nil {
			figures[i] = b.Figures
		}
		b.Close()
		return nil
	})
	if err != nil && len(errs) > 0 {
		errs[len(errs)-1] = err
	}
	return figures, errs
}

// say tells who waits what is compiled.
func (c *climber) say(rung string, r variant.Recipe, arch string) {
	if c.opt.Progress == nil {
		return
	}
	if rung == "" {
		c.opt.Progress(fmt.Sprintf("as it stands, for %s", arch))
		return
	}
	c.opt.Progress(fmt.Sprintf("%s for %s: %s", rung, arch, r))
}

// record adds an attempt to the report.
func (c *climber) record(rung string, r variant.Recipe, f Figures, err error) {
	a := Attempt{Rung: rung, Recipe: r.String(), Figures: f}
	switch {
	case err != nil:
		a.Figures, a.Failed = Figures{}, reasonOf(err)
	default:
		f.Arch = c.arch
		a.Figures = f
		a.Occupancy, err = occupancy.Compute(c.target, c.demand(f, c.words(r)))
		if err != nil {
			a.Failed = err.Error()
		}
		a.Predicted = predicted(f, a.Occupancy)
		a.RegDem = stall.RegDem(f.code, a.Occupancy.Occupancy)
	}
	c.known[a.Recipe] = len(c.report.Attempts)
	c.report.Attempts = append(c.report.Attempts, a)
	c.recipes = append(c.recipes, r)
}

// reasonOf returns the text of a compiler's error, in one line.
func reasonOf(err error) string {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return firstLine("refused: " + refused.Reason)
	}
	return firstLine(err.Error())
}

// words are the 32-bit words per thread that a recipe demotes.
func (c *climber) words(r variant.Recipe) int {
	n := 0
	for _, name := range r.Words {
		for _, w := range c.found.Words {
			if w.Name == name {
				n += w.Words
			}
		}
	}
	return n
}
