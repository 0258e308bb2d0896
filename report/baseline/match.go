package baseline

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/diag"
)

// pair is a kernel as it is recorded and as it is; nil for one that is new or gone.
type pair struct {
	was *Kernel
	is  *Sight
}

// likeness is the part of two kernels' lines that must be the same for one of them
// to be the other, renamed or moved to another file.
const likeness = 0.6

// match finds the kernels of a baseline again: by file and name, and those that are
// left by what stands in them. Pairs come in the order of what is there now; after
// them what is gone.
func match(before []Kernel, now []Sight, opt Options) []pair {
	recorded, taken := map[key]*Kernel{}, map[*Kernel]bool{}
	for i := range before {
		recorded[before[i].key()] = &before[i]
	}
	out := make([]pair, len(now))
	for i := range now {
		was := recorded[now[i].key()]
		out[i] = pair{was, &now[i]}
		if was != nil {
			taken[was] = true
		}
	}
	var left []*Kernel
	for i := range before {
		if !taken[&before[i]] && (opt.Covers == nil || opt.Covers(before[i])) {
			left = append(left, &before[i])
		}
	}
	for _, l := range likely(left, out) {
		if out[l.at].was == nil && !taken[l.was] {
			out[l.at].was, taken[l.was] = l.was, true
		}
	}
	for _, was := range left {
		if !taken[was] {
			out = append(out, pair{was: was})
		}
	}
	return out
}

// candidate is a kernel that is gone and one that may be it.
type candidate struct {
	was   *Kernel
	at    int
	alike float64
}

// likely returns the candidates, the likeliest first. Kernels that share neither a name
// nor a file are never taken for each other.
func likely(left []*Kernel, out []pair) []candidate {
	var found []candidate
	for _, was := range left {
		for i, p := range out {
			if p.was != nil || p.is.Name != was.Name && p.is.File != was.File {
				continue
			}
			if a := alike(was.Lines, p.is.Lines); a >= likeness {
				found = append(found, candidate{was, i, a})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.alike, a.alike) })
	return found
}

// standing says how a kernel stands in one place as it is recorded and as it is.
type standing struct {
	was, is Stand
	launch  diag.Position // as it is
}

// stands pairs the forms in which the kernel is launched, on each GPU that both
// know: those that are the same, then those that differ least, then in their order.
func (p pair) stands() []standing {
	var out []standing
	for _, gpu := range p.is.gpus() {
		out = append(out, p.standsOn(gpu)...)
	}
	return out
}

func (p pair) standsOn(gpu string) []standing {
	var was, is []int
	for i, s := range p.was.Stands {
		if s.GPU == gpu {
			was = append(was, i)
		}
	}
	for i, s := range p.is.Stands {
		if s.GPU == gpu {
			is = append(is, i)
		}
	}
	var out []standing
	for _, same := range []func(a, b Stand) bool{
		func(a, b Stand) bool { return a.Launch == b.Launch && a.Block == b.Block && a.Dynamic == b.Dynamic },
		func(a, b Stand) bool { return a.Launch == b.Launch && a.Block == b.Block },
		func(a, b Stand) bool { return a.Launch == b.Launch },
		func(a, b Stand) bool { return true },
	} {
		is = slices.DeleteFunc(is, func(i int) bool {
			at := slices.IndexFunc(was, func(w int) bool { return same(p.was.Stands[w], p.is.Stands[i]) })
			if at < 0 {
				return false
			}
			out = append(out, standing{p.was.Stands[was[at]], p.is.Stands[i], p.is.launches[i]})
			was = slices.Delete(was, at, at+1)
			return true
		})
	}
	return out
}

// gpus returns those of the stands, each once.
func (k Kernel) gpus() []string {
	var out []string
	for _, s := range k.Stands {
		if !slices.Contains(out, s.GPU) {
			out = append(out, s.GPU)
		}
	}
	return out
}

// GPUs returns those of a baseline, in the order in which they come.
func (f *File) GPUs() []string {
	var out []string
	for _, k := range f.Kernels {
		for _, gpu := range k.gpus() {
			if !slices.Contains(out, gpu) {
				out = append(out, gpu)
			}
		}
	}
	return out
}

// Compiled reports whether a compiler counted any of the registers.
func (f *File) Compiled() bool {
	return slices.ContainsFunc(f.Kernels, func(k Kernel) bool {
		return slices.ContainsFunc(k.Stands, func(s Stand) bool { return s.From != estimated })
	})
}

// estimated is the source of registers that no compiler counted.
const estimated = "estimate"
