package kit

import (
	"maps"
	"path/filepath"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// Options are the knobs of one run.
type Options struct {
	// Variant names the rewrite. Of its fields, an empty Rewriter means "vtb", no Factor 2,
	// no SharedSets 1, and no Sync the first sync mode that can be proved.
	Variant
	Kernels []string // names or globs; empty means all
	Block   [3]int   // block shape for kernels whose launch is out of sight; zero if not given
	Runtime string   // RuntimeInline (the default) or RuntimeIncluded
	// Decisions say what becomes of single kernels, by the position of their names; all others are rewritten as
	// Variant says. Kernels of one Group must be decided on alike.
	Decisions map[diag.Position]Decision
	// Then says what becomes of single kernels in a second rewrite, of what the first one leaves: by their places in
	// the program as it is given. All others stay as the first one leaves them. See Chain.
	Then map[diag.Position]Decision
	// Unsafe makes the rewrite wrong on purpose. It is for tests of package
	// verify; no flag of the command line reaches it.
	Unsafe UnsafeShrink

	check      Check             // of the rewriter, see Check.prove
	Closed     map[*ir.Func]bool // device functions that no turns may be taken in
	Unchecked  bool              // without checks of what the proof rests on, see findings.made
	WrittenOut bool              // uses of macros may stay written out, as a step on the way
}

// FileResult is one file of the program that changed.
type FileResult struct {
	Name          string
	Before, After []byte

	Edits []edit.Edit // that make After of Before, nil where somebody else made it
}

// KernelResult says what became of one kernel.
type KernelResult struct {
	Name    string
	Pos     diag.Position
	Variant                // what was done; the zero value if the kernel was left alone
	Refused []diag.Message // why it was left alone, in source order
	Notes   []diag.Message // what the reader should know of a rewritten kernel
}

// Result is the outcome of a run over a program.
type Result struct {
	Files   []FileResult // only files that changed
	Kernels []KernelResult
}

// Texts returns the texts of a program's named files after its rewrite, by name.
func (r *Result) Texts(prog *parser.Program) map[string][]byte {
	texts := prog.Texts()
	maps.Copy(texts, r.Changed())
	return texts
}

// Changed returns the texts of the files that changed, by name.
func (r *Result) Changed() map[string][]byte {
	texts := map[string][]byte{}
	for _, f := range r.Files {
		texts[f.Name] = f.After
	}
	return texts
}

// After returns a program as its rewrite left it, read again. Places in it are not
// those of the program before: a Chain tells what became of them.
func (r *Result) After(prog *parser.Program) (*parser.Program, error) {
	return prog.WithTexts(r.Changed())
}

// Selects reports whether a kernel is among those that the options name.
func (o Options) Selects(kernel string) bool { return Matches(o.Kernels, kernel) }

// Matches reports whether one of some globs matches the name of a kernel, or there are none.
func Matches(globs []string, name string) bool {
	if len(globs) == 0 {
		return true
	}
	for _, g := range globs {
		if ok, err := filepath.Match(g, name); ok && err == nil {
			return true
		}
	}
	return false
}
