package kit

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Chain is a program that is rewritten in steps, each of what the last one left. All that goes in and comes out is
// told in places of the program that the chain began with: decisions on kernels, messages, and what has changed in
// the end. A place in text that a step inserted is told as that where it was inserted.
//
// A chain is not safe for concurrent use.
type Chain struct {
	begin   *analysis.Program
	now     *analysis.Program // nil where it was not read again yet
	Files   map[string]*change
	kernels []KernelResult

	// found are the kernels of now by file and by the place of their name at the start,
	// nil where they were not looked for.
	found map[place]*parser.Function
}

// place is an offset in a file.
type place struct {
	file string
	at   int
}

// change records what has become of a file: a FileResult, and the way back from it.
type change struct {
	FileResult
	*middle
}

// NewChain begins a chain with a program.
func NewChain(prog *analysis.Program) *Chain {
	return &Chain{begin: prog, now: prog, Files: map[string]*change{}}
}

// Clone returns a chain that goes on in another way.
func (c *Chain) Clone() *Chain {
	out := *c
	out.Files, out.kernels = maps.Clone(c.Files), slices.Clone(c.kernels)
	return &out
}

// Now returns the program as the steps have left it. The block shape that the person
// gave for launches out of sight counts until a step merges thread blocks.
func (c *Chain) Now() (*analysis.Program, error) {
	if c.now != nil {
		return c.now, nil
	}
	parsed, err := c.Result().After(c.begin.Parsed)
	if err != nil {
		return nil, fmt.Errorf("reading what was rewritten: %w", err)
	}
	c.now = c.begin.On(parsed)
	if slices.ContainsFunc(c.kernels, func(k KernelResult) bool { return k.Rewriter != "" && k.Merges() }) {
		c.now = passes.NewProgram(parsed, [3]int{})
	}
	return c.now, nil
}

// Kernel returns what a kernel of the program at the start is by now.
func (c *Chain) Kernel(k *analysis.Kernel) (*analysis.Kernel, error) {
	now, err := c.Now()
	if err != nil {
		return nil, err
	}
	if now == c.begin {
		return k, nil
	}
	if c.found == nil {
		c.found = map[place]*parser.Function{}
		for _, f := range now.Parsed.Files {
			for _, fn := range KernelsOf(f) {
				if at, kept := c.original(f, NameOffset(fn)); kept {
					c.found[place{f.Name, at}] = fn
				}
			}
		}
	}
	if fn := c.found[place{k.File.Name, NameOffset(k.View)}]; fn != nil {
		for _, f := range now.Parsed.Files {
			if f.Name == k.File.Name {
				return now.Kernel(f, fn), nil
			}
		}
	}
	return nil, fmt.Errorf("kernel %s is gone after a rewrite", k.Name)
}

// KernelsOf are the kernels that a file defines.
func KernelsOf(f *parser.File) []*parser.Function {
	return lists.Filter(f.Functions, isDefinition)
}

func isDefinition(fn *parser.Function) bool { return fn.IsKernel() && fn.Body != nil }

// original maps an offset in a file as it is by now, see middle.original.
func (c *Chain) original(f *parser.File, at int) (offset int, kept bool) {
	if m := c.Files[f.Name]; m != nil {
		return m.middle.original(at)
	}
	return at, true
}

// Forget drops what was found of a kernel as the steps have left it.
func (c *Chain) Forget(k *analysis.Kernel) {
	if fn := c.found[place{k.File.Name, NameOffset(k.View)}]; fn != nil {
		c.now.Forget(fn)
	}
}

// Place returns the place in the program at the start of one in that of Now.
func (c *Chain) Place(at diag.Position) diag.Position {
	now, err := c.Now()
	if err != nil || now == c.begin {
		return at
	}
	file := func(f *parser.File) bool { return f.Name == at.File }
	i := slices.IndexFunc(now.Parsed.Files, file)
	j := slices.IndexFunc(c.begin.Parsed.Files, file)
	if i < 0 || j < 0 {
		return at
	}
	f := now.Parsed.Files[i]
	offset, _ := c.original(f, f.Offset(at))
	return c.begin.Parsed.Files[j].Position(offset)
}

// Edit is a step that makes edits in files of Now.
func (c *Chain) Edit(edits map[*parser.File]*edit.Buffer) error {
	var files []FileResult
	for f, b := range edits {
		text, err := b.Apply(f.Src)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		files = append(files, FileResult{Name: f.Name, Before: f.Src, After: text, Edits: b.Edits()})
	}
	return c.Take(files, nil)
}

// Add is a step that somebody else made: the result of a rewrite of the program that Now returns.
func (c *Chain) Add(step *Result) error { return c.Take(step.Files, c.Located(step.Kernels)) }

// Located tells of kernels in places at the start.
func (c *Chain) Located(kernels []KernelResult) []KernelResult {
	if c.now == c.begin {
		return kernels
	}
	kernels = slices.Clone(kernels)
	for i := range kernels {
		k := &kernels[i]
		k.Pos, k.Refused, k.Notes = c.Place(k.Pos), c.Messages(k.Refused), c.Messages(k.Notes)
	}
	return kernels
}

// Messages returns messages about Now with places in the program at the start.
func (c *Chain) Messages(list []diag.Message) (out []diag.Message) {
	for _, m := range list {
		m.Pos = c.Place(m.Pos)
		out = append(out, m)
	}
	return out
}

// Take puts a step after those before.
func (c *Chain) Take(files []FileResult, kernels []KernelResult) error {
	for _, f := range files {
		if err := c.Change(f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		c.now, c.found = nil, nil
	}
	type named struct {
		name string
		pos  diag.Position
	}
	known := map[named]int{}
	for i, k := range slices.Backward(c.kernels) {
		known[named{k.Name, k.Pos}] = i
	}
	for _, k := range kernels {
		i, before := known[named{k.Name, k.Pos}]
		if !before {
			known[named{k.Name, k.Pos}] = len(c.kernels)
			c.kernels = append(c.kernels, k)
		} else {
			c.kernels[i] = c.kernels[i].then(k)
		}
	}
	return nil
}

// Change puts a file's change after those before.
func (c *Chain) Change(f FileResult) error {
	edits := f.Edits
	if edits == nil {
		edits = differing(f.Before, f.After)
	}
	before := f.Before
	if m := c.Files[f.Name]; m != nil {
		composed, err := m.compose(edits)
		if err != nil {
			return err
		}
		before, edits = m.Before, composed
	}
	m, err := newMiddle(before, edits)
	if err != nil {
		return err
	}
	c.Files[f.Name] = &change{FileResult{Name: f.Name, Before: before, After: m.text, Edits: edits}, m}
	return nil
}

// differing is the edit that makes one text of another: all from the first byte to the last that differ.
func differing(before, after []byte) []edit.Edit {
	start, most := 0, min(len(before), len(after))
	for start < most && before[start] == after[start] {
		start++
	}
	end := 0
	for end < most-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	return []edit.Edit{{Start: start, End: len(before) - end, New: string(after[start : len(after)-end])}}
}

// Result returns what has become of the program in all steps, by its files in order.
func (c *Chain) Result() *Result {
	out := &Result{Kernels: slices.Clone(c.kernels)}
	for _, f := range c.begin.Parsed.Files {
		if m := c.Files[f.Name]; m != nil && !bytes.Equal(m.Before, m.After) {
			out.Files = append(out.Files, m.FileResult)
		}
	}
	return out
}

// then combines the results of two rewrites of a kernel. Why the second one left it alone is a
// note where the first one did not.
func (k KernelResult) then(next KernelResult) KernelResult {
	more := func(list, more []diag.Message) []diag.Message {
		for _, m := range more {
			if !slices.Contains(list, m) {
				list = append(slices.Clip(list), m)
			}
		}
		return list
	}
	switch {
	case k.Rewriter == "" && next.Rewriter == "":
		k.Refused = more(k.Refused, next.Refused)
		return k
	case next.Rewriter == "":
		k.Notes = more(k.Notes, next.Refused)
		return k
	case k.Rewriter == "":
		k.Variant, k.Refused = next.Variant, nil
	case next.Rewriter == variant.AssumeShape:
		k.Assume = true
	case next.Merges() && !k.Merges() || k.Rewriter == variant.Coarsen || next.Rewriter == variant.Coarsen:
		k.Variant = next.After(k.Variant)
	default:
		k.Recipe = next.Recipe
	}
	k.Notes = more(k.Notes, next.Notes)
	return k
}

// maxReread bounds the bytes that may be read again for one split of each kernel of a file with more than a few: half
// a second of parsing, and a few splits are tried. Of the code that smux is tried on, no file takes a sixth of that.
const (
	maxReread  = 2 << 20
	fewKernels = 10
)

// RereadsTooMuch reports whether a file is too large to be read again for each of its kernels.
func RereadsTooMuch(f *parser.File) bool {
	n := 0
	return slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool {
		if isDefinition(fn) {
			n++
		}
		return n > fewKernels && len(f.Src)*n > maxReread
	})
}

// KernelsNow returns what kernels of the program at the start are by now.
func (c *Chain) KernelsNow(kernels []*analysis.Kernel) (out []*analysis.Kernel, err error) {
	for _, k := range kernels {
		now, err := c.Kernel(k)
		if err != nil {
			return nil, err
		}
		out = append(out, now)
	}
	return out, nil
}
