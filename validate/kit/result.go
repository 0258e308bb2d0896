package kit

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Condition is one of the things that make a multiplexed text legal.
type Condition string

// The conditions.
const (
	Erasure  Condition = "erasure"        // without smux's objects the text is the original's
	Moves    Condition = "moves"          // what moved commutes with what it passed
	Turns    Condition = "turns"          // multiplexed arrays are used between acquire and release only
	Content  Condition = "content"        // nothing read after an acquire was written before it
	Uniform  Condition = "uniform"        // barriers are met by whole v-TBs
	Copies   Condition = "copies"         // indices of private and slot copies stay apart
	Builtins Condition = "built-ins"      // blockIdx and its like are those of the original
	Launches Condition = "launches"       // launches and kernels agree
	Numbers  Condition = "barrier-number" // barriers and threads are as many as a block has
	Progress Condition = "progress"       // no block waits for another
	Runtime  Condition = "runtime"        // the declarations of namespace smux are trusted ones
)

// Obligation is a condition that was shown of a kernel.
type Obligation struct {
	Condition Condition       `json:"condition"`
	Method    string          `json:"method"` // how, in a few words
	Places    []diag.Position `json:"places"` // in the new text; may be empty
	Assumes   string          `json:"assumes,omitempty"`
}

// Doubt is a condition that could not be shown, or that is wrong.
type Doubt struct {
	Condition Condition     `json:"condition"`
	Pos       diag.Position `json:"pos"` // in the new text
	Text      string        `json:"text"`
}

// Kernel is the judgement of one kernel of the new text.
type Kernel struct {
	Name    string        `json:"name"`
	Pos     diag.Position `json:"pos"`
	Variant string        `json:"variant"` // "vtb named", "merge", …; Same where nothing changed
	Merged  int           `json:"merged"`  // thread blocks of the original in one, 1 where it is the same
	Block   [3]int        `json:"block"`   // for which shape of blocks, 0 0 0 for any

	Shown  []Obligation `json:"shown"`
	Doubts []Doubt      `json:"doubts"`

	State    *KernelState `json:"-"`
	Launches int          `json:"-"` // in view
}

// Proved reports whether everything was shown.
func (k *Kernel) Proved() bool { return len(k.Doubts) == 0 }

// Same is the variant of a kernel in which nothing changed.
const Same = "same"

// Schema is the version of the JSON form of a Result.
const Schema = 1

// CodeUnproved is the code of a doubt.
const CodeUnproved diag.Code = "unproved"

// Result is the judgement of a whole.
type Result struct {
	Schema  int       `json:"schema"`
	Kernels []*Kernel `json:"kernels"` // in the order of the new text
	// Doubts are differences outside of kernels.
	Doubts []Doubt `json:"doubts"`
}

// Proved reports whether the new program is a legal multiplexing of the old one.
func (r *Result) Proved() bool {
	return len(r.Doubts) == 0 && !slices.ContainsFunc(r.Kernels, func(k *Kernel) bool { return !k.Proved() })
}

// Messages returns the doubts as messages: those of kernels after those of no kernel.
func (r *Result) Messages() (out []diag.Message) {
	add := func(d Doubt, of string) {
		out = append(out, diag.Message{Pos: d.Pos, Code: CodeUnproved, Text: of + string(d.Condition) + ": " + d.Text, Help: diag.Help(CodeUnproved)})
	}
	for _, d := range r.Doubts {
		add(d, "")
	}
	for _, k := range r.Kernels {
		for _, d := range k.Doubts {
			add(d, fmt.Sprintf("kernel %q: ", k.Name))
		}
	}
	return out
}

// Show notes that a condition was shown.
func (k *Kernel) Show(c Condition, method string, places ...diag.Position) *Obligation {
	if places == nil {
		places = []diag.Position{}
	}
	k.Shown = append(k.Shown, Obligation{Condition: c, Method: method, Places: places})
	return &k.Shown[len(k.Shown)-1]
}

func (k *Kernel) Doubt(c Condition, f *parser.File, at int, format string, args ...any) {
	note(&k.Doubts, Doubt{c, f.Position(at), fmt.Sprintf(format, args...)})
}

func (r *Result) Doubt(c Condition, f *parser.File, at int, format string, args ...any) {
	note(&r.Doubts, Doubt{c, f.Position(at), fmt.Sprintf(format, args...)})
}

func note(all *[]Doubt, d Doubt) {
	if !slices.Contains(*all, d) {
		*all = append(*all, d)
	}
}

// RunFor notes in blocks of which shapes the kernel was run: none where there are several.
func (k *Kernel) RunFor(shapes [][3]int) {
	if k.Block = shapes[0]; slices.ContainsFunc(shapes, func(s [3]int) bool { return s != k.Block }) {
		k.Block = [3]int{}
	}
}

// Doubtful reports whether a condition is among the doubts.
func (k *Kernel) Doubtful(c Condition) bool {
	return slices.ContainsFunc(k.Doubts, func(d Doubt) bool { return d.Condition == c })
}
