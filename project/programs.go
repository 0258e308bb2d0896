package project

import (
	"path/filepath"
	"slices"
	"strings"
)

// Programs parts files into programs, given as indexes of facts. The programs are
// in the order of their first files, and the files of each in the order of facts.
//
// A file is with those that include it where it says anything of kernels. One that launches or declares a kernel
// which no file that is compiled with it defines is with the nearest that do. A file that says nothing of kernels is
// with the one program that includes it. Where several do it is by itself, but for one with device functions that a
// merge may have to change: the programs in its folder that include it are one, if they can be linked with each
// other, for it can only change for all.
func Programs(facts []Facts) [][]int {
	p := newParting(facts)
	p.joinIncludes()
	p.joinKernels()
	p.joinPlain()
	return p.programs()
}

// parting parts files into sets.
type parting struct {
	facts     []Facts
	parent    []int // of each set's tree
	includes  [][]int
	including [][]int             // the reverse
	exporters map[string][]int    // files that define a kernel which others can launch
	defined   []map[string]bool   // what each file defines with all that it includes; filled on demand
	folders   map[string][]string // parts of the paths of folders
}

func newParting(facts []Facts) *parting {
	n := len(facts)
	p := &parting{
		facts: facts, parent: make([]int, n), includes: make([][]int, n), including: make([][]int, n),
		exporters: map[string][]int{}, defined: make([]map[string]bool, n), folders: map[string][]string{},
	}
	at := make(map[string]int, n)
	for i := range facts {
		p.parent[i] = i
		at[facts[i].abs] = i
	}
	for i := range facts {
		for _, path := range facts[i].Includes {
			if k, ok := at[path]; ok && k != i {
				p.includes[i] = append(p.includes[i], k)
				p.including[k] = append(p.including[k], i)
			}
		}
		for _, k := range facts[i].Kernels {
			if list := p.exporters[k.Name]; facts[i].exports(k.Name) && !slices.Contains(list, i) {
				p.exporters[k.Name] = append(list, i)
			}
		}
	}
	return p
}

// set returns the first file of a file's set.
func (p *parting) set(i int) int {
	for p.parent[i] != i {
		p.parent[i] = p.parent[p.parent[i]]
		i = p.parent[i]
	}
	return i
}

func (p *parting) join(i, k int) {
	i, k = p.set(i), p.set(k)
	p.parent[max(i, k)] = min(i, k)
}

func (p *parting) joinIncludes() {
	for i, list := range p.includes {
		for _, k := range list {
			if p.facts[k].matters() {
				p.join(i, k)
			}
		}
	}
}

// joinKernels joins files with those that define what they need.
func (p *parting) joinKernels() {
	for i := range p.facts {
		for _, kernel := range p.facts[i].needs() {
			if len(p.exporters[kernel]) == 0 || !p.open(i, kernel) {
				continue
			}
			for _, k := range p.nearest(i, p.exporters[kernel]) {
				p.join(i, k)
			}
		}
	}
}

// open reports whether a kernel that a file needs is defined nowhere in one of the
// units that the file is compiled in: those that include it, or itself.
func (p *parting) open(i int, kernel string) bool {
	alone := true
	for _, top := range p.including[i] {
		if len(p.including[top]) > 0 && !slices.Contains(p.including[top], i) {
			continue // itself a part
		}
		alone = false
		if !p.definedWith(top)[kernel] {
			return true
		}
	}
	return alone && !p.definedWith(i)[kernel]
}

// definedWith returns the kernels that a file and all that it includes define.
func (p *parting) definedWith(i int) map[string]bool {
	if p.defined[i] == nil {
		all := map[string]bool{}
		for _, k := range append([]int{i}, p.includes[i]...) {
			for _, kernel := range p.facts[k].Kernels {
				if kernel.Defined {
					all[kernel.Name] = true
				}
			}
		}
		p.defined[i] = all
	}
	return p.defined[i]
}

// nearest returns the files of a list that lie nearest to a file: in its folder, else
// in the deepest folder that holds both.
func (p *parting) nearest(i int, list []int) []int {
	var out []int
	best := -1
	from := p.folder(i)
	for _, k := range list {
		to := p.folder(k)
		common := 0
		for common < min(len(from), len(to)) && from[common] == to[common] {
			common++
		}
		near := 2 * common
		if common == len(from) && common == len(to) {
			near++
		}
		if near > best {
			best, out = near, nil
		}
		if near == best {
			out = append(out, k)
		}
	}
	return out
}

// folder returns the parts of the path of a file's folder.
func (p *parting) folder(i int) []string {
	dir := filepath.Dir(p.facts[i].abs)
	parts, ok := p.folders[dir]
	if !ok {
		parts = strings.Split(filepath.ToSlash(dir), "/")
		p.folders[dir] = parts
	}
	return parts
}

// joinPlain joins files that say nothing of kernels with the one program that includes them.
func (p *parting) joinPlain() {
	matters := map[int]bool{} // of sets
	for i := range p.facts {
		if p.facts[i].matters() {
			matters[p.set(i)] = true
		}
	}
	type plain struct {
		file int
		sets []int
	}
	var with []plain
	for i, list := range p.including {
		if matters[p.set(i)] {
			continue
		}
		var sets []int
		for _, k := range list {
			if set := p.set(k); matters[set] && !slices.Contains(sets, set) {
				sets = append(sets, set)
			}
		}
		if len(sets) == 1 || p.facts[i].changes {
			with = append(with, plain{i, sets})
		}
	}
	for _, w := range with {
		if len(w.sets) == 1 || p.linked(w.file, w.sets) {
			for _, set := range w.sets {
				p.join(w.file, set)
			}
		}
	}
}

// mostLinked bounds how many programs may become one.
const mostLinked = 16

// linked reports whether some sets can be of one program, all in the folder of a file: no
// two of them define a kernel of one name, and just one main is among them at most.
func (p *parting) linked(file int, sets []int) bool {
	if len(sets) > mostLinked {
		return false
	}
	sets = slices.Clone(sets)
	for i, set := range sets {
		sets[i] = p.set(set) // it may have been joined meanwhile
	}
	defines := map[string]int{} // the set that defines a kernel
	mains := 0
	for i := range p.facts {
		set := p.set(i)
		if !slices.Contains(sets, set) {
			continue
		}
		if !slices.Equal(p.folder(i), p.folder(file)) {
			return false
		}
		if p.facts[i].main {
			mains++
		}
		for _, k := range p.facts[i].Kernels {
			if at, ok := defines[k.Name]; ok && at != set {
				return false
			}
			defines[k.Name] = set
		}
	}
	return mains <= 1
}

func (p *parting) programs() [][]int {
	var out [][]int
	at := map[int]int{} // of a set in out
	for i := range p.facts {
		if p.facts[i].None {
			continue
		}
		set := p.set(i)
		k, ok := at[set]
		if !ok {
			k = len(out)
			at[set] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}
