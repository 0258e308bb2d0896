// Package mutate makes wrong programs out of right ones: each barrier, acquire,
// release, start, finish and guard of a CUDA file removed or weakened, each set
// of arrays that belongs to a v-TB replaced by the first one, one at a time, and each such step in smux's device runtime;
// of exchanges in rounds, of staged arrays, of variables in shared memory and of coarsened blocks what their files say (rounds.go, parted.go, staged.go,
// slots.go, coarsened.go). A verifier that tells none
// of them from the original is no good. It is used by tests only.
//
// Mutants come in two forms. Apply gives the text of one. Switched gives one
// text that behaves as any of them: its main takes the number of the mutant as
// an argument after the program's own, and 0 for none, so that hundreds of
// mutants need one compilation.
//
// What it leaves out: barriers inside macros, votes, host code.
package mutate

import (
	"sort"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Mutant is one change for the worse.
type Mutant struct {
	// ID names the mutant within its file: FUNCTION:WHAT#N, the N-th of its kind
	// in functions of that name, or runtime:WHAT. It survives changes elsewhere.
	ID   string
	Pos  diag.Position
	Text string // what is done, such as "vtb.acquire(); is removed"

	start, end int // the range that changes
	// with replaces an expression, or a statement. "" means that the range is a statement,
	// which is left out.
	with      string
	statement bool // with is one
}

// Mutants lists the mutants of a file by position.
func Mutants(f *parser.File) []Mutant {
	e := enumerator{file: f, counts: map[string]int{}}
	for _, fn := range f.Functions {
		if fn.Body != nil && (fn.IsKernel() || fn.IsDevice()) && !within(fn.Node, runtimeOf(f)) {
			e.function(fn)
		}
	}
	e.runtime()
	sort.SliceStable(e.out, func(i, j int) bool { return e.out[i].start < e.out[j].start })
	return e.out
}

// Apply returns the file with one mutation.
func Apply(f *parser.File, m Mutant) []byte {
	with := m.with
	if with == "" {
		with = ";"
	}
	return append(append(append([]byte{}, f.Src[:m.start]...), with...), f.Src[m.end:]...)
}

// runtimeOf returns the definition of smux's device runtime in a file, nil if
// there is none.
func runtimeOf(f *parser.File) (runtime *parser.Node) {
	f.Root.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindNamespaceDefinition && f.Text(n.Child(parser.FieldName)) == "smux" {
			runtime = n
		}
		return runtime == nil
	})
	return runtime
}

func within(n, outer *parser.Node) bool {
	return outer != nil && outer.Start <= n.Start && n.End <= outer.End
}
