package project

import (
	"path/filepath"
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// Runnable parts files into what can be run by itself, given as indexes of facts, in the order of their first
// files: a program for each file with a main, and each file with kernels that no program has. Programs are
// those that a rewrite changes together, but two mains can't be linked. What others include is compiled with these alone,
// and files that nothing needs and that have no kernel are left out: sources of C and C++ are parts of programs of CUDA.
//
// A program has what its first file, the one with the main, includes; the nearest file that defines a kernel which it
// launches or declares; and a file in or below its folder that defines a function which it calls.
func Runnable(facts []Facts) [][]int {
	p := newParting(facts)
	var units []*unit
	for i := range facts {
		part := func(k int) bool { return k < i || !slices.Contains(p.includes[i], k) } // of two that include each other, the second is
		if !facts[i].None && !slices.ContainsFunc(p.including[i], part) {
			units = append(units, p.unit(i))
		}
	}
	var out [][]int
	taken := map[*unit]bool{}
	for _, u := range units {
		if !u.main {
			continue
		}
		program := []*unit{u}
		for at := 0; at < len(program); at++ {
			for _, o := range units {
				if !o.main && !slices.Contains(program, o) && p.needs(program, program[at], o) {
					program = append(program, o)
				}
			}
			taken[program[at]] = true
		}
		files := lists.Map(program, func(o *unit) int { return o.files[0] })
		for _, o := range program {
			for _, k := range o.files {
				if kindOf(facts[k].Name) != other && !slices.Contains(files, k) { // what C includes is not compiled by itself
					files = append(files, k)
				}
			}
		}
		if slices.ContainsFunc(files, func(k int) bool { return kindOf(facts[k].Name) != other }) {
			out = append(out, files)
		}
	}
	for _, u := range units {
		if !taken[u] && kindOf(facts[u.files[0]].Name) != other && slices.ContainsFunc(u.files, func(k int) bool { return len(facts[k].Kernels) > 0 }) {
			out = append(out, u.files)
		}
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

// unit is a file that is compiled by itself, and what it includes.
type unit struct {
	files           []int
	main            bool
	called, defined map[string]bool // functions; those that others may call
}

func (p *parting) unit(i int) *unit {
	u := &unit{files: append([]int{i}, p.includes[i]...), called: map[string]bool{}, defined: map[string]bool{}}
	for _, k := range u.files {
		u.main = u.main || p.facts[k].main
		if src, err := readFile(p.facts[k].abs); err == nil {
			u.called = Called(u.called, src)
			if !parser.IsHeader(p.facts[i].Name) {
				u.defined = Defined(u.defined, src)
			}
		}
		for _, kernel := range p.facts[k].Kernels { // of which the nearest counts
			delete(u.defined, kernel.Name)
		}
	}
	return u
}

// needs reports whether a unit of a program needs another unit that the program has not.
func (p *parting) needs(program []*unit, u, o *unit) bool {
	for _, i := range u.files {
		for _, kernel := range p.facts[i].needs() {
			if len(p.exporters[kernel]) > 0 && !slices.ContainsFunc(program, func(u *unit) bool { return p.definedWith(u.files[0])[kernel] }) &&
				slices.ContainsFunc(p.nearest(i, p.exporters[kernel]), func(k int) bool { return slices.Contains(o.files, k) }) {
				return true
			}
		}
	}
	if !Within(p.facts[o.files[0]].abs, []string{filepath.Dir(p.facts[program[0].files[0]].abs)}) {
		return false
	}
	for name := range o.defined {
		if u.called[name] && !slices.ContainsFunc(program, func(u *unit) bool { return u.defined[name] }) {
			return true
		}
	}
	return false
}

var (
	comment    = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	call       = regexp.MustCompile(`\b([A-Za-z_]\w*)\s*(?:<<<[^;]*?>>>\s*|<[^;<>()]*>\s*)?\(`)
	definition = regexp.MustCompile(`(?m)^([^\n;{}#]*?)\b([A-Za-z_]\w*)\s*\([^;{}()]*\)\s*\{`)
	internal   = regexp.MustCompile(`\b(static|__device__|else|return|if|for|while|switch|catch)\b`)
)

// Called adds the functions that a text seems to call to those that are known.
func Called(known map[string]bool, src []byte) map[string]bool {
	for _, m := range call.FindAllSubmatch(comment.ReplaceAll(src, nil), -1) {
		known[string(m[1])] = true
	}
	return known
}

// Defined adds the functions that a text seems to define, and that other files may call.
func Defined(known map[string]bool, src []byte) map[string]bool {
	for _, m := range definition.FindAllSubmatch(comment.ReplaceAll(src, nil), -1) {
		if !internal.Match(m[1]) && !internal.Match(m[2]) {
			known[string(m[2])] = true
		}
	}
	return known
}
