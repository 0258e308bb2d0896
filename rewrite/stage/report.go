package stage

import (
	"github.com/smux-cuda/smux/rewrite/kit"
)

// StagedBy are the arrays that a proof of stage copies since they are read again.
func StagedBy(p kit.Proof) []kit.Staged {
	if s, ok := p.(interface{ staged() []kit.Staged }); ok {
		return s.staged()
	}
	return nil
}

func (p *copyProof) staged() (out []kit.Staged) {
	file := p.Kernel.File
	for _, place := range p.places {
		for _, a := range place.arrays {
			s := kit.Staged{Array: a.v.Name, Reuse: p.reuse(a), Bytes: p.bytesOf(a)}
			for _, l := range a.loads {
				s.Places = append(s.Places, file.Position(l.whole.Range.Start))
			}
			if a.cut != nil {
				at := file.Position(a.cut.stmt.Range.Start)
				s.Loop, s.Tile = &at, p.tile
			}
			out = append(out, s)
		}
	}
	return out
}

func (p *tableProof) staged() (out []kit.Staged) {
	for _, t := range p.tables {
		s := kit.Staged{Array: t.name, Bytes: t.elements() * t.elem}
		for _, r := range t.reads {
			s.Places = append(s.Places, p.Kernel.File.Position(r.whole.Range.Start))
			s.Reuse += float64(r.times * p.threads)
		}
		s.Reuse /= float64(t.elements())
		out = append(out, s)
	}
	return out
}

// staged is nil: other threads make a store, and nothing is read again.
func (p *transposeProof) staged() []kit.Staged { return nil }

func (p *evened) staged() []kit.Staged {
	out := StagedBy(p.Proof)
	for i := range out {
		out[i].Places, out[i].Loop = nil, nil // of a text that nobody sees
	}
	return out
}
