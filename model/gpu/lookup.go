package gpu

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// UnknownError reports that no board of the table has a name.
type UnknownError struct {
	Name string
	CC   string   // the compute capability that the name spells, if it does: "9.9"
	Near []string // names that may have been meant, the most likely first; at most three
	All  []string // every name
}

func (e *UnknownError) Error() string {
	if e.CC != "" {
		return fmt.Sprintf("unknown GPU %q: compute capability %s is not in the table", e.Name, e.CC)
	}
	text := fmt.Sprintf("unknown GPU %q", e.Name)
	if len(e.Near) > 0 {
		text += ", did you mean " + orList(e.Near) + "?"
	}
	return text
}

// orList is "a", "a or b" or "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.TrimPrefix(strings.Join(words[:last], ", ")+" or "+words[last], " or ")
}

// noCarveout is the error about an SM that can't be configured to so many bytes of shared memory. 0, which leaves none, can't be chosen.
func (g *GPU) noCarveout(bytes int) error {
	var have []string
	for _, c := range g.Arch.Carveouts {
		if c > 0 {
			have = append(have, strconv.Itoa(c/1024))
		}
	}
	return fmt.Errorf("%s has no %d kB of shared memory per SM, but %s kB", g.Name, bytes/1024, orList(have))
}

// Lookup finds a board of the built-in table: see Table.Lookup.
func Lookup(name string) (*GPU, error) { return Default().Lookup(name) }

// Lookup finds a board by its name, an alias or its product name, in any case,
// with or without spaces, dashes, "NVIDIA", "GeForce" and "Tesla"; or the board
// that stands for a compute capability, as "8.6", "cc8.6" or "sm_86". A suffix
// chooses the shared memory per SM in kB: "gtx480@16", "a100@100k". The error
// is an *UnknownError where there is no such board.
func (t *Table) Lookup(name string) (*GPU, error) {
	base, suffix, chosen := strings.Cut(name, "@")
	found := t.named(base)
	if found == nil {
		found = t.standsFor(base)
	}
	if found == nil {
		return nil, t.unknown(base)
	}
	g := found.clone()
	if !chosen {
		return g, nil
	}
	kilobytes, err := parseKilobytes(suffix)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if kilobytes == 0 || !slices.Contains(g.Arch.Carveouts, kilobytes*1024) {
		return nil, g.noCarveout(kilobytes * 1024)
	}
	g.Carveout = kilobytes * 1024
	return g, nil
}

var kilobytesForm = regexp.MustCompile(`^(?i)\s*([0-9]{1,6})\s*(k|kb|kib)?\s*$`)

func parseKilobytes(s string) (int, error) {
	m := kilobytesForm.FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("%q is not an amount of shared memory in kB, such as 16 or 16k", s)
	}
	return strconv.Atoi(m[1])
}

var (
	ccName = regexp.MustCompile(`^(?i)\s*(?:cc\s*|sm\s*)?([0-9]{1,2})\.([0-9])\s*$`)
	smName = regexp.MustCompile(`^(?i)\s*(?:sm|compute)_?([0-9]{1,2})([0-9])[af]?\s*$`)
)

// standsFor returns the board that stands for the compute capability that name
// spells, nil if it spells none or the table has none.
func (t *Table) standsFor(name string) *GPU {
	a := t.arch(spelledCC(name))
	if a == nil {
		return nil
	}
	return t.named(a.Board)
}

// spelledCC returns the compute capability that name spells, such as "8.6" for
// "sm_86"; "" if it spells none.
func spelledCC(name string) string {
	m := ccName.FindStringSubmatch(name)
	if m == nil {
		m = smName.FindStringSubmatch(name)
	}
	if m == nil {
		return ""
	}
	return m[1] + "." + m[2]
}

// unneeded are words of product names that people leave out, and what separates
// words.
var unneeded = strings.NewReplacer("nvidia", "", "geforce", "", "tesla", "", "quadro", "", " ", "", "-", "", "_", "", "\t", "")

// normal brings a name to the form in which names are compared.
func normal(name string) string { return unneeded.Replace(strings.ToLower(name)) }

func (t *Table) unknown(name string) error {
	e := &UnknownError{Name: name, CC: spelledCC(name)}
	var spellings []string // names first, so that they win over aliases
	canonical := map[string]string{}
	for i := range t.boards {
		g := &t.boards[i]
		e.All = append(e.All, g.Name)
		spellings = append(spellings, g.Name)
		canonical[g.Name] = g.Name
	}
	for i := range t.boards {
		for _, a := range t.boards[i].Aliases {
			spellings = append(spellings, a)
			canonical[a] = t.boards[i].Name
		}
	}
	if e.CC != "" {
		return e
	}
	for _, n := range nearest(name, spellings) {
		if n = canonical[n]; !slices.Contains(e.Near, n) {
			e.Near = append(e.Near, n)
		}
	}
	return e
}

// nearest returns up to three of the names that a person who typed word may
// have meant, the most likely first: those a few edits away, and those that hold
// the word or are held by it.
func nearest(word string, names []string) []string {
	type candidate struct {
		name string
		cost int
	}
	var close []candidate
	w := normal(word)
	if w == "" {
		return nil
	}
	for _, name := range names {
		n := normal(name)
		cost := diag.EditDistance(w, n)
		part := len(w) > 2 && (strings.Contains(n, w) || strings.Contains(w, n))
		if cost <= max(2, len(w)/3) || part {
			close = append(close, candidate{name, cost})
		}
	}
	slices.SortStableFunc(close, func(a, b candidate) int { return a.cost - b.cost })
	var out []string
	for _, c := range close[:min(3, len(close))] {
		out = append(out, c.name)
	}
	return out
}
