package kit

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// Snapshot is a program between two rewrites of a kernel: the first one made its file what middle says, and kernel is
// the same kernel there. A second rewrite is made on it as on any kernel, and its edits are brought back to the
// original by rebase: positions survive, so that everything else (launches, namesakes, emission) sees one rewrite of
// the original kernel.
type Snapshot struct {
	*middle
	original *analysis.Kernel
	Kernel   *analysis.Kernel
}

// NewSnapshot makes the edits of a kernel's file, and reads the file again.
func NewSnapshot(k *analysis.Kernel, edits []edit.Edit) (*Snapshot, error) {
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
	return &Snapshot{middle: m, original: k, Kernel: prog.Kernel(f, f.Functions[i])}, nil
}

// Rebase turns the edits of the snapshot's kernel into those of the original.
func (s *Snapshot) Rebase(edits *Edits) error {
	f := s.Kernel.File
	b := BufferOf(edits.Files, f)
	composed, err := s.compose(b.Edits())
	if err != nil {
		return err
	}
	delete(edits.Files, f)
	edits.Files[s.original.File] = edit.NewBuffer(composed)
	for _, c := range edits.Clones {
		if err := s.rebaseClone(c); err != nil {
			return err
		}
	}
	for i := range edits.Calls {
		s.rebaseCall(&edits.Calls[i])
	}
	return nil
}

// rebaseClone moves a changed device function. Its text is the original's, only further up or down.
func (s *Snapshot) rebaseClone(c *Clone) error {
	if c.Fn.File == s.Kernel.File {
		for i, e := range c.Edits.Edits() {
			start, kept := s.middle.original(e.Start)
			end, also := s.middle.original(e.End)
			if !kept || !also || end-start != e.End-e.Start {
				return fmt.Errorf("%s: device function %s changes in both rewrites", c.Fn.File.Name, c.Fn.View.Name)
			}
			c.Edits.Edits()[i].Start, c.Edits.Edits()[i].End = start, end
		}
	}
	// The calls' offsets are in the clone's own file, which needs its function.
	for i := range c.Calls {
		s.rebaseCall(&c.Calls[i])
	}
	c.Fn = s.Function(c.Fn)
	return nil
}

func (s *Snapshot) rebaseCall(at *CallSite) {
	if at.Fn.File == s.Kernel.File {
		at.At, _ = s.middle.original(at.At)
	}
	at.Fn, at.Form.Fn = s.Function(at.Fn), s.Function(at.Form.Fn)
}

// Function returns the original of a function of the snapshot.
func (s *Snapshot) Function(fn *ir.Func) *ir.Func {
	k := s.original
	if fn.File != s.Kernel.File {
		return k.Prog.Lower(fn.File, fn.View)
	}
	i := slices.Index(fn.File.Functions, fn.View)
	return k.Prog.Lower(k.File, k.File.Functions[i])
}

// Messages moves messages on the snapshot to where it stands in the original.
func (s *Snapshot) Messages(list []diag.Message) []diag.Message {
	var out []diag.Message
	for _, m := range list {
		m.Pos = s.position(m.Pos)
		out = lists.Add(out, m)
	}
	return out
}

func (s *Snapshot) position(at diag.Position) diag.Position {
	if f := s.Kernel.File; at.File == f.Name {
		offset, _ := s.middle.original(f.Offset(at))
		return s.original.File.Position(offset)
	}
	return at
}
