package rewrite

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// snapshot is a program between two rewrites of a kernel: the first one made its
// file what middle says, and kernel is the same kernel there. A second rewrite is
// made on it as on any kernel, and its edits are brought back to the original by
// rebase: positions survive, so that everything else (launches, namesakes,
// emission) sees one rewrite of the original kernel.
type snapshot struct {
	*middle
	original *analysis.Kernel
	kernel   *analysis.Kernel
}

// newSnapshot makes the edits of a kernel's file, and reads the file again.
func newSnapshot(k *analysis.Kernel, edits []edit.Edit) (*snapshot, error) {
	m, err := newMiddle(k.File.Src, edits)
	if err != nil {
		return nil, err
	}
	prog, err := k.Prog.With(k.File, m.text)
	if err != nil {
		return nil, err
	}
	f := prog.Parsed.Files[slices.Index(k.Prog.Parsed.Files, k.File)]
	i := slices.Index(k.File.Functions, k.View)
	if len(f.Functions) != len(k.File.Functions) || i < 0 || f.Functions[i].Name != k.Name {
		return nil, fmt.Errorf("%s holds other functions than before", f.Name)
	}
	return &snapshot{middle: m, original: k, kernel: prog.Kernel(f, f.Functions[i])}, nil
}

// rebase turns the edits of the snapshot's kernel into those of the original.
func (s *snapshot) rebase(edits *Edits) error {
	f := s.kernel.File
	b := bufferOf(edits.files, f)
	composed, err := s.compose(b.Edits())
	if err != nil {
		return err
	}
	delete(edits.files, f)
	edits.files[s.original.File] = edit.NewBuffer(composed)
	for _, c := range edits.clones {
		if err := s.rebaseClone(c); err != nil {
			return err
		}
	}
	for i := range edits.calls {
		s.rebaseCall(&edits.calls[i])
	}
	return nil
}

// rebaseClone moves a changed device function. Its text is the original's, only
// further up or down.
func (s *snapshot) rebaseClone(c *clone) error {
	if c.fn.File == s.kernel.File {
		for i, e := range c.edits.Edits() {
			start, kept := s.middle.original(e.Start)
			end, also := s.middle.original(e.End)
			if !kept || !also || end-start != e.End-e.Start {
				return fmt.Errorf("%s: device function %s changes in both rewrites", c.fn.File.Name, c.fn.View.Name)
			}
			c.edits.Edits()[i].Start, c.edits.Edits()[i].End = start, end
		}
	}
	// The calls' offsets are in the clone's own file, which needs its function.
	for i := range c.calls {
		s.rebaseCall(&c.calls[i])
	}
	c.fn = s.function(c.fn)
	return nil
}

func (s *snapshot) rebaseCall(at *callSite) {
	if at.fn.File == s.kernel.File {
		at.at, _ = s.middle.original(at.at)
	}
	at.fn, at.form.fn = s.function(at.fn), s.function(at.form.fn)
}

// function returns the original of a function of the snapshot.
func (s *snapshot) function(fn *ir.Func) *ir.Func {
	k := s.original
	if fn.File != s.kernel.File {
		return k.Prog.Lower(fn.File, fn.View)
	}
	i := slices.Index(fn.File.Functions, fn.View)
	return k.Prog.Lower(k.File, k.File.Functions[i])
}

// messages moves what is said of the snapshot to where it stands in the original.
func (s *snapshot) messages(list []diag.Message) []diag.Message {
	var out []diag.Message
	for _, m := range list {
		m.Pos = s.position(m.Pos)
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

func (s *snapshot) position(at diag.Position) diag.Position {
	if f := s.kernel.File; at.File == f.Name {
		offset, _ := s.middle.original(f.Offset(at))
		return s.original.File.Position(offset)
	}
	return at
}
