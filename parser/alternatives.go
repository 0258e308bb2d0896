package parser

import (
	"errors"
	"maps"
)

// maxAlternatives bounds how many readings of one macro use are returned.
const maxAlternatives = 8

var errTooManyAlternatives = errors.New("macro has too many possible expansions")

// Alternatives returns every expansion that a text can have at byte offset at, one per way to choose among the
// definitions that undecided conditions allow. A name that might not be a macro in view stands for itself in one of
// them. Where nothing is ambiguous it returns what Expand does.
func (m *Macros) Alternatives(text string, at int) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	var try func(choice map[string]*possibility) error
	try = func(choice map[string]*possibility) error {
		open := "" // the first ambiguous name met without a choice
		x := &expander{lookup: func(name string) *Macro {
			if c, ok := choice[name]; ok {
				return c.macro
			}
			found, _ := m.Lookup(name, at)
			if found != nil && found.Ambiguous && open == "" {
				open = name
			}
			return found
		}}
		s, err := x.text(text)
		if open == "" {
			if err == nil && !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
			return err
		}
		cases := m.possible(open, at)
		for i := range cases {
			if len(out) > maxAlternatives || len(choice) > maxAlternatives {
				return errTooManyAlternatives
			}
			next := map[string]*possibility{open: &cases[i]}
			maps.Copy(next, choice)
			if err := try(next); err != nil {
				return err
			}
		}
		return nil
	}
	if err := try(nil); err != nil {
		return nil, err
	}
	if len(out) == 0 || len(out) > maxAlternatives {
		return nil, errTooManyAlternatives
	}
	return out, nil
}

// possible lists what a name may stand for at an offset.
func (m *Macros) possible(name string, at int) []possibility {
	if cases := m.casesAt(name, at); cases != nil {
		return feasible(cases, m.pathAt(at))
	}
	return externalOnly
}
