package acc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// levels are the levels of parallelism (OpenACC 3.3, section 2.9), the coarsest first.
var levels = []string{"gang", "worker", "vector"}

// checkLevels refuses loops whose level is not finer than that of the loop around them: a
// vector lane has no gangs. Two loops of the very same levels pass: compilers that give
// gangs several dimensions write them so.
func (u *unit) checkLevels() error {
	var errs []error
	for _, p := range u.pragmas {
		inner := levelsOf(p)
		if len(inner) == 0 || p.stmt == nil {
			continue
		}
		for _, q := range u.pragmas {
			outer := levelsOf(q)
			if q == p || len(outer) == 0 || q.stmt == nil || p.stmt == q.stmt || !within(p.stmt, q.stmt) || slices.Equal(inner, outer) {
				continue
			}
			if inner[0] <= outer[len(outer)-1] {
				level := levels[inner[0]]
				clause, _ := p.Clause(level)
				errs = append(errs, refusal(u.at(clause.Pos), CodeLevel, fmt.Sprintf("a %s loop stands inside of the %s loop of line %d", level, levels[outer[len(outer)-1]], u.at(q.Pos).Line),
					"let gang stand outermost, then worker, then vector"))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// levelsOf are the levels that a loop directive names, as indices of levels.
func levelsOf(p *pragma) (out []int) {
	if !p.Loop() {
		return nil
	}
	for i, name := range levels {
		if p.Has(name) {
			out = append(out, i)
		}
	}
	return out
}

// checkCollapse refuses collapse and tile of more loops than stand directly in one another.
func (u *unit) checkCollapse() error {
	var errs []error
	for _, p := range u.pragmas {
		n, ok := u.collapseOf(p)
		if !ok || p.stmt == nil {
			continue
		}
		s := p.stmt
		for depth := 1; depth < n; depth++ {
			inner := statementsOf(s.Child(parser.FieldBody))
			if len(inner) != 1 || inner[0].Kind != parser.KindForStatement {
				name := "collapse"
				if p.Has("tile") {
					name = "tile"
				}
				clause, _ := p.Clause(name)
				errs = append(errs, refusal(u.at(clause.Pos), CodeLoop, fmt.Sprintf("%s names %d loops, and only %d stand directly in one another", name, n, depth),
					"take what stands between them out, or name fewer"))
				break
			}
			s = inner[0]
		}
	}
	return errors.Join(errs...)
}
