package parser

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
)

// Macros answers what a name stands for at an offset of one file, and which preprocessor conditions are decided. It
// sees the file, the command line and the includes that could be read; a name that none of them defines is unknown,
// not undefined: the build may pass -D.
type Macros struct {
	names    map[string]*meanings
	paths    []pathFrom      // the undecided conditions that hold, by position
	verdicts map[int]verdict // conditions of this file, by the directive's offset
	dead     []span          // text that is never compiled, by position
}

// meanings holds what a name stands for in the course of a file, nil for a name that is no macro's.
type meanings struct {
	changes []change // by position
	all     []*Macro // every definition in view that is not in a dead branch
	changed int      // how often; part of a condition's key
}

// of returns the meanings of a name, to add to them.
func (m *Macros) of(name string) *meanings {
	n := m.names[name]
	if n == nil {
		n = &meanings{}
		m.names[name] = n
	}
	return n
}

// now returns what a name stands for after the last change; ok is false where it never changed.
func (n *meanings) now() (cases []possibility, ok bool) {
	if n == nil || len(n.changes) == 0 {
		return nil, false
	}
	return n.changes[len(n.changes)-1].cases, true
}

// change is the meaning of a name from a position on.
type change struct {
	pos   int
	cases []possibility
}

// possibility is one thing that a name may stand for, under conditions.
type possibility struct {
	macro *Macro // nil: no macro
	// external means: not defined in view. Then macro is nil, and the name may
	// still come from the command line or from a header that can't be read.
	external bool
	under    []assumption
}

// assumption is an undecided condition taken for true or false.
type assumption struct {
	key   string
	value bool
}

type pathFrom struct {
	pos   int
	under []assumption
}

type verdict struct{ value, known bool }

var externalOnly = []possibility{{external: true}}

// Lookup returns the definition of name in force at byte offset at. Where it depends on undecided conditions,
// Ambiguous is set on a copy; where those conditions hold at the offset itself, they are taken into account.
func (m *Macros) Lookup(name string, at int) (*Macro, bool) {
	if m == nil {
		return nil, false
	}
	return choose(m.casesAt(name, at), m.pathAt(at))
}

// casesAt returns what a name may stand for at an offset, nil where it is not known there.
func (m *Macros) casesAt(name string, at int) []possibility {
	n := m.names[name]
	if n == nil {
		return nil
	}
	i := sort.Search(len(n.changes), func(i int) bool { return n.changes[i].pos > at })
	if i == 0 {
		return nil
	}
	return n.changes[i-1].cases
}

func (m *Macros) pathAt(at int) []assumption {
	i := sort.Search(len(m.paths), func(i int) bool { return m.paths[i].pos > at })
	if i == 0 {
		return nil
	}
	return m.paths[i-1].under
}

// choose picks the definition among what is possible under the assumptions.
func choose(cases []possibility, under []assumption) (*Macro, bool) {
	var found *Macro
	ambiguous, overridable, none := false, false, false
	possible := feasible(cases, under)
	for i := range possible {
		p := &possible[i]
		switch {
		case p.macro == nil:
			none = true
		case found == nil:
			found = p.macro
		case !found.same(p.macro):
			ambiguous = true
		}
		if p.macro != nil && p.isDefault() {
			overridable = true
		}
	}
	if found == nil {
		return nil, false
	}
	if ambiguous && !none {
		if m := unasked(possible); m != nil {
			found, ambiguous, overridable = m, false, true
		}
	}
	if none && !(overridable && onlyExternal(possible)) {
		ambiguous = true
	}
	if ambiguous || overridable {
		copied := *found
		copied.Ambiguous, copied.Overridable = ambiguous, overridable
		found = &copied
	}
	return found, true
}

// feasible drops what contradicts the assumptions; if that leaves nothing, the
// assumptions were too coarse and all stays.
func feasible(cases []possibility, under []assumption) []possibility {
	if len(under) == 0 || len(cases) < 2 {
		return cases
	}
	kept := lists.Filter(cases, func(p possibility) bool { return !contradicts(p.under, under) })
	if len(kept) == 0 {
		return cases
	}
	return kept
}

func contradicts(a, b []assumption) bool {
	for _, x := range a {
		for _, y := range b {
			if x.key == y.key && x.value != y.value {
				return true
			}
		}
	}
	return false
}

// isDefault reports whether the definition stands under an #ifndef of its own name.
func (p *possibility) isDefault() bool {
	return slices.ContainsFunc(p.under, func(a assumption) bool { return !a.value && strings.HasPrefix(a.key, definedKey(p.macro.Name)) })
}

// unasked returns the number that a macro stands for where a build defines none of the names
// that it stands for otherwise, nil where it is decided in another way:
//
//	#ifdef WIDTH
//	#define SIZE WIDTH
//	#else
//	#define SIZE 16
//	#endif
func unasked(cases []possibility) (found *Macro) {
	for i := range cases {
		p := &cases[i]
		asked := func(a assumption) bool { return a.value && strings.HasPrefix(a.key, definedKey(p.macro.Body)) }
		_, err := strconv.ParseInt(p.macro.Body, 0, 64)
		switch {
		case p.macro.FunctionLike || len(p.under) == 0:
			return nil
		case slices.ContainsFunc(p.under, asked):
		case err != nil || found != nil || slices.ContainsFunc(p.under, func(a assumption) bool { return a.value || !strings.HasPrefix(a.key, definedMark) }):
			return nil
		default:
			found = p.macro
		}
	}
	return found
}

func onlyExternal(cases []possibility) bool {
	return !slices.ContainsFunc(cases, func(p possibility) bool { return p.macro == nil && !p.external })
}

// same reports whether two definitions mean the same.
func (m *Macro) same(o *Macro) bool {
	if m == o {
		return true
	}
	if m.FunctionLike != o.FunctionLike || m.Body != o.Body || len(m.Params) != len(o.Params) {
		return false
	}
	return slices.Equal(m.Params, o.Params)
}

// Expand expands every macro use in text as it would be at byte offset at. It fails where a definition is ambiguous,
// a use malformed, or the result longer than 1 MB. Comments become blanks, blanks may be added, strings stay.
func (m *Macros) Expand(text string, at int) (string, error) {
	x := &expander{lookup: func(name string) *Macro {
		found, _ := m.Lookup(name, at)
		return found
	}}
	return x.text(text)
}

// Condition returns the value of the condition of a preproc_if, preproc_ifdef, preproc_elif or preproc_elifdef node
// of this file (for an #elif: of its own condition, given that those before it were false). known is false where it
// depends on what is not in view.
func (m *Macros) Condition(n *Node) (value, known bool) {
	if n == nil {
		return false, false
	}
	return m.Decided(int(n.Start))
}

// Decided is Condition for the directive at an offset.
func (m *Macros) Decided(at int) (value, known bool) {
	if m == nil {
		return false, false
	}
	v := m.verdicts[at]
	return v.value, v.known
}

// Dead reports whether the text at the offset is in a branch that is never compiled.
func (m *Macros) Dead(at int) bool { return m != nil && m.isDead(at) }

// isDead reports whether the text at the offset is in a branch that is never compiled.
func (m *Macros) isDead(at int) bool {
	i := sort.Search(len(m.dead), func(i int) bool { return m.dead[i].end > at })
	return i < len(m.dead) && m.dead[i].start <= at
}
