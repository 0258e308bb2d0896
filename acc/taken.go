package acc

import (
	"errors"
	"fmt"

	"github.com/smux-cuda/smux/acc/directive"
)

// takes notes that the translation does what clauses of some names ask for. What nothing takes is
// refused at the end, so that no clause is dropped.
func (p *pragma) takes(names ...string) {
	if p.taken == nil {
		p.taken = map[string]bool{}
	}
	for _, name := range names {
		p.taken[name] = true
	}
}

// take returns the first clause of a name for what does what it asks for.
func (p *pragma) take(name string) (directive.Clause, bool) {
	p.takes(name)
	return p.Clause(name)
}

// threading are the clauses that say which loops have threads, and how many. They change no result.
var threading = []string{"gang", "worker", "vector", "seq", "independent", "auto", "collapse", "tile", "num_gangs", "num_workers", "vector_length"}

// atomicForms are the clauses of atomic, each of which one operation stands for.
var atomicForms = []string{"read", "write", "update", "capture", "if"}

// untaken refuses the clauses that nothing has done.
func untaken(u *unit) error {
	var errs []error
	for _, p := range u.pragmas {
		for _, c := range p.Clauses {
			if !p.taken[c.Name] {
				errs = append(errs, refusal(u.at(c.Pos), CodeUnsupported, fmt.Sprintf("the clause %s of %s here", c.Name, p.Name), "take it out, or put the directive where the clause has a meaning"))
			}
		}
	}
	return errors.Join(errs...)
}
