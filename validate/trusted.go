package validate

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/units"
)

// trusted holds the declarations of namespace smux that are taken as what they say: each a hash of its units
// and its first words. They are smux's runtime, which docs/evidence/variants.md and the tests of rewrite/runtime speak
// of; a declaration that differs by a unit is not trusted.
//
//go:embed trusted.txt
var trusted string

// declarationsOf parts the units inside a namespace at its declarations.
func declarationsOf(us []units.Unit) (out [][]units.Unit) {
	depth, from := 0, 0
	for i, u := range us {
		depth += u.Nesting()
		end := depth == 0 && (u.Text == ";" || u.Text == "}" && (i+1 >= len(us) || us[i+1].Text != ";"))
		if end {
			out = append(out, us[from:i+1])
			from = i + 1
		}
	}
	if from < len(us) {
		out = append(out, us[from:])
	}
	return out
}

// hashOf returns the hash of a declaration, as trusted.txt has it.
func hashOf(us []units.Unit) string {
	sum := sha256.Sum256([]byte(units.Text(us)))
	return hex.EncodeToString(sum[:16])
}

// runtimePart is a namespace smux in a text: the indices of its units, and what is inside.
type runtimePart struct {
	first, end int
	inside     []units.Unit
}

// holds reports whether an offset lies in the part.
func (p runtimePart) holds(s *units.Source, at int) bool {
	return s.Units[p.first].Start <= at && at < s.Units[p.end-1].End
}

// runtimeParts finds the texts of smux's runtime: "namespace smux { … }".
func runtimeParts(us []units.Unit) (out []runtimePart) {
	for i := 0; i < len(us); i++ {
		if _, _, ok := units.Match(us[i:], "namespace smux {"); ok {
			end := units.Closing(us, i+2)
			if end < 0 {
				return out
			}
			out = append(out, runtimePart{i, end + 1, us[i+3 : end]})
			i = end
		}
	}
	return out
}

// runtimeFits checks the runtime that a text brings along, and returns the units that belong to it: the
// namespace, the directives around it, and the include of smux.cuh.
func (c judge) runtimeFits(s *units.Source, r *Result) map[int]bool {
	mine := map[int]bool{}
	for i, u := range s.Units {
		if strings.HasPrefix(u.Text, `# include "`) && (strings.HasSuffix(u.Text, `"smux.cuh"`) || strings.HasSuffix(u.Text, `/smux.cuh"`)) {
			mine[i] = true
			c.Included = true
		}
		if u.Text == printed && s != c.Old && !units.Mentions(c.Old.Units, printed) { // for the message of a check
			mine[i] = true
		}
	}
	for _, part := range runtimeParts(s.Units) {
		for i := part.first; i < part.end; i++ {
			mine[i] = true
		}
		for i := part.first - 1; i >= 0 && slices.Contains(runtimeDirectives, s.Units[i].Text); i-- {
			mine[i] = true
			if strings.HasPrefix(s.Units[i].Text, "# ifndef") {
				mine[part.end] = part.end < len(s.Units) && s.Units[part.end].Text == "# endif"
				break
			}
		}
		c.partFits(s, part, r)
	}
	return mine
}

// partFits checks the declarations of a namespace smux.
func (c judge) partFits(s *units.Source, part runtimePart, r *Result) {
	for _, d := range declarationsOf(part.inside) {
		if !strings.Contains(trusted, hashOf(d)+" ") {
			r.Doubt(Runtime, s.File, d[0].Start, "this declaration of namespace smux is not one of smux's runtime")
		}
	}
}

// runtimeSeen notes that the runtime was compared (runtimeFits, headers). A header that is not there is assumed to be right.
func (c judge) runtimeSeen(k *Kernel) {
	isRuntime := func(f *parser.File) bool { return baseName(f) == runtimeHeader }
	if !c.Included || slices.ContainsFunc(c.NewNames.Prog.All(), isRuntime) {
		k.Show(Runtime, "every declaration by its hash")
		return
	}
	k.Show(Runtime, "not seen").Assumes = "smux.cuh is as smux runtime writes it"
}

// runtimeHeader is the name of the file that holds smux's runtime.
const runtimeHeader = "smux.cuh"

func baseName(f *parser.File) string { return path.Base(filepath.ToSlash(f.Name)) }

// printed returns the header for printing that a file includes.
const printed = "# include < cstdio >"

// runtimeDirectives are those around the runtime.
var runtimeDirectives = []string{"# ifndef SMUX_CUH", "# define SMUX_CUH", printed, "# include < cstdlib >", "# ifndef SMUX_SLOTS", "# define SMUX_SLOTS",
	"# ifndef SMUX_SLOT_BYTES", "# define SMUX_SLOT_BYTES", "# ifndef SMUX_LIMIT", "# define SMUX_LIMIT", "# ifndef SMUX_RESHAPE", "# define SMUX_RESHAPE"}
