package baseline

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project/config"
)

// Sight is a kernel as it is now: what is recorded of it, and where that stands.
type Sight struct {
	Kernel
	Pos     diag.Position
	Ignored []config.Ignore    // that may be about it
	arrays  []diag.Position    // of Shared
	regions []diag.Position    // of Regions
	ends    [][2]diag.Position // of Regions, first and last access
	lines   []Line
	// launches holds the positions of the launches of Stands; the zero value for one that is out of
	// sight.
	launches []diag.Position
}

// Launched is a stand with the place of its launch, the zero value where it is out
// of sight.
type Launched struct {
	Stand
	At diag.Position
}

// See makes a sight of the facts about a kernel. file is its file's path from the
// folder of the baseline; lines are those of the kernel and of the device functions
// that it reaches.
func See(file string, r analysis.KernelReport, lines []Line, stands []Launched) Sight {
	s := Sight{Pos: r.Position, lines: lines}
	s.Kernel = Kernel{File: file, Name: r.Name, Shared: []Array{}, Lines: hashes(lines), Stands: []Stand{}}
	for _, v := range r.Shared {
		if v.Dynamic {
			continue
		}
		a := Array{Name: v.Name}
		if v.Bytes != nil {
			a.Bytes = *v.Bytes
		}
		s.Shared, s.arrays = append(s.Shared, a), append(s.arrays, v.Position)
	}
	if r.Regions != nil {
		s.Regions = []Region{}
	}
	for _, g := range r.Regions {
		s.Regions = append(s.Regions, Region{Arrays: g.Arrays, First: s.hashAt(g.First)})
		s.regions, s.ends = append(s.regions, g.First), append(s.ends, [2]diag.Position{g.First, g.Last})
	}
	if r.RegionShareEstimate != nil {
		s.Share = *r.RegionShareEstimate
	}
	slices.SortStableFunc(stands, func(a, b Launched) int {
		return cmp.Or(compareNatural(a.Launch, b.Launch), compareNatural(a.Block, b.Block), cmp.Compare(a.Dynamic, b.Dynamic), cmp.Compare(a.GPU, b.GPU))
	})
	for _, l := range stands {
		s.Stands, s.launches = append(s.Stands, l.Stand), append(s.launches, l.At)
	}
	return s
}

// compareNatural puts 64 before 128.
func compareNatural(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// hashAt returns the hash of the line that holds a place, "" for none of the kernel's.
func (s *Sight) hashAt(at diag.Position) string {
	for _, l := range s.lines {
		if l.Pos.File == at.File && l.Pos.Line == at.Line {
			return l.hash()
		}
	}
	return ""
}

// Sort puts sights into the order of a baseline, and numbers kernels of one name in
// one file by their order in the text. Of a kernel that was seen twice, in two programs
// that share its file, the first is kept.
func Sort(sights []Sight) []Sight {
	out := slices.Clone(sights)
	slices.SortStableFunc(out, func(a, b Sight) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	out = slices.CompactFunc(out, func(a, b Sight) bool {
		return a.File == b.File && a.Name == b.Name && a.Pos.Line == b.Pos.Line && a.Pos.Column == b.Pos.Column
	})
	for i := range out {
		if i > 0 && out[i].File == out[i-1].File && out[i].Name == out[i-1].Name {
			out[i].Nth = max(2, out[i-1].Nth+1)
		}
	}
	return out
}
